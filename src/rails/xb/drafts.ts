import { randomInt } from 'node:crypto';
import { parse as uuidBytes, v7 as uuidV7 } from 'uuid';
import type { PaymentDraft } from '../../payments/accept-payment';
import { countryFor, type XbPushInput } from './requests';

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The name the provider knows a payment by: fixed, printable, and ours alone, since merchants' references repeat. */
function providerApiRef(paymentId: string): string {
  let bits = 0n;
  for (const byte of uuidBytes(paymentId)) bits = (bits << 8n) | BigInt(byte);
  // 128 bits are 26 characters of 5 bits, the last filled up with zeros.
  bits <<= 2n;
  let text = '';
  for (let i = 0; i < 26; i += 1) {
    text = (base32[Number(bits & 31n)] ?? '') + text;
    bits >>= 5n;
  }
  return `xb-${text}`;
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
    details: { country: countryFor(input), placeholder_invoice_id: placeholderInvoiceId() },
  };
}
