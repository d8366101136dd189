import { nameOfDefaults } from '../controls/default-limits';
import { limitKinds } from '../controls/limits';
import { instructing } from '../payments/submit/write-attempt';
import { bySql, together, type Check, type Finder, type Statement, type Scope } from './check';

/** The tolerance between the start of a request and the time when a limit was set, in seconds. */
const graceSeconds = 60;

/** The clock of an API process may be ahead of the database's by this much, in seconds. */
const earlierSeconds = 600;

const bounds = (
  o: string,
) => `${o}.currency = l.currency AND (l.merchant_id IS NULL OR l.merchant_id = ${o}.merchant_id)
  AND (l.rail IS NULL OR l.rail = ${o}.rail)`;
const isBound = bounds('o');
/** Payouts count by the clock of the windows, which the sandbox can move. Limits have the real time and the offset. */
const from = 'l.from_at + INTERVAL l.from_ahead_ms * 1000 MICROSECOND';
const ended = 'l.ended_at + INTERVAL l.ended_ahead_ms * 1000 MICROSECOND';
const inForce = `${from} AS from_at, ${ended} AS ended_at`;
const wasInForce = (alias: string) => `${alias}.accepted_at > ${alias}.from_at
  AND (${alias}.ended_at IS NULL OR ${alias}.accepted_at < ${alias}.ended_at)`;

const limitText = (total: string, limit: string, most: string) =>
  `CONCAT('was created with a total of ', ${total}, ', but limit ', ${limit}, ' allows ', ${most})`;

/** The sum of payouts in the window before each payout: one pass over all payouts, or one query for each changed one. */
function beyond(kind: string, windowSeconds: number, ofRecipient: boolean): Statement {
  const same = ofRecipient ? 'o.merchant_id, o.recipient_hash' : 'o.merchant_id';
  return (scope: Scope) =>
    scope.pick(
      `
      SELECT w.payment_id AS id, ${limitText('w.total', 'w.limit_id', 'w.most')} AS detail
      FROM (
        SELECT o.payment_id, o.accepted_at, o.released_at, l.limit_id, l.amount AS most, ${inForce},
               SUM(IF(o.released_at IS NULL, o.amount, 0)) OVER (
                 PARTITION BY l.limit_id, ${same}
                 ORDER BY TIMESTAMPDIFF(MICROSECOND, '2000-01-01', o.accepted_at) DIV 1000
                 RANGE BETWEEN ${String(windowSeconds * 1_000 - 1)} PRECEDING AND CURRENT ROW) AS total
        FROM outflow_limits l JOIN outflows o ON ${isBound}
        WHERE l.kind = '${kind}'
      ) w
      WHERE w.released_at IS NULL AND w.total > w.most AND ${wasInForce('w')}`,
      `
      SELECT w.payment_id AS id, ${limitText('w.total', 'w.limit_id', 'w.most')} AS detail
      FROM (
        SELECT o.payment_id, o.accepted_at, l.limit_id, l.amount AS most, ${inForce},
               (SELECT SUM(q.amount) FROM outflows q
                WHERE q.merchant_id = o.merchant_id AND q.currency = o.currency AND q.released_at IS NULL
                  AND q.accepted_at > o.accepted_at - INTERVAL ${String(windowSeconds)} SECOND
                  AND q.accepted_at <= o.accepted_at AND (l.rail IS NULL OR q.rail = l.rail)
                  ${ofRecipient ? 'AND q.recipient_hash = o.recipient_hash' : ''}) AS total
        FROM ${scope.about('outflows', 'o')}
        JOIN outflow_limits l ON ${isBound}
        WHERE l.kind = '${kind}' AND o.released_at IS NULL
      ) w
      WHERE w.total > w.most AND ${wasInForce('w')}`,
    );
}

const windows = Object.entries(limitKinds).flatMap(([kind, { windowSeconds, ofRecipient = false }]) =>
  windowSeconds === undefined ? [] : [beyond(kind, windowSeconds, ofRecipient)],
);

/** No limit of the kind was set, so the default limit of that time applied; see `limitsOf` in controls/outflow.ts. */
const byDefault = (kind: string) => `w.defaults_id IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM outflow_limits l
  WHERE l.kind = '${kind}' AND ${bounds('w')}
    AND w.accepted_at >= ${from} AND (l.ended_at IS NULL OR w.accepted_at <= ${ended}))`;

/** A currency without a default amount has the default limit zero. */
const defaultOf = (kind: string) => `
  LEFT JOIN outflow_defaults d ON d.defaults_id = w.defaults_id AND d.currency = w.currency AND d.kind = '${kind}'`;

const byDefaultText = (kind: string, total: string) =>
  limitText(total, `'${kind} by default'`, 'COALESCE(d.amount, 0)');

/** Like `beyond`, for the default limits, which count all rails together. */
function beyondDefault(kind: string, windowSeconds: number, ofRecipient: boolean): Statement {
  const recipient = ofRecipient ? ', o.recipient_hash' : '';
  return (scope: Scope) =>
    scope.pick(
      `
      SELECT w.payment_id AS id, ${byDefaultText(kind, 'w.total')} AS detail
      FROM (
        SELECT o.*,
               SUM(IF(o.released_at IS NULL, o.amount, 0)) OVER (
                 PARTITION BY o.merchant_id, o.currency${recipient}
                 ORDER BY TIMESTAMPDIFF(MICROSECOND, '2000-01-01', o.accepted_at) DIV 1000
                 RANGE BETWEEN ${String(windowSeconds * 1_000 - 1)} PRECEDING AND CURRENT ROW) AS total
        FROM outflows o
        WHERE EXISTS (SELECT 1 FROM outflows WHERE defaults_id IS NOT NULL)
      ) w ${defaultOf(kind)}
      WHERE w.released_at IS NULL AND w.total > COALESCE(d.amount, 0) AND ${byDefault(kind)}`,
      `
      SELECT w.payment_id AS id, ${byDefaultText(kind, 'w.total')} AS detail
      FROM (
        SELECT o.*,
               (SELECT SUM(q.amount) FROM outflows q
                WHERE q.merchant_id = o.merchant_id AND q.currency = o.currency AND q.released_at IS NULL
                  AND q.accepted_at > o.accepted_at - INTERVAL ${String(windowSeconds)} SECOND
                  AND q.accepted_at <= o.accepted_at
                  ${ofRecipient ? 'AND q.recipient_hash = o.recipient_hash' : ''}) AS total
        FROM ${scope.about('outflows', 'o')}
        WHERE o.released_at IS NULL AND o.defaults_id IS NOT NULL
      ) w ${defaultOf(kind)}
      WHERE w.total > COALESCE(d.amount, 0) AND ${byDefault(kind)}`,
    );
}

const defaultWindows = Object.entries(limitKinds).flatMap(([kind, { windowSeconds, ofRecipient = false }]) =>
  windowSeconds === undefined ? [] : [beyondDefault(kind, windowSeconds, ofRecipient)],
);

/** The name of default amounts is their digest, so changed amounts no longer match their name. */
const renamedDefaults: Finder = async ({ trx }) => {
  const all = await trx('outflow_defaults');
  return [...new Set(all.map(({ defaults_id: id }) => id))]
    .filter((id) => nameOfDefaults(all.filter((row) => row.defaults_id === id)) !== id)
    .map((id) => ({ id: `defaults ${id}`, detail: 'do not match the digest in their name' }));
};

/** Checks of the limits on payouts. */
export const outflowChecks: Check[] = [
  {
    id: 'C1',
    promise: 'no payout was created beyond a limit that was in force',
    find: together(
      renamedDefaults,
      bySql(
        (scope) => `
      SELECT w.payment_id AS id, ${byDefaultText('per_payment', 'w.amount')} AS detail
      FROM ${scope.about('outflows', 'w')} ${defaultOf('per_payment')}
      WHERE w.amount > COALESCE(d.amount, 0) AND ${byDefault('per_payment')}`,
        ...defaultWindows,
        (scope) => `
      SELECT o.payment_id AS id, ${limitText('o.amount', 'l.limit_id', 'l.amount')} AS detail
      FROM ${scope.about('outflows', 'o')}
      JOIN outflow_limits l ON l.kind = 'per_payment' AND ${isBound}
      WHERE o.amount > l.amount AND o.accepted_at > ${from}
        AND (l.ended_at IS NULL OR o.accepted_at < ${ended})`,
        ...windows,
      ),
    ),
  },
  {
    id: 'C2',
    promise: 'each payout counts against limits with its amount, until it failed or was cancelled',
    find: bySql(
      (scope) => `
      SELECT o.payment_id AS id, CONCAT('is ', COALESCE(p.state, 'not there'), ' with ', COALESCE(p.requested_minor, 0),
             ', but counts with ', IF(o.released_at IS NULL, o.amount, 'nothing')) AS detail
      FROM ${scope.about('outflows', 'o')}
      LEFT JOIN payments p ON p.payment_id = o.payment_id AND p.kind = 'payout' AND p.merchant_id = o.merchant_id
           AND p.rail = o.rail AND p.currency = o.currency
      WHERE p.payment_id IS NULL OR o.amount <> p.requested_minor
         OR (o.released_at IS NOT NULL AND p.state NOT IN ('failed', 'cancelled'))`,
      // A process of a version without limits creates payouts that do not count.
      (scope) => `
      SELECT DISTINCT o.payment_id AS id, CONCAT('does not count against limit ', l.limit_id) AS detail
      FROM ${scope.about('payments', 'o')}
      JOIN outflow_limits l ON ${isBound}
      LEFT JOIN outflows counted ON counted.payment_id = o.payment_id
      WHERE o.kind = 'payout' AND counted.payment_id IS NULL
        AND o.created_at > l.from_at + INTERVAL ${String(graceSeconds)} SECOND
        AND (l.ended_at IS NULL OR o.created_at < l.ended_at)`,
    ),
  },
  {
    id: 'C3',
    promise: 'a payout goes to the recipient of its request, and counts from the time of its request',
    find: bySql((scope) => {
      const email = "JSON_UNQUOTE(JSON_EXTRACT(p.details, '$.recipient_email'))";
      const isAnother = (recipient: string) =>
        `(${recipient} IS NOT NULL AND NOT (o.recipient_hash <=> UNHEX(SHA2(${recipient}, 256))))`;
      return `
      SELECT o.payment_id AS id, IF(o.accepted_at < p.created_at - INTERVAL ${String(earlierSeconds)} SECOND,
             'counts from a time before its request', 'goes to another recipient than requested') AS detail
      FROM ${scope.about('outflows', 'o')}
      JOIN payments p ON p.payment_id = o.payment_id
      WHERE o.accepted_at < p.created_at - INTERVAL ${String(earlierSeconds)} SECOND
         OR ${isAnother('p.phone_number')} OR ${isAnother(`LOWER(${email})`)}`;
    }),
  },
];

/** The payments that a pause covers; see `holdsBack` in controls/pauses.ts. */
const isAbout = `
  (p.kind = 'payout' OR (p.kind = 'refund' AND s.with_refunds = 1))
  AND (s.merchant_id IS NULL OR s.merchant_id = p.merchant_id)
  AND (s.rail IS NULL OR s.rail = p.rail)
  AND (s.country IS NULL OR s.country = JSON_UNQUOTE(JSON_EXTRACT(p.details, '$.country')))`;

/** Further attempts of a payment have only the time of their host, whose clock may differ from the database's by this much. */
const clocksDifferBySeconds = 60;
const clocksDifferBy = `INTERVAL ${String(clocksDifferBySeconds)} SECOND`;

/** Transitions by a restore: nothing was sent then. */
const isOnlyReported = "l.cause = 'restored'";

/** How far the sandbox has moved a payment's clock, in seconds; 0 if no audit line has moved time, as in live. */
const aheadSeconds =
  "IF(EXISTS (SELECT 1 FROM audit_log WHERE action = 'sandbox.advance'), p.clock_ahead_ms, 0) / 1000";

/** For how many seconds the recipient was known when the payout was created. */
const knownForSeconds = `COALESCE(TIMESTAMPDIFF(SECOND, (
    SELECT MIN(e.accepted_at) FROM outflows e
    WHERE e.merchant_id = o.merchant_id AND e.recipient_hash = o.recipient_hash AND e.accepted_at < o.accepted_at
  ), o.accepted_at), 0)`;

/** Payout holds that end before the cooldown of their limit. Only a cooldown ends by itself. */
const cutShort = (holds: string) => `
  SELECT h.payment_id AS id, CONCAT('is on hold for less time than its limit requires: ', h.reason) AS detail
  FROM ${holds}
  JOIN payments p ON p.payment_id = h.payment_id
  LEFT JOIN outflows o ON o.payment_id = h.payment_id
  LEFT JOIN outflow_limits l ON l.limit_id = h.limit_id AND l.kind = h.reason
  WHERE h.until_at IS NOT NULL
    AND (l.cooldown_s IS NULL
      OR TIMESTAMPDIFF(SECOND, GREATEST(h.held_at, p.created_at), h.until_at) + ${aheadSeconds}
         < l.cooldown_s - ${knownForSeconds} - ${String(clocksDifferBySeconds)})`;

/** A payout on hold is sent or has failed within this time. */
const recentHolds = '(SELECT * FROM payout_holds WHERE held_at > UTC_TIMESTAMP(3) - INTERVAL 7 DAY) h';

export const pauseChecks: Check[] = [
  {
    id: 'S1',
    promise: 'no payment was sent while its payouts were paused, or while it was on hold',
    find: bySql(
      (scope) => `
      SELECT p.payment_id AS id, CONCAT('is a ', p.kind, ' that was submitted while pause ', s.pause_id, ' was in force') AS detail
      FROM payout_pauses s
      STRAIGHT_JOIN payment_log l ON l.log_id > s.begun_log_id AND l.log_id <= COALESCE(s.ended_log_id, l.log_id)
      JOIN payments p ON p.payment_id = l.payment_id AND ${isAbout}
      WHERE l.from_state = 'received' AND l.to_state = 'initiating' AND NOT ${isOnlyReported} AND ${scope.added('payment_log', 'l')}`,
      (scope) => `
      SELECT p.payment_id AS id, CONCAT('was submitted again while pause ', s.pause_id, ' was in force') AS detail
      FROM ${scope.about('attempts', 'a')}
      JOIN payout_pauses s ON a.sent_at > s.begun_at + ${clocksDifferBy}
       AND (s.ended_at IS NULL OR a.sent_at < s.ended_at - ${clocksDifferBy})
      JOIN payments p ON p.payment_id = a.payment_id AND ${isAbout}
      WHERE a.operation = '${instructing}' AND a.n > 1`,
      (scope) => `
      SELECT p.payment_id AS id, CONCAT('was sent while it was on hold: ', h.reason) AS detail
      FROM ${scope.about('attempts', 'a')}
      JOIN payout_holds h ON h.payment_id = a.payment_id
      JOIN payments p ON p.payment_id = a.payment_id
      WHERE a.operation = '${instructing}'
        AND (h.released_at IS NULL OR a.sent_at < h.released_at - ${clocksDifferBy})
        AND (h.until_at IS NULL OR a.sent_at < h.until_at - ${clocksDifferBy})`,
      // A manual change of a hold does not mark its payment as changed, so --changes reads all recent holds.
      (scope) => scope.pick(cutShort('payout_holds h'), cutShort(recentHolds)),
    ),
  },
];
