/** One payment of any rail as a test follows it: what was stored, booked, told, and given to a person to look at. */
import { finalStates, type PaymentState } from '../../src/domain/payment';
import { waitFor } from '../../tools/sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../src/payments/read/payments';
import type { Database } from '../../src/store/database';
import type { InboxRow, OutboxRow, PaymentRow } from '../../src/store/tables';

const patienceMs = 30_000;

/** Waits until the payment is in one of these states; any final one when none is named. Told with it when it is not: why. */
export async function ended(
  db: Database,
  paymentId: string,
  states: readonly PaymentState[] = finalStates,
  timeoutMs = patienceMs,
): Promise<PaymentRow> {
  const story = waitFor(
    async () => {
      const payment = await getPaymentOrThrow(db, paymentId);
      return states.includes(payment.state) ? payment : undefined;
    },
    { what: `payment ${paymentId} to be ${states.join(' or ')}`, timeoutMs },
  );
  return story.catch(async (error: unknown) => {
    const told = error instanceof Error ? error.message : String(error);
    throw new Error(`${told}, where it stands so: ${await howItStands(db, paymentId)}`, { cause: error });
  });
}

/** All that a payment went through, for who finds it where it should not be. */
async function howItStands(db: Database, paymentId: string): Promise<string> {
  const of = { payment_id: paymentId };
  const [payment, log, attempts, inbox, cases, outbox] = await Promise.all([
    db('payments')
      .where(of)
      .first(
        'state',
        'provider_reference',
        'next_check_at',
        'woken_at',
        'wakes',
        'clock_ahead_ms',
        'created_at',
      ),
    db('payment_log').where(of).orderBy('log_id'),
    db('attempts').where(of).orderBy('n'),
    db('inbox')
      .where(of)
      .orderBy('inbox_id')
      .select('state', 'reason', 'received_at', 'processed_at', 'follow_at', 'repeats'),
    db('cases').where(of).orderBy('case_id').select('reason', 'detail', 'closed_at'),
    db('outbox').where(of).orderBy('webhook_id').select('to_state', 'state', 'tries'),
  ]);
  const now = new Date().toISOString();
  return JSON.stringify({ now, payment, log, attempts, inbox, cases, outbox });
}

/** Waits until every notification so far is dealt with and every webhook so far has arrived. */
export function atRest(db: Database, paymentId: string, timeoutMs = patienceMs): Promise<true> {
  return waitFor(
    async () => {
      const unread = await db('inbox').where({ payment_id: paymentId, state: 'new' }).first('inbox_id');
      const owed = await db('outbox').where({ payment_id: paymentId, state: 'pending' }).first('webhook_id');
      return unread || owed ? undefined : true;
    },
    { what: `payment ${paymentId} to be at rest`, timeoutMs },
  );
}

/** What was reported about a payment, oldest first. */
export function inboxOf(db: Database, paymentId: string): Promise<InboxRow[]> {
  return db('inbox').where({ payment_id: paymentId }).orderBy('inbox_id');
}

/** Waits until every report was looked at, whether it could be acted upon or not. */
export function lookedAt(db: Database, paymentId: string): Promise<true> {
  return waitFor(
    async () => {
      const rows = await inboxOf(db, paymentId);
      return rows.every(({ processed_at: at }) => at !== null) ? true : undefined;
    },
    { what: `every report about ${paymentId} to be looked at`, timeoutMs: patienceMs },
  );
}

/** The bodies of a payment's webhooks, oldest first. */
export async function webhooksOf<T = Record<string, unknown>>(db: Database, paymentId: string): Promise<T[]> {
  const rows: OutboxRow[] = await db('outbox').where({ payment_id: paymentId }).orderBy('webhook_id');
  return rows.map(({ body }) => JSON.parse(body) as T);
}

export async function openCasesOf(db: Database, paymentId: string): Promise<string[]> {
  const rows = await db('cases').where({ payment_id: paymentId }).whereNull('closed_at').orderBy('case_id');
  return rows.map(({ reason }) => reason);
}

/** Waits until a person is asked about the payment. @returns the reasons of the open cases. */
export function caseOpened(db: Database, paymentId: string, timeoutMs = patienceMs): Promise<string[]> {
  return waitFor(
    async () => {
      const reasons = await openCasesOf(db, paymentId);
      return reasons.length > 0 ? reasons : undefined;
    },
    { what: `a case about payment ${paymentId}`, timeoutMs },
  );
}

/** The minor units credited to a wallet for a payment, one figure per credit; what is held of it stays its own. */
export async function creditsOf(db: Database, paymentId: string): Promise<bigint[]> {
  const rows = await db('ledger_postings as l')
    .join('ledger_entries as e', 'e.entry_id', 'l.entry_id')
    .join('ledger_accounts as a', 'a.account_id', 'l.account_id')
    .where({ 'e.payment_id': paymentId, 'a.class': 'wallet' })
    .whereNot('e.leg', 'like', 'change:%')
    .select<{ amount: string }[]>('l.amount');
  return rows.map(({ amount }) => BigInt(amount));
}
