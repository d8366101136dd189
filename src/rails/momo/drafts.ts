import { v4 as uuidV4 } from 'uuid';
import { PaymentError } from '../../domain/errors';
import type { PaymentDraft } from '../../rail-kit/draft';
import { holdKeysOf } from '../../payments/transition/money-effects';
import { amountToRefund, checkRemainder } from '../../payments/create/refund-request';
import type { Database } from '../../store/database';
import type { MerchantRow, PaymentRow } from '../../store/tables';
import type { ChosenNetwork } from './choose-network';
import type { TransferInput } from './requests';

/**
 * The customer's code, for one submission. It is sent again only while the submission has no answer, and then deleted.
 */
export const preauthDetail = 'preauth_code';

/** The provider uses our id as its idempotency key, and accepts only this form (UUIDv4). */
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
  // Where the customer goes after the provider's page: the merchant's pages, or ours if there are none.
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
  return {
    ...draft,
    kind: 'payout',
    recipient: input.phone_number,
    hold: { ...keys, whenShort: 'FLOAT_INSUFFICIENT' },
  };
}

/** A refund of the whole rest, or of the given amount. */
export async function refundDraft(
  db: Database,
  merchant: MerchantRow,
  deposit: PaymentRow,
  amountText: string | undefined,
): Promise<PaymentDraft> {
  if (deposit.state !== 'succeeded') throw new PaymentError('DEPOSIT_NOT_COMPLETED');
  const amountMinor = await amountToRefund(db, deposit, amountText);
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
    async check(trx, paymentId) {
      await checkRemainder(trx, deposit, { amountMinor, paymentId, from: ['succeeded'] });
    },
    ...(deposit.account_reference === null ? {} : { accountReference: deposit.account_reference }),
    ...(deposit.phone_number === null ? {} : { phoneNumber: deposit.phone_number }),
  };
}
