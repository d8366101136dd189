/** The balancer's own answers, in the API's form: an error body with the request's id. */
import { errorResponses } from '../../src/domain/errors';

/**
 * By HAProxy's status. 503: no API was reachable. 502 and 504: an API may have received the request, and its answer was
 * lost or too late. Retry-After is in seconds.
 */
const ownAnswers = {
  503: { code: 'SERVICE_UNAVAILABLE', retryAfter: 2 },
  502: { code: 'ACCEPTANCE_UNKNOWN', retryAfter: 5 },
  504: { code: 'ACCEPTANCE_UNKNOWN', retryAfter: 5 },
} as const;

/** The request ids that the API accepts; it still replaces one with personal data. */
const acceptableId = '^[A-Za-z0-9._-]{8,80}$';

/** Marks an answer of the balancer; it is removed before the answer is sent. */
const marker = 'X-Answered-By-Balancer';

const requestId = '%[var(txn.request_id)]';

/** Lines for `defaults`. The times use the zone of the HAProxy process. */
export const ownAnswerSettings = Object.entries(ownAnswers)
  .map(([status, { code, retryAfter }]) => {
    const { message } = errorResponses[code];
    const body = JSON.stringify({
      success: false,
      error: message,
      message,
      code,
      request_id: requestId,
      timestamp: '%[date,ltime(TIME)]',
      timestamp_utc: '%[date,utime(UTC)]',
    })
      .replace('TIME', '"%Y-%m-%d %H:%M:%S"')
      .replace('(UTC)', '("%Y-%m-%dT%H:%M:%SZ")');
    const headers = { 'X-Request-Id': requestId, 'Retry-After': retryAfter, 'Cache-Control': 'no-store' };
    const named = Object.entries({ ...headers, [marker]: 'yes' }).map(
      ([name, value]) => `hdr ${name} ${value}`,
    );
    return `  http-error status ${status} content-type application/json lf-string '${body}' ${named.join(' ')}`;
  })
  .join('\n');

/** Lines for the frontend: the id is set before any answer, and 502 gets the code's own status. */
export const requestIdSettings = `
  http-request set-header X-Request-Id %[uuid()] unless { req.hdr(X-Request-Id) -m reg ${acceptableId} }
  http-request set-var(txn.request_id) req.hdr(X-Request-Id)
  http-after-response set-status ${errorResponses.ACCEPTANCE_UNKNOWN.status} reason "Gateway Timeout" if { status 502 } { res.hdr(${marker}) -m found }
  http-after-response del-header ${marker}
`.trim();
