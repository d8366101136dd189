import { cutText } from '../../domain/cut-text';
import type { ProviderResult } from '../../domain/outcome';
import { inTransaction } from '../../store/transaction';
import type { AttemptRow, PaymentRow } from '../../store/tables';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Operation, ProviderCall } from '../../rail-kit/rail';
import { sentAttempt } from './write-attempt';

const operation = 'capture';

const attemptStateAfter: Partial<Record<ProviderResult['kind'], AttemptRow['state']>> = {
  unknown: 'unknown',
  failed: 'refused',
};

/**
 * Captures a payment that its customer has approved. The provider drops repeats by the attempt's key, so an attempt
 * with a lost answer counts once however often it is sent. It is still written before it is sent. A declined attempt
 * is over: the provider would repeat the decline for its key, even after a new approval. The next attempt therefore
 * has a new key.
 */
export async function capture(
  context: PaymentsContext,
  rail: Operation,
  payment: PaymentRow,
  call: ProviderCall,
): Promise<ProviderResult> {
  if (!rail.capture) throw new Error(`rail ${payment.rail} has no capture`);
  const { n, key } = await openAttempt(context, payment.payment_id);
  const providerResult = await rail.capture(payment, { ...call, key });
  const isDeclined = providerResult.kind === 'open' && providerResult.declined === true;
  await context
    .db('attempts')
    .where({ payment_id: payment.payment_id, operation, n })
    .update({
      state: isDeclined ? 'refused' : (attemptStateAfter[providerResult.kind] ?? 'accepted'),
      code: 'code' in providerResult ? cutText(providerResult.code, 64) : null,
      detail: providerResult.text === undefined ? null : cutText(providerResult.text, 1000),
      answered_at: new Date(),
    });
  return providerResult;
}

interface Attempt {
  n: number;
  /** The key by which the provider recognises it. */
  key: string;
}

/** The attempt under way, or the next one. Two processes that start it at once send the same attempt. */
async function openAttempt({ db }: PaymentsContext, paymentId: string): Promise<Attempt> {
  return inTransaction(db, async (trx) => {
    const all = { payment_id: paymentId, operation };
    const last = await trx('attempts').where(all).orderBy('n', 'desc').first('n', 'provider_key', 'state');
    if (last && !isOver(last, paymentId)) return { n: last.n, key: last.provider_key };
    if (last)
      await trx('attempts')
        .where({ ...all, n: last.n })
        .update({ state: 'refused' });
    const n = (last?.n ?? 0) + 1;
    const key = `${paymentId}-${String(n)}`;
    await trx('attempts')
      .insert(sentAttempt(paymentId, operation, n, { key }))
      .onConflict()
      .ignore();
    return { n, key };
  });
}

/**
 * Before attempts had keys, a payment had a single attempt with the payment's id, and a decline was stored as
 * `accepted`. Where the provider still waits for a capture of it, that attempt is over. Without an answer it is
 * repeated.
 */
function isOver(
  { state, provider_key }: Pick<AttemptRow, 'state' | 'provider_key'>,
  paymentId: string,
): boolean {
  return state === 'refused' || (state === 'accepted' && provider_key === paymentId);
}
