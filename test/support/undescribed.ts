/** For endpoints, routes and rails that exist in a test alone: nobody reads what they are. */
import Joi from 'joi';
import type { MountedRail } from '../../src/api/app';
import type {
  EndpointDescription,
  NotificationDescription,
  RailDescription,
} from '../../src/rail-kit/description';

export const anEndpoint: EndpointDescription = {
  id: 'test',
  summary: 'Of a test',
  answer: Joi.object(),
  refusals: [],
};
export const aRoute: NotificationDescription = {
  id: 'test',
  summary: 'Of a test',
  answers: {},
  refusals: [],
};
export const aRail: RailDescription = {
  ...{ about: 'Of a test', webhooks: [] },
  ...{ states: {}, reasons: { deposit: {}, payout: {}, refund: {} } },
};

/** A rail that serves what is told, and nothing else. */
export const railOf = (parts: Partial<MountedRail>): MountedRail => ({
  name: 'x',
  description: aRail,
  endpoints: [],
  forStrangers: [],
  notificationRoutes: [],
  ...parts,
});
