/** For endpoints, routes and rails that exist in a test only and need no description. */
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
  errors: [],
};
export const aRoute: NotificationDescription = {
  id: 'test',
  summary: 'Of a test',
  answers: {},
  errors: [],
};
export const aRail: RailDescription = {
  ...{ about: 'Of a test', webhooks: [] },
  ...{ states: {}, reasons: { deposit: {}, payout: {}, refund: {} } },
};

/** A rail that serves only the given parts. */
export const railOf = (parts: Partial<MountedRail>): MountedRail => ({
  name: 'x',
  description: aRail,
  endpoints: [],
  unauthenticatedEndpoints: [],
  notificationRoutes: [],
  ...parts,
});
