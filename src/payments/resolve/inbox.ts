import { createHash } from 'node:crypto';
import { openRailCase } from '../../controls/cases';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Engine } from '../../rail-kit/engine';
import type { NotifiedPayment, ReceivedNotification, StrangersHint } from '../../rail-kit/rail';
import type { InboxRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { findPayment } from '../read/payments';

type Taken = Extract<ReceivedNotification, { kind: 'take' }>;

/**
 * Stores a notification, raw and once. When this returns it is committed and may be acknowledged; a repeat
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
      ...standingOf(received),
      received_at: receivedAt,
      follow_at: received.isProven ? null : receivedAt,
    })
    .onConflict()
    .ignore()) as [number];
  return inserted !== 0;
}

function standingOf({ payment, ignoredBecause }: Taken): Pick<InboxRow, 'state' | 'reason' | 'processed_at'> {
  if (ignoredBecause !== undefined) {
    return { state: 'ignored', reason: ignoredBecause, processed_at: new Date() };
  }
  return payment
    ? { state: 'new', reason: null, processed_at: null }
    : { state: 'parked', reason: 'no payment matches yet', processed_at: null };
}

/** Tells the payment's workflow that there is something to read. A lost nudge is repeated by the sweeper. */
export async function nudge(
  context: PaymentsContext,
  engine: Engine,
  { payment_id: paymentId, workflow_id: workflowId }: NotifiedPayment,
): Promise<void> {
  try {
    if (await engine.nudge(workflowId)) return;
    const payment = await findPayment(context.db, paymentId);
    if (payment) await engine.wake(payment);
  } catch (error) {
    context.log.warn('a payment could not be nudged; the sweeper will', { payment_id: paymentId, error });
  }
}

// Notifications that came before their payment could be found: they are looked at again, and not for ever.

interface ParkedAges {
  /** Milliseconds between two looks at one. */
  lookEveryMs: number;
  /** Milliseconds after which it is given up: a payment's row is older than any word of its provider. */
  giveUpAfterMs: number;
}

const parkedAges: ParkedAges = { lookEveryMs: 30_000, giveUpAfterMs: 600_000 };

const batch = 100;

/**
 * Gives parked notifications to the payments that they are about. Safe to run twice and by several processes at once.
 * @returns how many found theirs; the sweeper wakes those payments.
 */
export async function matchParked(context: PaymentsContext, ages: ParkedAges = parkedAges): Promise<number> {
  const { db } = context;
  const before = new Date(Date.now() - ages.lookEveryMs);
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
  // Of a rail that this deployment serves no more nothing can be found, and a person is told of it all the same.
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
  log.warn('a notification matches no payment and was given up', { rail, inbox_id });
  return false;
}

const second = 1_000;

/** How many in a row are followed at once although they change nothing: copies, and the true one behind a false one. */
const atOnce = 3;
/** How long the next one waits, each twice as long as the one before. */
const wait = { firstMs: 10 * second, longestMs: 24 * 3_600 * second };

/** `follow`: the provider is to be asked now. `later`: the sweeper sees to it. `known`: one like it waits already. */
export type StoredHint = 'follow' | 'later' | 'known';

/**
 * Stores a hint. There is one unread hint of a payment at most, and the more of them have changed nothing the later the
 * next one is followed, so that a stranger who repeats them for ever makes few rows and few questions of them.
 */
export async function storeHint(
  { db, timeScale }: Pick<PaymentsContext, 'db' | 'timeScale'>,
  rail: string,
  { payment: { payment_id }, body, sourceAddress }: StrangersHint,
): Promise<StoredHint> {
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
      // Of several at once, all of which saw the same last one, the first is kept.
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

/** Whether a hint is a repetition of ones that changed nothing: the provider's answer to it is waited for no longer. */
export function isRepetition({ repeats }: { repeats: number }): boolean {
  return repeats >= atOnce;
}

function waitMs(repeats: number): number {
  return repeats < atOnce ? 0 : Math.min(wait.longestMs, wait.firstMs * 2 ** (repeats - atOnce));
}
