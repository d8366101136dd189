import type { PaymentsContext } from '../../../src/rail-kit/context';
import { holdKeysOf } from '../../../src/payments/transition/money-effects';
import { writePayment } from '../../../src/payments/create/write-payment';
import { callOf } from '../../support/payments/fakes';

/** Writes a merchant's refund of a deposit in shillings without starting it. @returns its id. */
export async function askedRefund(
  context: PaymentsContext,
  { merchantId, depositId, amountMinor }: { merchantId: string; depositId: string; amountMinor: bigint },
): Promise<string> {
  const owner = { merchant_id: merchantId, rail: 'loud', currency: 'KES' as const, country: null };
  const { payment_id: id } = await writePayment(context, await callOf(context.db, merchantId), {
    rail: 'loud',
    kind: 'refund',
    provider: 'test',
    currency: 'KES',
    requestedMinor: amountMinor,
    parentId: depositId,
    hold: { ...holdKeysOf('refund', owner), whenShort: 'BALANCE_INSUFFICIENT' },
  });
  return id;
}
