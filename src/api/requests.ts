/** A merchant's own requests of the last days, without anything that was in them. */
import Joi from 'joi';
import { listRequests, requestsKeptDays } from '../merchants/request-log';
import { body, count, listOf, moment, orNull, success, text, type TypeOf } from '../rail-kit/answer-fields';
import type { Endpoint } from '../rail-kit/endpoint';
import { optionalText } from '../rail-kit/fields';
import type { Database } from '../store/database';
import { listCursorOf, type ListPlace } from '../store/list-place';
import { limitField, listCursorField, nextCursorTold } from './fields';

export const requestsPath = '/api/v1/requests';

const limits = { min: 1, max: 100, unlessTold: 50 };
const results = ['all', 'refused'] as const;

const answer = body({
  success,
  requests: listOf(
    body({
      at: moment('When it was answered'),
      request_id: text('Its `X-Request-Id`; tell it when you ask us', '01890a5d-ac96-774b-bcce-b302099a8057'),
      method: text('How it was asked', 'POST'),
      path: text('What was asked, without the ids in it', '/api/v1/stk_push'),
      status: count('How it was answered; 499 where you did not wait for it', 200),
      code: orNull(text('Why it was refused', 'INVALID_PHONE_NUMBER')),
      duration_ms: count('How long it took. Milliseconds', 42),
    }),
    'The newest first',
    limits.max,
  ),
  next_cursor: nextCursorTold,
});

interface Asked {
  request_id?: string;
  code?: string;
  result?: (typeof results)[number];
  limit?: number;
  cursor?: ListPlace;
}

export function requestsEndpoint(db: Database): Endpoint {
  return {
    method: 'GET',
    path: requestsPath,
    access: 'headers',
    scope: 'read',
    rateLimit: 'api',
    starts: false,
    about: {
      id: 'listRequests',
      summary: `The merchant's own requests of the last ${String(requestsKeptDays)} days, newest first`,
      details:
        'Those with right keys, a few seconds after they were answered; never what was in them, nor in their answers. A page looks at 2,000 at most: where a filter matches few, it may be short, or empty',
      answer,
      refusals: [],
    },
    input: Joi.object({
      request_id: optionalText(80).description('Of one X-Request-Id alone').example('01890a5d-ac96-774b'),
      code: optionalText(64).description('Refused with this code alone').example('INVALID_PHONE_NUMBER'),
      result: optionalText(16)
        .valid(...results)
        .description('`refused`: with a status from 400 on')
        .example('refused'),
      limit: limitField(limits).description('Requests on a page, 1 to 100; 50 unless told').example('50'),
      cursor: listCursorField,
    }),
    async handle({ merchant, input }) {
      const { request_id: requestId, code, result, limit = limits.unlessTold, cursor } = input as Asked;
      const { requests, next } = await listRequests(
        db,
        merchant.merchant_id,
        { requestId, code, onlyRefused: result === 'refused' },
        { before: cursor, limit },
      );
      const told: TypeOf<typeof answer> = {
        success: true,
        requests: requests.map((one) => ({
          at: one.created_at.toISOString(),
          request_id: one.request_id,
          method: one.method,
          path: one.path,
          status: one.status,
          code: one.code,
          duration_ms: one.duration_ms,
        })),
        next_cursor: next ? listCursorOf(next) : null,
      };
      return { status: 200, body: told };
    },
  };
}
