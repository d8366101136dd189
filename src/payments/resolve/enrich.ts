import type { Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { nextChange } from '../../store/transaction';
import type { Decision } from '../transition/outcome-decision';
import { receiptOf } from '../../rail-kit/notices';
import { nowOf } from '../read/payment-clock';

/** Adds what a notification or an answer told to a payment that stays in its state. */
export async function enrich(
  trx: Transaction,
  payment: PaymentRow,
  enrichment: Decision['enrichment'],
  { remember, warned }: { remember: string | undefined; warned: Record<string, string> | undefined },
): Promise<void> {
  const seen =
    remember === undefined
      ? {}
      : { tentative_code: remember, tentative_at: new Date(nowOf(payment)).toISOString() };
  const isNamed = enrichment?.kind === 'succeeded' && enrichment.amountMinor !== undefined;
  const wasNot = payment.details['amount_named_by'] === 'nobody';
  const told = {
    ...enrichment?.details,
    ...(isNamed && wasNot ? { amount_named_by: 'callback' } : {}),
    ...warned,
    ...seen,
  };
  const receipt = receiptOf(enrichment);
  const reference = payment.provider_reference === null ? enrichment?.providerReference : undefined;
  const adds = Object.entries(told).some(([name, value]) => payment.details[name] !== value);
  if (!adds && receipt === undefined && reference === undefined) return;
  await trx('payments')
    .where({
      payment_id: payment.payment_id,
      state: payment.state,
      given_back_minor: payment.given_back_minor,
      refunded_minor: payment.refunded_minor,
    })
    .update({
      details: JSON.stringify({ ...payment.details, ...told }) as never,
      ...(receipt === undefined ? {} : { provider_receipt: receipt }),
      ...(reference === undefined ? {} : { provider_reference: reference }),
      ...nextChange(trx),
    });
}
