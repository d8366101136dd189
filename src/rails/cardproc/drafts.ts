import { v7 as uuidV7 } from 'uuid';
import { base32OfUuid } from '../../domain/base32';
import type { Currency } from '../../domain/money';
import type { PaymentDraft } from '../../rail-kit/draft';
import type { Billing, InitiateInput, SubmitOrderInput } from './requests';

/** The API that created the order: only merchants of the wrapper get webhooks. */
export type CardprocApi = 'wrapper' | 'card_api';

/** Stored only until the processor has the order. */
export const billingDetail = 'billing_address';

/** The processor's limit (specification, Limits, card API). */
const descriptionLengthMax = 100;

interface Order {
  api: CardprocApi;
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
    api: 'wrapper',
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
    api: 'card_api',
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
  const { api, reference, amount, currency, description, billing, callbackUrl, cancellationUrl } = order;
  return {
    rail: 'cardproc',
    kind: 'deposit',
    provider: 'pesapal',
    paymentId,
    currency,
    requestedMinor: amount,
    accountReference: reference,
    orderId: reference,
    // Another return page makes it another order.
    sameness: { counterparty: JSON.stringify([api, billing, callbackUrl, cancellationUrl]) },
    // The processor needs unique ids, and merchants' references repeat.
    callbackToken: `cp-${base32OfUuid(paymentId)}`,
    details: {
      api,
      description: cut(description),
      [billingDetail]: JSON.stringify(billing),
      ...(callbackUrl === undefined ? {} : { callback_url: callbackUrl }),
      ...(cancellationUrl === undefined ? {} : { cancellation_url: cancellationUrl }),
    },
  };
}

/** Cuts between whole characters, never inside a surrogate pair. */
function cut(description: string): string {
  let kept = '';
  for (const character of description.trim()) {
    if (kept.length + character.length > descriptionLengthMax) break;
    kept += character;
  }
  return kept;
}
