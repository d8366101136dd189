import { v4 as uuidV4 } from 'uuid';
import { PaymentError, invalid } from '../../domain/errors';
import { formatAmount, parseAmount } from '../../domain/money';
import { notGone } from '../../domain/payment';
import type { PaymentDraft } from '../../payments/write-payment';
import { holdKeysOf } from '../../payments/money-effects';
import type { Transaction } from '../../store/database';
import type { MerchantRow, PaymentRow } from '../../store/tables';
import type { ChosenNetwork } from './choose-network';
import type { TransferInput } from './requests';

/** The customer's code, for one instruction: sent again only while that has no answer, and forgotten with it. */
export const preauthDetail = 'preauth_code';

/** The provider takes our id for its idempotency key, and only in this form (UUIDv4). */
function newId(): { paymentId: string; providerReference: string } {
  const paymentId = uuidV4();
  return { paymentId, providerReference: paymentId };
}

function transferDraft(input: TransferInput, { network, predicted }: ChosenNetwork) {
  return {
    rail: 'momo',
    provider: network.provider,
    ...newId(),
    currency: network.currency,
    requestedMinor: input.amount,
    accountReference: input.account_reference,
    phoneNumber: input.phone_number,
    sameness: { counterparty: input.phone_number, reference: input.account_reference },
    details: {
      country: network.country,
      provider_name: network.providerName,
      provider_predicted: String(predicted),
      ...(input.customer_message === undefined ? {} : { customer_message: input.customer_message }),
    } as Record<string, string>,
  };
}

export function depositDraft(
  merchant: MerchantRow,
  input: TransferInput,
  chosen: ChosenNetwork,
  ownUrl: string,
): PaymentDraft {
  const draft = transferDraft(input, chosen);
  // Where the customer goes after the provider's page: the merchant's own pages, or ours if there are none.
  const redirects: Record<string, string> = chosen.network.requiresRedirect
    ? { successful_url: merchant.return_url ?? ownUrl, failed_url: merchant.cancel_url ?? ownUrl }
    : {};
  return {
    ...draft,
    kind: 'deposit',
    details: {
      ...draft.details,
      ...redirects,
      ...(input.preauth_code === undefined ? {} : { [preauthDetail]: input.preauth_code }),
    },
  };
}

export function payoutDraft(
  merchant: MerchantRow,
  input: TransferInput,
  chosen: ChosenNetwork,
): PaymentDraft {
  const draft = transferDraft(input, chosen);
  const keys = holdKeysOf('payout', {
    merchant_id: merchant.merchant_id,
    rail: 'momo',
    currency: chosen.network.currency,
    country: chosen.network.country,
  });
  return { ...draft, kind: 'payout', hold: { ...keys, whenShort: 'FLOAT_INSUFFICIENT' } };
}

/**
 * A refund of all that is left, or of the amount named. The remainder is checked in the transaction that writes the
 * refund, under the deposit's lock, so that refunds at the same moment cannot exceed the deposit together.
 */
export async function refundDraft(
  merchant: MerchantRow,
  deposit: PaymentRow,
  amountText: string | undefined,
  remainderOf: (deposit: PaymentRow) => Promise<bigint>,
): Promise<PaymentDraft> {
  if (deposit.state !== 'succeeded') throw new PaymentError('DEPOSIT_NOT_COMPLETED');
  const amountMinor =
    amountText === undefined ? await remainderOf(deposit) : parseAmount(amountText, deposit.currency);
  if (amountMinor === undefined || (amountText !== undefined && amountMinor <= 0n)) {
    const message = `amount must be a plain decimal amount in ${deposit.currency}`;
    throw invalid([{ field: 'amount', message }], 'INVALID_AMOUNT');
  }
  if (amountMinor <= 0n) throw new PaymentError('REFUND_EXCEEDS_REMAINDER');
  const { currency, details } = deposit;
  const keys = holdKeysOf('refund', {
    merchant_id: merchant.merchant_id,
    rail: 'momo',
    currency,
    country: details['country'] ?? null,
  });
  return {
    rail: 'momo',
    kind: 'refund',
    provider: deposit.provider,
    ...newId(),
    parentId: deposit.payment_id,
    sameness: { counterparty: deposit.payment_id },
    currency,
    requestedMinor: amountMinor,
    details: { country: details['country'] ?? '', provider_name: details['provider_name'] ?? '' },
    hold: { ...keys, whenShort: 'BALANCE_INSUFFICIENT' },
    check: (trx, paymentId) => checkRemainder(trx, deposit, amountMinor, paymentId),
    ...(deposit.account_reference === null ? {} : { accountReference: deposit.account_reference }),
    ...(deposit.phone_number === null ? {} : { phoneNumber: deposit.phone_number }),
  };
}

/** @param paymentId of the refund itself: a try of which the answer was lost may have written it. */
async function checkRemainder(
  trx: Transaction,
  deposit: PaymentRow,
  amountMinor: bigint,
  paymentId: string,
): Promise<void> {
  const locked = await trx('payments').where({ payment_id: deposit.payment_id }).forUpdate().first();
  if (locked?.state !== 'succeeded') throw new PaymentError('DEPOSIT_NOT_COMPLETED');
  const left =
    BigInt(locked.confirmed_minor ?? 0) - (await refundedMinor(trx, deposit.payment_id, paymentId));
  if (amountMinor <= left) return;
  const message = `The amount exceeds what is left to refund: ${formatAmount(left, deposit.currency)} ${deposit.currency}`;
  throw new PaymentError('REFUND_EXCEEDS_REMAINDER', { message });
}

/** Minor units given back, or on their way back, by other refunds than `exceptId`. */
export async function refundedMinor(trx: Transaction, depositId: string, exceptId = ''): Promise<bigint> {
  const [row] = await trx('payments')
    .where({ parent_id: depositId, kind: 'refund' })
    .whereNot({ payment_id: exceptId })
    .whereNotIn('state', notGone)
    .sum<{ total: string | null }[]>({ total: 'requested_minor' });
  return BigInt(row?.total ?? 0);
}
