import { randomInt } from 'node:crypto';
import { v4 as uuidV4, v7 as uuidV7 } from 'uuid';
import { base32OfUuid } from '../../domain/base32';
import { networkDetail } from '../../rail-kit/handset-collections';
import type { PaymentDraft } from '../../rail-kit/draft';
import { countryFor, type XbPushInput } from './requests';

/** An invoice id of the provider's shape, shown when the provider's own was lost on the way. */
function placeholderInvoiceId(): string {
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
  return Array.from({ length: 7 }, () => characters[randomInt(characters.length)] ?? '').join('');
}

/** What the provider's notifications name the payment by; it finds one whose invoice id is ours, too. */
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

/** The provider takes our id for its name, and only in this form (UUIDv4); it has no invoices, so that their id is ours. */
export function pawapayDraft(input: XbPushInput, provider: string, network: string): PaymentDraft {
  const paymentId = uuidV4();
  const details = {
    country: countryFor(input),
    placeholder_invoice_id: base32OfUuid(paymentId),
    [networkDetail]: network,
  };
  return { ...draftOf(input, paymentId), provider, providerReference: paymentId, details };
}
