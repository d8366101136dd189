/** Checks ledger entries of operators: each names its action, and one audit line records that action and its amount. */
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

/** Selects an entry without an action, with the reason why it needs one. */
const nameless = (why: string) => `
  SELECT CONCAT('entry ', e.entry_id) AS id,
         CONCAT('is ', e.source_type, ' ', e.source_id, ' ', e.leg, ', ${why}, and names no action') AS detail`;

/** The legs that a payment books when an operator moves it to a state: each is booked once (L5). */
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

export const manualChecks: Check[] = [
  {
    id: 'A3',
    promise: 'each entry has a known source; a manual entry names its action, and one audit line records it',
    find: together(
      bySql(
        (scope) => `
        SELECT CONCAT('entry ', e.entry_id) AS id,
               CONCAT('is ', e.source_type, ' ', e.source_id, ' ', e.leg, ', which Malipo never books') AS detail
        FROM ledger_entries e
        WHERE ${sourceOf('e')} NOT IN (${quoted(sourcesOf('both'))}) AND ${scope.added('ledger_entries', 'e')}`,
        (scope) => `
        SELECT CONCAT('entry ', e.entry_id) AS id,
               CONCAT('is ', e.source_type, ' ', e.source_id, ' ', e.leg,
                      ', and moves money of ', a.code, ', which only operators do') AS detail
        FROM ledger_accounts a
        STRAIGHT_JOIN ledger_postings p ON p.account_id = a.account_id
        STRAIGHT_JOIN ledger_entries e ON e.entry_id = p.entry_id
        WHERE a.class = 'bank' AND NOT ${isByHand('e')} AND ${scope.added('ledger_postings', 'p')}`,
        (scope) => `
        ${nameless('moved by hand')}
        FROM ledger_entries e
        WHERE ${isByHand('e')} AND e.action_id IS NULL AND ${scope.added('ledger_entries', 'e')}`,
        // Starts at the log, which has few lines of operators: nearly all entries name no action.
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

/** The entries of an action from one source. There may be very many, such as those of a whole statement. */
interface Booked {
  action_id: string;
  source: string;
  entry_id: string | number;
}

/** A manual entry, once for each of its currencies. */
interface ByHand extends Booked {
  source_id: string;
  currency: string | null;
  minor: string | null;
}

/** Entries whose audit line is wrong: missing, repeated, forged, or of another action. */
async function entriesWithoutLine({ trx, scope }: Snapshot): Promise<Violation[]> {
  const acting = await rowsOf<{ action_id: string }>(
    trx,
    `SELECT DISTINCT e.action_id FROM ledger_entries e
     WHERE e.action_id IS NOT NULL AND ${scope.added('ledger_entries', 'e')}`,
  );
  const [all, moved]: [Booked[], ByHand[]] = [[], []];
  for (const some of inChunks(acting)) {
    const ids = some.map(({ action_id: id }) => id);
    // Also older entries: the action may have booked the same before.
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
  if (!line) return [{ entry_id, fault: 'but no line of the audit log records it' }];
  if (lines.length > 1)
    return [
      {
        entry_id,
        fault: `which lines ${lines.map(({ seq }) => seq).join(', ')} of the audit log all record`,
      },
    ];
  if (!line.isGenuine)
    return [{ entry_id, fault: `but line ${line.seq} of the audit log, which records it, is forged` }];
  const { sources, one } = booksOf(line.action);
  if (!sources.some((known) => known === source))
    return [{ entry_id, fault: `but ${line.action} of line ${line.seq} does not book ${source}` }];
  if (one === undefined) return [];
  return moved
    .filter((row) => row.source === source)
    .flatMap((row, n) => {
      const fault =
        n > 0 ? 'books once' : one === 'amount' ? anotherAmount(line, row) : anotherSubject(line, row);
      return fault === undefined
        ? []
        : [{ entry_id: row.entry_id, fault: `but ${line.action} of line ${line.seq} ${fault}` }];
    });
}

/** Compares with the amount of the audit line, without its sign, which is only the direction. */
function anotherAmount({ given }: ActionLine, { currency, minor }: ByHand): string | undefined {
  const [amount, named] = [String(given.amount), String(given.currency)];
  const asked = isCurrency(named) ? parseAmount(amount.replace(/^[+-]/, ''), named) : undefined;
  const isSame = named === currency && asked?.toString() === minor;
  return isSame ? undefined : `books ${asked === undefined ? 'no amount' : `${amount} ${named}`}`;
}

function anotherSubject({ subjectId }: ActionLine, { source_id: id }: ByHand): string | undefined {
  return subjectId === id ? undefined : `is about ${subjectId}`;
}

/** Reads the log a page at a time. It is short, because only operators write it. */
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

/** Parses the details. A forged line may not be JSON. */
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
