import { randomInt } from 'node:crypto';
import { v4 as uuidV4, v7 as uuidV7 } from 'uuid';
import { base32OfUuid } from '../../domain/base32';
import { networkDetail } from '../../rail-kit/handset-collections';
import type { PaymentDraft } from '../../rail-kit/draft';
import { countryFor, type XbPushInput } from './requests';

/** An invoice id in the provider's format, used when the provider's own was lost. */
function placeholderInvoiceId(): string {
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
  return Array.from({ length: 7 }, () => characters[randomInt(characters.length)] ?? '').join('');
}

/**
 * The payment's reference in the provider's notifications. It also finds a payment with our placeholder as its invoice
 * id.
 */
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
  const details = { country: countryFor(input), placeholder_invoice_id: placeholderInvoiceId() };
  return { ...draftOf(input, uuidV7()), provider: 'intasend', details };
}

/**
 * The provider uses our id, and accepts only this form (UUIDv4). It has no invoices, so our id is also the invoice id.
 */
export function pawapayDraft(input: XbPushInput, provider: string, network: string): PaymentDraft {
  const paymentId = uuidV4();
  const details = {
    country: countryFor(input),
    placeholder_invoice_id: base32OfUuid(paymentId),
    [networkDetail]: network,
  };
  return { ...draftOf(input, paymentId), provider, providerReference: paymentId, details };
}
