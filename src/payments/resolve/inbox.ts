import { createHash } from 'node:crypto';
import { openRailCase } from '../../controls/cases';
import type { SignalSource } from '../../domain/commands';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Engine } from '../../rail-kit/engine';
import type { NotifiedPayment, ReceivedNotification, UnverifiedEvent } from '../../rail-kit/rail';
import type { InboxRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { findPayment } from '../read/payments';

type Taken = Extract<ReceivedNotification, { kind: 'take' }>;

/**
 * Stores a notification as received, and once. After this returns it is committed and may be acknowledged. A repeat
 * changes nothing.
 * @returns whether it is new.
 */
export async function storeNotification(
  { db }: Pick<PaymentsContext, 'db'>,
  rail: string,
  sourceAddress: string,
  received: Taken,
): Promise<boolean> {
  const eventKey = createHash('sha256').update(received.eventKey).digest();
  const receivedAt = new Date();
  const [inserted] = (await db('inbox')
    .insert({
      rail,
      event_key: eventKey,
      payment_id: received.payment?.payment_id ?? null,
      source_address: sourceAddress,
      body: received.body,
      ...inboxStateOf(received),
      received_at: receivedAt,
      follow_at: received.isProven ? null : receivedAt,
    })
    .onConflict()
    .ignore()) as [number];
  return inserted !== 0;
}

function inboxStateOf({
  payment,
  ignoredBecause,
}: Taken): Pick<InboxRow, 'state' | 'reason' | 'processed_at'> {
  if (ignoredBecause !== undefined) {
    return { state: 'ignored', reason: ignoredBecause, processed_at: new Date() };
  }
  return payment
    ? { state: 'new', reason: null, processed_at: null }
    : { state: 'parked', reason: 'no payment matches yet', processed_at: null };
}

/** Signals the payment's workflow to read its inbox. The sweeper repeats a lost signal. */
export async function signalWorkflow(
  context: PaymentsContext,
  engine: Engine,
  { payment_id: paymentId, workflow_id: workflowId }: NotifiedPayment,
  source: SignalSource,
): Promise<void> {
  try {
    if (await engine.signalRunning(workflowId, source)) return;
    const payment = await findPayment(context.db, paymentId);
    if (payment) await engine.signalOrStart(payment, source);
  } catch (error) {
    context.log.warn('a payment could not be signalled; the sweeper will retry', {
      payment_id: paymentId,
      error,
    });
  }
}

// Parked notifications, which came before their payment could be found. They are matched again for a limited time.

interface ParkedAges {
  /** Milliseconds between two matching attempts for one notification. */
  pollEveryMs: number;
  /** Milliseconds after which it is given up: a payment's row is older than any notification about it. */
  giveUpAfterMs: number;
}

const parkedAges: ParkedAges = { pollEveryMs: 30_000, giveUpAfterMs: 600_000 };

const batch = 100;

/**
 * Assigns parked notifications to their payments. It is safe to run twice, and in several processes at once.
 * @returns how many found their payment; the sweeper signals those payments.
 */
export async function matchParked(context: PaymentsContext, ages: ParkedAges = parkedAges): Promise<number> {
  const { db } = context;
  const before = new Date(Date.now() - ages.pollEveryMs);
  const parked = await db('inbox')
    .where({ state: 'parked' })
    .where((row) => void row.whereNull('processed_at').orWhere('processed_at', '<', before))
    .orderBy('received_at')
    .limit(batch);
  let matched = 0;
  for (const row of parked) if (await matchOne(context, row, ages)) matched += 1;
  return matched;
}

async function matchOne(
  { db, rails, log }: PaymentsContext,
  { inbox_id, rail, body, received_at: receivedAt }: InboxRow,
  { giveUpAfterMs }: ParkedAges,
): Promise<boolean> {
  // For a rail that this deployment no longer serves nothing can be found, but an operator gets a case all the same.
  const payment = await rails.all.find(({ name }) => name === rail)?.matchNotification?.(db, body);
  const still = { inbox_id, state: 'parked' } as const;
  if (payment) {
    const found = { payment_id: payment.payment_id, state: 'new', reason: null, processed_at: null } as const;
    return (await db('inbox').where(still).update(found)) === 1;
  }
  const now = new Date();
  if (now.getTime() - receivedAt.getTime() < giveUpAfterMs) {
    await db('inbox').where(still).update({ processed_at: now });
    return false;
  }
  await inTransaction(db, async (trx) => {
    const given = await trx('inbox')
      .where(still)
      .update({ state: 'ignored', reason: 'no payment matches', processed_at: now });
    if (given !== 1) return;
    await openRailCase(trx, rail, 'unmatched_notification', `inbox ${inbox_id}`);
  });
  log.warn('a notification matches no payment; retries ended', { rail, inbox_id });
  return false;
}

const second = 1_000;

/**
 * How many unverified events in a row cause a poll at once although they change nothing: copies, and a true one after
 * a false one.
 */
const atOnce = 3;
/** The delay of the next one; each delay is twice the one before. */
const wait = { firstMs: 10 * second, longestMs: 24 * 3_600 * second };

/** `follow`: poll the provider now. `later`: the sweeper polls. `known`: an unread one exists already. */
export type StoredUnverified = 'follow' | 'later' | 'known';

/**
 * Stores an unverified event. A payment has at most one that is unread. The more of them have changed nothing, the
 * later the next one causes a poll. An unauthenticated caller who repeats them forever therefore causes few rows and
 * few polls.
 */
export async function storeUnverified(
  { db, timeScale }: Pick<PaymentsContext, 'db' | 'timeScale'>,
  rail: string,
  { payment: { payment_id }, body, sourceAddress }: UnverifiedEvent,
): Promise<StoredUnverified> {
  const last = await db('inbox')
    .where({ payment_id })
    .whereNotNull('follow_at')
    .orderBy('inbox_id', 'desc')
    .first('inbox_id', 'state', 'processed_at', 'follow_at', 'repeats');
  if (last?.state === 'new' && last.processed_at === null) return 'known';
  const now = Date.now();
  const futile = last?.state === 'applied' ? undefined : last;
  const repeats = futile ? futile.repeats + 1 : 0;
  const due = (futile?.follow_at?.getTime() ?? 0) + waitMs(repeats) / timeScale;
  const followAt = Math.min(Math.max(now, due), now + wait.longestMs / timeScale);
  const [inserted] = (await db('inbox')
    .insert({
      rail,
      // Concurrent events that saw the same last event get the same key, so that only the first is stored.
      event_key: createHash('sha256')
        .update(`${payment_id}:${last?.inbox_id ?? 'first'}`)
        .digest(),
      payment_id,
      source_address: sourceAddress,
      body,
      state: 'new',
      reason: null,
      received_at: new Date(now),
      processed_at: null,
      follow_at: new Date(followAt),
      repeats,
    })
    .onConflict()
    .ignore()) as [number];
  if (inserted === 0) return 'known';
  return followAt > now ? 'later' : 'follow';
}

/**
 * Whether an unverified event repeats events that changed nothing. The review then no longer waits for another
 * provider result.
 */
export function isRepetition({ repeats }: { repeats: number }): boolean {
  return repeats >= atOnce;
}

function waitMs(repeats: number): number {
  return repeats < atOnce ? 0 : Math.min(wait.longestMs, wait.firstMs * 2 ** (repeats - atOnce));
}
