import type { Finding } from '../domain/outcome';
import type { AttemptRow, PaymentRow } from '../store/tables';
import type { PaymentsContext } from './context';
import type { Operation, ProviderCall } from './rail';

const operation = 'capture';

const attemptStateAfter: Partial<Record<Finding['kind'], AttemptRow['state']>> = {
  unknown: 'unknown',
  failed: 'refused',
};

/**
 * Takes the money of a payment its customer has approved. The provider drops repeats by the payment's own key, so it
 * is one attempt however often it is sent; it is written down before it is sent all the same.
 */
export async function capture(
  { db }: PaymentsContext,
  rail: Operation,
  payment: PaymentRow,
  call: ProviderCall,
): Promise<Finding> {
  if (!rail.capture) throw new Error(`rail ${payment.rail} captures nothing`);
  const key = { payment_id: payment.payment_id, operation, n: 1 };
  await db('attempts')
    .insert({
      ...key,
      provider_key: payment.payment_id,
      state: 'sent',
      code: null,
      detail: null,
      sent_at: new Date(),
      answered_at: null,
    })
    .onConflict()
    .ignore();
  const finding = await rail.capture(payment, call);
  await db('attempts')
    .where(key)
    .update({
      state: attemptStateAfter[finding.kind] ?? 'accepted',
      code: 'code' in finding ? finding.code.slice(0, 64) : null,
      detail: finding.text?.slice(0, 1000) ?? null,
      answered_at: new Date(),
    });
  return finding;
}
