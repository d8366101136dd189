import { v7 as uuidV7 } from 'uuid';
import { base32OfUuid } from '../../domain/base32';
import type { Currency } from '../../domain/money';
import type { PaymentDraft } from '../../rail-kit/draft';
import type { Billing, InitiateInput, SubmitOrderInput } from './requests';

/** Through which of the two endpoint sets an order came: only the wrapper's merchants are notified. */
export type Door = 'wrapper' | 'card_api';

/** Kept until the processor has the order, and no longer. */
export const billingDetail = 'billing_address';

/** The processor's limit (specification, Limits, card API). */
const descriptionLengthMax = 100;

interface Order {
  door: Door;
  reference: string;
  amount: bigint;
  currency: Currency;
  description: string;
  billing: Billing;
  callbackUrl: string | undefined;
  cancellationUrl: string | undefined;
}

export function wrapperDraft(input: InitiateInput): PaymentDraft {
  const { order_id, amount, currency, description, callback_url } = input;
  const { phone_number, email_address, first_name, last_name } = input;
  return draftOf({
    door: 'wrapper',
    reference: order_id,
    amount,
    currency,
    description,
    billing: { phone_number, email_address, first_name, last_name },
    callbackUrl: callback_url,
    cancellationUrl: undefined,
  });
}

export function cardApiDraft(input: SubmitOrderInput): PaymentDraft {
  const { merchant_ref, amount, currency = 'KES', description, billing_address } = input;
  return draftOf({
    door: 'card_api',
    reference: merchant_ref,
    amount,
    currency,
    description,
    billing: billing_address,
    callbackUrl: input.callback_url,
    cancellationUrl: input.cancellation_url,
  });
}

function draftOf(order: Order): PaymentDraft {
  const paymentId = uuidV7();
  const { door, reference, amount, currency, description, billing, callbackUrl, cancellationUrl } = order;
  return {
    rail: 'cardproc',
    kind: 'deposit',
    provider: 'pesapal',
    paymentId,
    currency,
    requestedMinor: amount,
    accountReference: reference,
    orderId: reference,
    // Sent back to another page, it is another order.
    sameness: { counterparty: JSON.stringify([door, billing, callbackUrl, cancellationUrl]) },
    // The processor wants ids that never repeat, and merchants' references do.
    callbackToken: `cp-${base32OfUuid(paymentId)}`,
    details: {
      door,
      description: cut(description),
      [billingDetail]: JSON.stringify(billing),
      ...(callbackUrl === undefined ? {} : { callback_url: callbackUrl }),
      ...(cancellationUrl === undefined ? {} : { cancellation_url: cancellationUrl }),
    },
  };
}

/** Whole characters only: half of a pair is none. */
function cut(description: string): string {
  let kept = '';
  for (const character of description.trim()) {
    if (kept.length + character.length > descriptionLengthMax) break;
    kept += character;
  }
  return kept;
}
