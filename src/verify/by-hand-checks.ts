/** Ledger entries made by operators: each names its action, and the audit log has a line for that action. */
import type { PaymentState } from '../domain/payment';
import { isGenuine } from '../users/audit-log';
import { auditKeysOf, type Transaction } from '../store/database';
import type { AuditLogRow } from '../store/tables';
import {
  bySql,
  quoted,
  rowsOf,
  together,
  violationsMax,
  type Check,
  type Snapshot,
  type Violation,
} from './check';

const atOnce = 1_000;

/** What names no action: the entry, and why somebody must have made it. */
const nameless = (why: string) => `
  SELECT CONCAT('entry ', e.entry_id) AS id,
         CONCAT('is ', e.source_type, ' ', e.source_id, ' ', e.leg, ', ${why}, and names no action') AS detail`;

/** What a payment has booked as a person has moved it there: each of these legs is booked once (L5). */
const legs = {
  succeeded: ['credit', 'credit:out', 'credit:in', 'convert', 'charge', 'post'],
  failed: ['release'],
  returned: ['returned', 'returned:out', 'returned:in'],
} as const satisfies Partial<Record<PaymentState, readonly string[]>>;
const booked = Object.entries(legs)
  .map(([state, of]) => `(l.to_state = '${state}' AND e.leg IN (${quoted(of)}))`)
  .join(' OR ');

export const byHandChecks: Check[] = [
  {
    id: 'A3',
    promise: 'each entry by hand names its action, and one line of the audit log tells of that',
    find: together(
      bySql(
        (scope) => `
        ${nameless('moved by hand')}
        FROM ledger_entries e
        WHERE e.source_type = 'transfer' AND e.action_id IS NULL AND ${scope.added('ledger_entries', 'e')}`,
        (scope) => `
        ${nameless('decided by hand')}
        FROM ledger_entries e
        WHERE e.source_type = 'orphan' AND (e.leg LIKE 'claimed:%' OR e.leg LIKE 'returned:%')
          AND e.action_id IS NULL AND ${scope.added('ledger_entries', 'e')}`,
        // From the log to the few entries of what people moved: nearly all entries name no action.
        (scope) => `
        ${nameless('decided by hand')}
        FROM ${scope.about('payment_log', 'l')}
        STRAIGHT_JOIN ledger_entries e FORCE INDEX (by_payment) ON e.payment_id = l.payment_id
        WHERE l.cause = 'operator' AND e.action_id IS NULL AND (${booked})`,
      ),
      untoldActions,
    ),
  },
];

/** Actions that have booked something, and no line of the audit log tells of, or more than one, or one that is not ours. */
async function untoldActions({ trx, scope }: Snapshot): Promise<Violation[]> {
  const acting = await rowsOf<{ action_id: string; entry_id: string | number }>(
    trx,
    `SELECT e.action_id, MIN(e.entry_id) AS entry_id
     FROM ledger_entries e
     WHERE e.action_id IS NOT NULL AND ${scope.added('ledger_entries', 'e')}
     GROUP BY e.action_id`,
  );
  if (acting.length === 0) return [];
  const told = await linesThatTell(trx, new Set(acting.map(({ action_id: id }) => id)));
  const found: Violation[] = [];
  for (const { action_id: actionId, entry_id: entryId } of acting) {
    const lines = told.get(actionId) ?? [];
    const fault = faultOf(lines);
    if (!fault) continue;
    found.push({ id: `entry ${String(entryId)}`, detail: `is of action ${actionId}, ${fault}` });
    if (found.length >= violationsMax) break;
  }
  return found;
}

interface Telling {
  seq: string;
  isGenuine: boolean;
}

function faultOf(lines: readonly Telling[]): string | undefined {
  const [line] = lines;
  if (!line) return 'and no line of the audit log tells of that';
  if (lines.length > 1) return `of which the lines ${lines.map(({ seq }) => seq).join(', ')} tell`;
  return line.isGenuine
    ? undefined
    : `and line ${line.seq} of the audit log, which tells of that, is not ours`;
}

/** A page of the log at a time: people write it. */
async function linesThatTell(
  trx: Transaction,
  actions: ReadonlySet<string>,
): Promise<Map<string, Telling[]>> {
  const told = new Map<string, Telling[]>();
  let after = '0';
  for (;;) {
    const lines = await trx('audit_log').where('seq', '>', after).orderBy('seq').limit(atOnce);
    const telling = lines.flatMap((line) => {
      const actionId = actionOf(line);
      return actionId !== undefined && actions.has(actionId) ? [{ line, actionId }] : [];
    });
    const seqs = telling.map(({ line }) => line.seq);
    const rows = seqs.length === 0 ? [] : await trx('audit_rows').whereIn('seq', seqs);
    for (const { line, actionId } of telling) {
      const own = rows.filter(({ seq }) => seq === line.seq);
      const one = { seq: line.seq, isGenuine: isGenuine(line, own, auditKeysOf(trx)) };
      told.set(actionId, [...(told.get(actionId) ?? []), one]);
    }
    if (lines.length < atOnce) return told;
    after = lines.at(-1)?.seq ?? after;
  }
}

/** Of a line that was written by us: others need not be JSON. */
function actionOf({ details }: AuditLogRow): string | undefined {
  if (!details.includes('"action_id"')) return undefined;
  try {
    const { action_id: id } = JSON.parse(details) as { action_id?: unknown };
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}
