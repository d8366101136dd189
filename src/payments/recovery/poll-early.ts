/**
 * Polls payments earlier when their provider's notifications have stopped. It brings the rows' next check forward,
 * and the sweeper treats them like any due check. The poll schedules of the workflows stay as they are.
 */
import { lastCheckAt } from '../../domain/poll-schedule';
import type { Database, Transaction } from '../../store/database';
import type { CallbackHealthRow, PaymentRow } from '../../store/tables';
import { keyOf } from '../resolve/notifications/counts';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Durations } from '../../rail-kit/uncertainty';
import { accountOf, operationOf, type Rail } from '../../rail-kit/rail';
import { creationTimeOf, nowOf } from '../read/payment-clock';

/**
 * Extra polls per second for one account at its provider, however many payments are open and however many workers
 * run. The scheduled checks are not counted. No provider has published a lower limit.
 */
const perSecond = 5;
/** A worker that was away catches up no more than this. */
const roundMostMs = 10_000;
/** Rows that one run reads. The next run continues after them. */
const scanned = 1_000;
/** The least time between two checks of a payment: an eighth of its age, and never less than this. */
const pause = { leastMs: 10_000, share: 1 / 8 };
/** An older payment is polled as often as its own schedule says. */
const ageMostMs = 2 * 3_600_000;

const waiting = ['pending', 'queued', 'processing'];

export type Waiting = Pick<
  PaymentRow,
  | 'payment_id'
  | 'rail'
  | 'kind'
  | 'provider'
  | 'state'
  | 'created_at'
  | 'accepted_at'
  | 'accepted_ahead_ms'
  | 'signalled_at'
  | 'provider_reference'
  | 'clock_ahead_ms'
> & { next_check_at: Date };

/** The last row that was read, for each kind of payment of an account. */
type Laps = Map<string, Waiting | undefined>;

export type EarlyPolls = (health: readonly CallbackHealthRow[], sinceMs: number) => Promise<number>;

/** One for each process. Its position in the open payments is kept in memory only, and losing it costs nothing. */
export function earlyPolls(context: PaymentsContext): EarlyPolls {
  const laps: Laps = new Map();
  /** @returns how many payments were brought forward. */
  return async (health, sinceMs) => {
    const stopped = health.filter(({ verdict }) => verdict === 'stopped');
    const accounts = new Map<string, number>();
    let taken = 0;
    for (const source of stopped) {
      const rail = context.rails.all.find(({ name }) => name === source.rail);
      if (!rail) continue;
      const left = accounts.get(source.account) ?? budgetOf(sinceMs);
      const moved = await takeForward(context, rail, source, { laps, atMost: left });
      accounts.set(source.account, left - moved);
      taken += moved;
    }
    return taken;
  };
}

function budgetOf(sinceMs: number): number {
  return Math.ceil((Math.min(sinceMs, roundMostMs) / 1_000) * perSecond);
}

async function takeForward(
  { db, timeScale }: PaymentsContext,
  rail: Rail,
  source: CallbackHealthRow,
  { laps, atMost }: { laps: Laps; atMost: number },
): Promise<number> {
  if (atMost <= 0) return 0;
  const behind = await rowsBehind(db, rail.name, laps.get(keyOf(source)));
  const found = behind.length > 0 ? behind : await rowsBehind(db, rail.name, undefined);
  laps.set(keyOf(source), found.length === scanned ? found.at(-1) : undefined);
  const due = found
    .filter((row) => row.kind === source.kind && accountOf(rail, row) === source.account)
    .filter((row) => isDueSooner(operationOf(rail, row).policy, row, timeScale))
    // The newest payments first: their notification is the most likely to be lost.
    .sort((a, b) => creationTimeOf(b).getTime() - creationTimeOf(a).getTime())
    .slice(0, atMost);
  if (due.length === 0) return 0;
  const ids = due.map(({ payment_id: id }) => id);
  const now = new Date();
  return db('payments')
    .whereIn('payment_id', ids)
    .where({ is_final: 0, signals: 0 })
    .where('next_check_at', '>', now)
    .update({ next_check_at: now });
}

/** Exported for the test that inspects the database's query plan. */
export function rowsBehind(
  db: Database | Transaction,
  rail: string,
  behind: Waiting | undefined,
): Promise<Waiting[]> {
  const query = db('payments')
    // A row that was claimed without a check rests ever longer. An early poll does not end that rest.
    .where({ is_final: 0, rail, signals: 0 })
    .where('next_check_at', '>=', behind?.next_check_at ?? new Date())
    .orderBy(['next_check_at', 'payment_id'])
    .limit(scanned);
  if (behind) {
    const { next_check_at: at, payment_id: id } = behind;
    void query.whereRaw('NOT (next_check_at = ? AND payment_id <= ?)', [at, id]);
  }
  return query.select<Waiting[]>(
    ...([
      'payment_id',
      'rail',
      'kind',
      'provider',
      'state',
      'created_at',
      'accepted_at',
      'accepted_ahead_ms',
    ] as const),
    ...(['signalled_at', 'next_check_at', 'provider_reference', 'clock_ahead_ms'] as const),
  );
}

/**
 * Whether a payment is due for an early poll, because its provider sends no notifications. Pure except for the clock.
 */
export function isDueSooner(policy: Durations, payment: Waiting, timeScale: number): boolean {
  const {
    state,
    signalled_at: signalledAt,
    clock_ahead_ms: aheadMs,
    provider_reference: reference,
  } = payment;
  const acceptedAt = creationTimeOf(payment).getTime();
  const ageMs = nowOf(payment) - acceptedAt;
  if (!waiting.includes(state) || ageMs > ageMostMs / timeScale) return false;
  const signalledMs = signalledAt ? signalledAt.getTime() + Number(aheadMs) - acceptedAt : 0;
  const facts = { state, acceptedAt, isNamed: reference !== null };
  const checkedMs = (lastCheckAt(policy, facts, acceptedAt + ageMs) ?? acceptedAt) - acceptedAt;
  const lastCheckMs = Math.max(signalledMs, checkedMs);
  return ageMs - lastCheckMs >= Math.max(pause.leastMs / timeScale, ageMs * pause.share);
}
