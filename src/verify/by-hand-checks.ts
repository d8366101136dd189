/** Ledger entries made by operators: each names its action, and one line of the audit log records that action and its amount. */
import type { PaymentState } from '../domain/payment';
import { isCurrency, parseAmount } from '../domain/money';
import { sourcesOf } from '../ledger/entry-sources';
import { booksOf, isEnding } from '../operator-actions/books';
import { isGenuine } from '../users/audit-log';
import { auditKeysOf, type Transaction } from '../store/database';
import { inChunks } from '../store/in-chunks';
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

/** The source of an entry, as `entrySources` names it. */
const sourceOf = (e: string) => `CONCAT(${e}.source_type, '/', SUBSTRING_INDEX(${e}.leg, ':', 1))`;
const byHand = sourcesOf('hand');
const typesByHand = [...new Set(byHand.map((source) => source.slice(0, source.indexOf('/'))))];
const isByHand = (e: string) =>
  `(${e}.source_type IN (${quoted(typesByHand)}) AND ${sourceOf(e)} IN (${quoted(byHand)}))`;

export const byHandChecks: Check[] = [
  {
    id: 'A3',
    promise:
      'each entry is of what is booked here; one by hand names its action, and one line of the audit log tells of that',
    find: together(
      bySql(
        (scope) => `
        SELECT CONCAT('entry ', e.entry_id) AS id,
               CONCAT('is ', e.source_type, ' ', e.source_id, ' ', e.leg, ', which nothing here books') AS detail
        FROM ledger_entries e
        WHERE ${sourceOf('e')} NOT IN (${quoted(sourcesOf('both'))}) AND ${scope.added('ledger_entries', 'e')}`,
        (scope) => `
        SELECT CONCAT('entry ', e.entry_id) AS id,
               CONCAT('is ', e.source_type, ' ', e.source_id, ' ', e.leg,
                      ', and moves money of ', a.code, ', which only people do') AS detail
        FROM ledger_accounts a
        STRAIGHT_JOIN ledger_postings p ON p.account_id = a.account_id
        STRAIGHT_JOIN ledger_entries e ON e.entry_id = p.entry_id
        WHERE a.class = 'bank' AND NOT ${isByHand('e')} AND ${scope.added('ledger_postings', 'p')}`,
        (scope) => `
        ${nameless('moved by hand')}
        FROM ledger_entries e
        WHERE ${isByHand('e')} AND e.action_id IS NULL AND ${scope.added('ledger_entries', 'e')}`,
        // From the log to the few entries of what people moved: nearly all entries name no action.
        (scope) => `
        ${nameless('decided by hand')}
        FROM ${scope.about('payment_log', 'l')}
        STRAIGHT_JOIN ledger_entries e FORCE INDEX (by_payment) ON e.payment_id = l.payment_id
        WHERE l.cause = 'operator' AND e.action_id IS NULL AND (${booked})`,
      ),
      entriesWithoutLine,
    ),
  },
];

/** What an action has booked from one source: by itself it may be a whole statement. */
interface Booked {
  action_id: string;
  source: string;
  entry_id: string | number;
}

/** An entry by hand, by each currency of it. */
interface ByHand extends Booked {
  source_id: string;
  currency: string | null;
  minor: string | null;
}

/** Entries of actions that the audit log does not record rightly: no line, more than one, a forged one, or another action. */
async function entriesWithoutLine({ trx, scope }: Snapshot): Promise<Violation[]> {
  const acting = await rowsOf<{ action_id: string }>(
    trx,
    `SELECT DISTINCT e.action_id FROM ledger_entries e
     WHERE e.action_id IS NOT NULL AND ${scope.added('ledger_entries', 'e')}`,
  );
  const [all, moved]: [Booked[], ByHand[]] = [[], []];
  for (const some of inChunks(acting)) {
    const ids = some.map(({ action_id: id }) => id);
    // With those of before: an action may have booked what it books already.
    const among = `e.action_id IN (${ids.map(() => '?').join(', ')})`;
    const sources = `
      SELECT e.action_id, ${sourceOf('e')} AS source, MIN(e.entry_id) AS entry_id
      FROM ledger_entries e FORCE INDEX (by_action)
      WHERE ${among}
      GROUP BY e.action_id, source`;
    all.push(...(await rowsOf<Booked>(trx, sources, ids)));
    const entries = `
      SELECT e.action_id, ${sourceOf('e')} AS source, e.entry_id, e.source_id, p.currency,
             CAST(SUM(p.amount) AS CHAR) AS minor
      FROM ledger_entries e FORCE INDEX (by_action)
      LEFT JOIN ledger_postings p ON p.entry_id = e.entry_id AND p.amount > 0
      WHERE ${among} AND ${isByHand('e')}
      GROUP BY e.action_id, source, e.entry_id, e.source_id, p.currency
      ORDER BY e.entry_id, p.currency`;
    moved.push(...(await rowsOf<ByHand>(trx, entries, ids)));
  }
  if (all.length === 0) return [];
  const linesOf = await linesOfActions(trx, new Set(all.map(({ action_id: id }) => id)));
  const movedIn = new Map<string, ByHand[]>();
  for (const row of moved) movedIn.set(row.action_id, [...(movedIn.get(row.action_id) ?? []), row]);
  const found: Violation[] = [];
  for (const one of all) {
    const lines = linesOf.get(one.action_id) ?? [];
    for (const { entry_id: entryId, fault } of faultsOf(one, lines, movedIn.get(one.action_id) ?? []))
      found.push({ id: `entry ${String(entryId)}`, detail: `is of action ${one.action_id}, ${fault}` });
    if (found.length >= violationsMax) break;
  }
  return found;
}

interface ActionLine {
  seq: string;
  isGenuine: boolean;
  action: string;
  subjectId: string;
  given: { amount?: unknown; currency?: unknown };
}

type Fault = Pick<Booked, 'entry_id'> & { fault: string };

function faultsOf(
  { entry_id, source }: Booked,
  lines: readonly ActionLine[],
  moved: readonly ByHand[],
): readonly Fault[] {
  const [line] = lines;
  if (!line) return [{ entry_id, fault: 'and no line of the audit log tells of that' }];
  if (lines.length > 1)
    return [{ entry_id, fault: `of which the lines ${lines.map(({ seq }) => seq).join(', ')} tell` }];
  if (!line.isGenuine)
    return [{ entry_id, fault: `and line ${line.seq} of the audit log, which tells of that, is not ours` }];
  const { sources, one } = booksOf(line.action);
  if (!sources.some((known) => known === source))
    return [{ entry_id, fault: `and ${line.action} of line ${line.seq} does not book ${source}` }];
  if (one === undefined) return [];
  return moved
    .filter((row) => row.source === source)
    .flatMap((row, n) => {
      const fault =
        n > 0 ? 'books once' : one === 'amount' ? anotherAmount(line, row) : anotherSubject(line, row);
      return fault === undefined
        ? []
        : [{ entry_id: row.entry_id, fault: `and ${line.action} of line ${line.seq} ${fault}` }];
    });
}

/** What the line says was asked for: a sign says only in which direction it goes. */
function anotherAmount({ given }: ActionLine, { currency, minor }: ByHand): string | undefined {
  const [amount, said] = [String(given.amount), String(given.currency)];
  const asked = isCurrency(said) ? parseAmount(amount.replace(/^[+-]/, ''), said) : undefined;
  const isSame = said === currency && asked?.toString() === minor;
  return isSame ? undefined : `books ${asked === undefined ? 'no amount' : `${amount} ${said}`}`;
}

function anotherSubject({ subjectId }: ActionLine, { source_id: id }: ByHand): string | undefined {
  return subjectId === id ? undefined : `is about ${subjectId}`;
}

/** A page of the log at a time: people write it. */
async function linesOfActions(
  trx: Transaction,
  actions: ReadonlySet<string>,
): Promise<Map<string, ActionLine[]>> {
  const found = new Map<string, ActionLine[]>();
  let after = '0';
  for (;;) {
    const lines = await trx('audit_log').where('seq', '>', after).orderBy('seq').limit(atOnce);
    const ours = lines.flatMap((line) => {
      const { action_id: actionId, given } = detailsOf(line);
      const isOurs = actionId !== undefined && !isEnding(line.action);
      return isOurs && actions.has(actionId) ? [{ line, actionId, given }] : [];
    });
    const seqs = ours.map(({ line }) => line.seq);
    const rows = seqs.length === 0 ? [] : await trx('audit_rows').whereIn('seq', seqs);
    for (const { line, actionId, given } of ours) {
      const own = rows.filter(({ seq }) => seq === line.seq);
      const { seq, action, subject_id: subjectId } = line;
      const one = { seq, action, subjectId, given, isGenuine: isGenuine(line, own, auditKeysOf(trx)) };
      found.set(actionId, [...(found.get(actionId) ?? []), one]);
    }
    if (lines.length < atOnce) return found;
    after = lines.at(-1)?.seq ?? after;
  }
}

interface Details {
  action_id?: string;
  given: ActionLine['given'];
}

/** Of a line that was written by us: others need not be JSON. */
function detailsOf({ details }: AuditLogRow): Details {
  if (!details.includes('"action_id"')) return { given: {} };
  try {
    const { action_id: id, given } = JSON.parse(details) as { action_id?: unknown; given?: unknown };
    return {
      ...(typeof id === 'string' && { action_id: id }),
      given: typeof given === 'object' && given !== null ? given : {},
    };
  } catch {
    return { given: {} };
  }
}
