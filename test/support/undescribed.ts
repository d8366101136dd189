/** For endpoints, routes and rails that exist in a test alone: nobody reads what they are. */
import Joi from 'joi';
import type {
  EndpointDescription,
  NotificationDescription,
  RailDescription,
} from '../../src/payments/rail/description';

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
export const aRail: RailDescription = { about: 'Of a test', webhooks: [] };
