import { instructing } from '../payments/submit/write-attempt';
import { bySql, type Check } from './check';

/** What a stop is about; see `holdsBack` in controls/stops.ts. */
const isAbout = `
  (p.kind = 'payout' OR (p.kind = 'refund' AND s.with_refunds = 1))
  AND (s.merchant_id IS NULL OR s.merchant_id = p.merchant_id)
  AND (s.rail IS NULL OR s.rail = p.rail)
  AND (s.country IS NULL OR s.country = JSON_UNQUOTE(JSON_EXTRACT(p.details, '$.country')))`;

/** Further attempts of a payment are not logged: their hosts' clocks may differ from the database's by so much. */
const clocksDifferBySeconds = 60;
const clocksDifferBy = `INTERVAL ${String(clocksDifferBySeconds)} SECOND`;

/** Of these nothing was sent: it is said of them that it may have been, or was, before the database was restored. */
const isOnlySaid = "l.cause = 'restored'";

/** How many seconds a sandbox has let pass for a payment; nobody does so in live, where no line of the log tells of it. */
const aheadSeconds =
  "IF(EXISTS (SELECT 1 FROM audit_log WHERE action = 'sandbox.advance'), p.clock_ahead_ms, 0) / 1000";

/** Since how many seconds its recipient was known when a payout was accepted. */
const knownForSeconds = `COALESCE(TIMESTAMPDIFF(SECOND, (
    SELECT MIN(e.accepted_at) FROM outflows e
    WHERE e.merchant_id = o.merchant_id AND e.recipient_hash = o.recipient_hash AND e.accepted_at < o.accepted_at
  ), o.accepted_at), 0)`;

/** Holds that end sooner than the limit says that they are for: only a cool-down ends by itself. */
const cutShort = (holds: string) => `
  SELECT h.payment_id AS id, CONCAT('was held until an earlier time than it has to wait for: ', h.reason) AS detail
  FROM ${holds}
  JOIN payments p ON p.payment_id = h.payment_id
  LEFT JOIN outflows o ON o.payment_id = h.payment_id
  LEFT JOIN outflow_limits l ON l.limit_id = h.limit_id AND l.kind = h.reason
  WHERE h.until_at IS NOT NULL
    AND (l.cooldown_s IS NULL
      OR TIMESTAMPDIFF(SECOND, GREATEST(h.held_at, p.created_at), h.until_at) + ${aheadSeconds}
         < l.cooldown_s - ${knownForSeconds} - ${String(clocksDifferBySeconds)})`;

/** What waits by itself is sent or given up by then. */
const recentHolds = '(SELECT * FROM payout_holds WHERE held_at > UTC_TIMESTAMP(3) - INTERVAL 7 DAY) h';

export const stopChecks: Check[] = [
  {
    id: 'S1',
    promise: 'nothing was sent while an operator had stopped it, or before it was released',
    find: bySql(
      (scope) => `
      SELECT p.payment_id AS id, CONCAT('is a ', p.kind, ' that was begun while stop ', s.stop_id, ' was in force') AS detail
      FROM payout_stops s
      STRAIGHT_JOIN payment_log l ON l.log_id > s.begun_log_id AND l.log_id <= COALESCE(s.ended_log_id, l.log_id)
      JOIN payments p ON p.payment_id = l.payment_id AND ${isAbout}
      WHERE l.from_state = 'received' AND l.to_state = 'initiating' AND NOT ${isOnlySaid} AND ${scope.added('payment_log', 'l')}`,
      (scope) => `
      SELECT p.payment_id AS id, CONCAT('was tried again while stop ', s.stop_id, ' was in force') AS detail
      FROM ${scope.about('attempts', 'a')}
      JOIN payout_stops s ON a.sent_at > s.begun_at + ${clocksDifferBy}
       AND (s.ended_at IS NULL OR a.sent_at < s.ended_at - ${clocksDifferBy})
      JOIN payments p ON p.payment_id = a.payment_id AND ${isAbout}
      WHERE a.operation = '${instructing}' AND a.n > 1`,
      (scope) => `
      SELECT p.payment_id AS id, CONCAT('was sent while it was held: ', h.reason) AS detail
      FROM ${scope.about('attempts', 'a')}
      JOIN payout_holds h ON h.payment_id = a.payment_id
      JOIN payments p ON p.payment_id = a.payment_id
      WHERE a.operation = '${instructing}'
        AND (h.released_at IS NULL OR a.sent_at < h.released_at - ${clocksDifferBy})
        AND (h.until_at IS NULL OR a.sent_at < h.until_at - ${clocksDifferBy})`,
      // Whoever cuts a hold short by hand leaves no news of its payment.
      (scope) => scope.pick(cutShort('payout_holds h'), cutShort(recentHolds)),
    ),
  },
];
