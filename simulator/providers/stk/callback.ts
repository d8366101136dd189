/** The callback's body, and what an attacker would send instead. */
import { randomBytes } from 'node:crypto';
import { LosslessNumber, stringify } from 'lossless-json';
import type { Callback } from '../../callbacks';
import { nairobiTimestamp } from './identifiers';
import type { Prompt } from './prompts';
import { results, type ResultCode } from './results';

interface Item {
  Name: string;
  Value?: string | number | LosslessNumber;
}

export function callbackOf(prompt: Prompt, code: ResultCode): Callback {
  return { url: prompt.callbackUrl, body: bodyOf(prompt, code, prompt.checkoutRequestId) };
}

/** One to an unknown path, and one that claims success for a payment that does not exist. */
export function forgedCallbacks(prompt: Prompt, code: ResultCode): Callback[] {
  return [
    { ...callbackOf(prompt, code), url: withWrongToken(prompt.callbackUrl), fault: 'forge' },
    {
      url: prompt.callbackUrl,
      body: bodyOf(prompt, '0', anotherId(prompt.checkoutRequestId)),
      fault: 'forge',
    },
  ];
}

function bodyOf(prompt: Prompt, code: ResultCode, checkoutRequestId: string): string {
  const stkCallback = {
    MerchantRequestID: prompt.merchantRequestId,
    CheckoutRequestID: checkoutRequestId,
    ResultCode: code === 'SFC_IC0003' ? code : Number(code),
    ResultDesc: results[code],
    ...(code === '0' && { CallbackMetadata: { Item: itemsOf(prompt) } }),
  };
  return stringify({ Body: { stkCallback } }) ?? '';
}

function itemsOf(prompt: Prompt): Item[] {
  // A forged success may name a prompt that was never paid.
  const { amount, receipt, at } = prompt.payment ?? {
    amount: prompt.amount,
    receipt: 'FORGED0000',
    at: prompt.createdAt,
  };
  const decimal = `${String(amount)}.00`;
  if (prompt.partialMetadata) {
    return [
      { Name: 'Amount', Value: decimal },
      { Name: 'MpesaReceiptNumber', Value: receipt },
      { Name: 'PhoneNumber', Value: `${prompt.phone.slice(0, 4)}*****${prompt.phone.slice(-3)}` },
    ];
  }
  return [
    { Name: 'Amount', Value: new LosslessNumber(decimal) },
    { Name: 'MpesaReceiptNumber', Value: receipt },
    { Name: 'Balance' },
    { Name: 'TransactionDate', Value: Number(nairobiTimestamp(at)) },
    { Name: 'PhoneNumber', Value: Number(prompt.phone) },
  ];
}

/** The same host and depth, so that it reaches the same handler. */
function withWrongToken(callbackUrl: string): string {
  const url = new URL(callbackUrl);
  const token = url.pathname.split('/').pop() ?? '';
  const wrong = randomBytes(16).toString('hex');
  url.pathname = `${url.pathname.slice(0, url.pathname.length - token.length)}${wrong}`;
  return url.href;
}

/** Only the six random digits differ, so it looks genuine. */
function anotherId(checkoutRequestId: string): string {
  return checkoutRequestId.replace(/\d{6}(?=\d{9}$)/, (digits) =>
    String(999_999 - Number(digits)).padStart(6, '0'),
  );
}
