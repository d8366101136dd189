import { randomInt } from 'node:crypto';
import { v7 as uuidV7 } from 'uuid';
import { base32OfUuid } from '../../domain/base32';
import type { PaymentDraft } from '../../payments/write-payment';
import { countryFor, type XbPushInput } from './requests';

/** The name the provider knows a payment by: fixed, printable, and ours alone, since merchants' references repeat. */
function providerApiRef(paymentId: string): string {
  return `xb-${base32OfUuid(paymentId)}`;
}

/** An invoice id of the provider's shape, shown when the provider's own was lost on the way. */
function placeholderInvoiceId(): string {
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
  return Array.from({ length: 7 }, () => characters[randomInt(characters.length)] ?? '').join('');
}

export function draftOf(input: XbPushInput): PaymentDraft {
  const paymentId = uuidV7();
  const apiRef = providerApiRef(paymentId);
  return {
    rail: 'xb',
    kind: 'deposit',
    provider: 'intasend',
    paymentId,
    currency: input.currency,
    requestedMinor: input.amount,
    // What the provider's notifications name the payment by.
    callbackToken: apiRef,
    accountReference: input.api_ref ?? apiRef,
    phoneNumber: input.phone_number,
    sameness: { counterparty: input.phone_number, reference: input.api_ref },
    details: { country: countryFor(input), placeholder_invoice_id: placeholderInvoiceId() },
  };
}
