/** What the balancer answers itself, as the API would: with everybody's error body, and the request's id. */
import { errorResponses } from '../../src/domain/errors';

/**
 * By the status that HAProxy would give: nobody could be reached; or what was sent to an API may have been heard, and the
 * answer to it was lost or took too long. How long to wait is said in seconds.
 */
const ownAnswers = {
  503: { code: 'SERVICE_UNAVAILABLE', retryAfter: 2 },
  502: { code: 'ACCEPTANCE_UNKNOWN', retryAfter: 5 },
  504: { code: 'ACCEPTANCE_UNKNOWN', retryAfter: 5 },
} as const;

/** What the API accepts as a caller's id; it still replaces one that names somebody. */
const acceptableId = '^[A-Za-z0-9._-]{8,80}$';

/** Says that nobody but the balancer answered, and is taken away before the answer leaves. */
const marker = 'X-Answered-By-Balancer';

const requestId = '%[var(txn.request_id)]';

/** Lines for `defaults`. The time is that of the zone in which HAProxy runs. */
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

/** Lines for the frontend: the id is known before an answer is needed, and 502 is told with the code's own status. */
export const requestIdSettings = `
  http-request set-header X-Request-Id %[uuid()] unless { req.hdr(X-Request-Id) -m reg ${acceptableId} }
  http-request set-var(txn.request_id) req.hdr(X-Request-Id)
  http-after-response set-status ${errorResponses.ACCEPTANCE_UNKNOWN.status} reason "Gateway Timeout" if { status 502 } { res.hdr(${marker}) -m found }
  http-after-response del-header ${marker}
`.trim();
