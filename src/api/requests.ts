/** A merchant's own requests of the last days, without their contents. */
import Joi from 'joi';
import { listRequests, requestsKeptDays } from '../merchants/request-log';
import { body, count, listOf, moment, orNull, success, text, type TypeOf } from '../rail-kit/answer-fields';
import type { Endpoint } from '../rail-kit/endpoint';
import { optionalText } from '../rail-kit/fields';
import type { Database } from '../store/database';
import { listCursorOf, type ListCursor } from '../store/list-cursor';
import { limitField, listCursorField, nextCursorField } from './fields';

export const requestsPath = '/api/v1/requests';

const limits = { min: 1, max: 100, unlessReported: 50 };
const results = ['all', 'refused'] as const;

const answer = body({
  success,
  requests: listOf(
    body({
      at: moment('When the request was answered'),
      request_id: text(
        "The request's `X-Request-Id`. Include it when you contact support",
        '01890a5d-ac96-774b-bcce-b302099a8057',
      ),
      method: text('The HTTP method', 'POST'),
      path: text('The path, without the ids in it', '/api/v1/stk_push'),
      status: count('The HTTP status of the answer; 499 if you closed the connection before it', 200),
      code: orNull(text('The error code', 'INVALID_PHONE_NUMBER')),
      duration_ms: count('The duration. Milliseconds', 42),
    }),
    'Newest first',
    limits.max,
  ),
  next_cursor: nextCursorField,
});

interface Asked {
  request_id?: string;
  code?: string;
  result?: (typeof results)[number];
  limit?: number;
  cursor?: ListCursor;
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
      summary: `List the merchant's own requests of the last ${String(requestsKeptDays)} days, newest first`,
      details:
        'Lists authenticated requests, a few seconds after their answers, without the contents of requests and answers. The service scans at most 2,000 requests for a page. If a filter matches few requests, a page may be short or empty',
      answer,
      errors: [],
    },
    input: Joi.object({
      request_id: optionalText(80).description('Only this X-Request-Id').example('01890a5d-ac96-774b'),
      code: optionalText(64)
        .description('Only requests that failed with this error code')
        .example('INVALID_PHONE_NUMBER'),
      result: optionalText(16)
        .valid(...results)
        .description('`refused`: status 400 or higher')
        .example('refused'),
      limit: limitField(limits).description('Requests per page, 1 to 100. Default: 50').example('50'),
      cursor: listCursorField,
    }),
    async handle({ merchant, input }) {
      const { request_id: requestId, code, result, limit = limits.unlessReported, cursor } = input as Asked;
      const { requests, next } = await listRequests(
        db,
        merchant.merchant_id,
        { requestId, code, onlyRefused: result === 'refused' },
        { before: cursor, limit },
      );
      const reported: TypeOf<typeof answer> = {
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
      return { status: 200, body: reported };
    },
  };
}
