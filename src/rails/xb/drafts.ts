import { v4 as uuidV4, v7 as uuidV7 } from 'uuid';
import { base32OfUuid } from '../../domain/base32';
import { networkDetail } from '../../rail-kit/handset-collections';
import type { PaymentDraft } from '../../rail-kit/draft';
import { countryFor, type XbPushInput } from './requests';

/** The payment's reference in the provider's notifications. It also finds a payment by its invoice id. */
export function apiRefOf(invoiceId: string): string {
  return `xb-${invoiceId}`;
}

function draftOf(input: XbPushInput, paymentId: string) {
  const apiRef = apiRefOf(base32OfUuid(paymentId));
  return {
    rail: 'xb',
    kind: 'deposit',
    paymentId,
    currency: input.currency,
    requestedMinor: input.amount,
    callbackToken: apiRef,
    accountReference: input.api_ref ?? apiRef,
    phoneNumber: input.phone_number,
    sameness: { counterparty: input.phone_number, reference: input.api_ref },
  } as const;
}

export function intasendDraft(input: XbPushInput): PaymentDraft {
  return { ...draftOf(input, uuidV7()), provider: 'intasend', details: { country: countryFor(input) } };
}

/** The provider uses our id, and accepts only this form (UUIDv4). */
export function pawapayDraft(input: XbPushInput, provider: string, network: string): PaymentDraft {
  const paymentId = uuidV4();
  const details = { country: countryFor(input), [networkDetail]: network };
  return { ...draftOf(input, paymentId), provider, providerReference: paymentId, details };
}
