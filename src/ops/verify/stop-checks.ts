import { instructing } from '../../payments/instruction/write-attempt';
import { bySql, type Check } from './check';

/** What a stop is about; see `holdsBack` in controls/stops.ts. */
const isAbout = `
  (p.kind = 'payout' OR (p.kind = 'refund' AND s.with_refunds = 1))
  AND (s.merchant_id IS NULL OR s.merchant_id = p.merchant_id)
  AND (s.rail IS NULL OR s.rail = p.rail)
  AND (s.country IS NULL OR s.country = JSON_UNQUOTE(JSON_EXTRACT(p.details, '$.country')))`;

/** Further attempts of a payment are not logged: their hosts' clocks may differ from the database's by so much. */
const clocksDifferBy = 'INTERVAL 60 SECOND';

/** Of these nothing was sent: it is said of them that it may have been, or was, before the database was restored. */
const isOnlySaid = "l.cause = 'restored'";

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
    ),
  },
];
