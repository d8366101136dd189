import type { Attention } from '../../domain/commands';
import type { PaymentState } from '../../domain/payment';
import type { Database, Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import type { Hold } from './on-hold';

/** The reasons of a payment's open cases. */
export async function openCasesOf(db: Database | Transaction, paymentId: string): Promise<string[]> {
  const rows = await db('cases')
    .where({ payment_id: paymentId })
    .whereNull('closed_at')
    .orderBy('case_id')
    .select('reason');
  return rows.map(({ reason }) => reason);
}

/** What a workflow shows of a payment besides its state: its open cases, and why it is not paid. */
export async function casesAndCodeOf(
  db: Database | Transaction,
  payment: Pick<PaymentRow, 'payment_id' | 'state' | 'failure_code' | 'result_code'>,
): Promise<{ openCases: string[]; code?: string }> {
  const code = payment.failure_code ?? payment.result_code;
  const isUnpaid = unpaid.has(payment.state) && code !== null && code !== '';
  return { openCases: await openCasesOf(db, payment.payment_id), ...(isUnpaid && { code }) };
}

const unpaid: ReadonlySet<PaymentState> = new Set(['failed', 'cancelled', 'timed_out']);

/** What a workflow shows of a payment that is not sent yet. @param hold why not, where it is on hold. */
export async function attentionOf(
  db: Database,
  paymentId: string,
  hold: Hold | undefined,
): Promise<Attention> {
  const until = hold?.untilAt?.toISOString();
  return {
    ...(hold && { hold: { reason: hold.holdReason, ...(until !== undefined && { until }) } }),
    openCases: await openCasesOf(db, paymentId),
  };
}
