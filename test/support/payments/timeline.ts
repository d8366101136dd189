/** One payment of any rail for a test: what was stored, booked, notified, and opened as a case. */
import { finalStates, type PaymentState } from '../../../src/domain/payment';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import type { Database } from '../../../src/store/database';
import type { InboxRow, OutboxRow, PaymentRow } from '../../../src/store/tables';

const patienceMs = 30_000;

/**
 * Waits until the payment is in one of these states, or in any final one if none is given. If it never is, the error
 * contains the payment's history.
 */
export async function ended(
  db: Database,
  paymentId: string,
  states: readonly PaymentState[] = finalStates,
  timeoutMs = patienceMs,
): Promise<PaymentRow> {
  const history = waitFor(
    async () => {
      const payment = await getPaymentOrThrow(db, paymentId);
      return states.includes(payment.state) ? payment : undefined;
    },
    { what: `payment ${paymentId} to be ${states.join(' or ')}`, timeoutMs },
  );
  return history.catch(async (error: unknown) => {
    const reported = error instanceof Error ? error.message : String(error);
    throw new Error(`${reported}, where it stands so: ${await howItStands(db, paymentId)}`, { cause: error });
  });
}

/** The whole history of a payment, for a reader who finds it in the wrong state. */
async function howItStands(db: Database, paymentId: string): Promise<string> {
  const of = { payment_id: paymentId };
  const [payment, log, attempts, inbox, cases, outbox] = await Promise.all([
    db('payments')
      .where(of)
      .first(
        'state',
        'provider_reference',
        'next_check_at',
        'signalled_at',
        'signals',
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

/** Waits until every notification so far is processed and every webhook so far is delivered. */
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

/** The reports about a payment, oldest first. */
export function inboxOf(db: Database, paymentId: string): Promise<InboxRow[]> {
  return db('inbox').where({ payment_id: paymentId }).orderBy('inbox_id');
}

/** Waits until every report was processed, with or without an effect. */
export function checkedAt(db: Database, paymentId: string): Promise<true> {
  return waitFor(
    async () => {
      const rows = await inboxOf(db, paymentId);
      return rows.every(({ processed_at: at }) => at !== null) ? true : undefined;
    },
    { what: `every report about ${paymentId} to be processed`, timeoutMs: patienceMs },
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

/** Waits until the payment has an open case. @returns the reasons of the open cases. */
export function caseOpened(db: Database, paymentId: string, timeoutMs = patienceMs): Promise<string[]> {
  return waitFor(
    async () => {
      const reasons = await openCasesOf(db, paymentId);
      return reasons.length > 0 ? reasons : undefined;
    },
    { what: `a case about payment ${paymentId}`, timeoutMs },
  );
}

/** The minor units credited to a wallet for a payment, one number per credit; reserved money is included. */
export async function creditsOf(db: Database, paymentId: string): Promise<bigint[]> {
  const rows = await db('ledger_postings as l')
    .join('ledger_entries as e', 'e.entry_id', 'l.entry_id')
    .join('ledger_accounts as a', 'a.account_id', 'l.account_id')
    .where({ 'e.payment_id': paymentId, 'a.class': 'wallet' })
    .whereNot('e.leg', 'like', 'change:%')
    .select<{ amount: string }[]>('l.amount');
  return rows.map(({ amount }) => BigInt(amount));
}
