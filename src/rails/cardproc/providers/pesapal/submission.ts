/** The result of an order submission. */
import type { Environment } from '../../../../config';
import { cutText } from '../../../../domain/cut-text';
import type { SubmissionResult } from '../../../../domain/outcome';
import type { ErrorCode } from '../../../../domain/errors';
import { fieldNamedIn, type WireField } from '../../../../rail-kit/provider-words';
import { isPaymentPage } from '../../../../rail-kit/answer-fields';
import type { PesapalAnswer } from './calls';
import { describe, faultOf, recordOf, textOf, type Fault } from './wire';

/**
 * The provider publishes no list of its errors. The code, then the message, is matched against this list, and the first
 * match counts. Public clients of the provider look for `InvalidIpnId` and "Invalid IPN URL ID provided". `again` means
 * that nothing was created under this id, so that a new attempt with the next id is safe.
 */
export const meanings: { match: RegExp; means: ErrorCode | 'again' | 'unknown_address' }[] = [
  { match: /consumer|access_token|not_?authori[sz]ed|merchant_?account/i, means: 'PROVIDER_ACCOUNT_REFUSED' },
  { match: /limit/i, means: 'AMOUNT_OUT_OF_RANGE' },
  { match: /duplicate/i, means: 'again' },
  { match: /^(?:invalid|unknown)[ _]?(?:ipn|notification)[ _]?(?:url )?id/i, means: 'unknown_address' },
  { match: /currency/i, means: 'UNSUPPORTED_CURRENCY' },
  {
    match: /\b(?:amount|description|billing|phone|email|first_name|last_name|callback_url|cancellation_url)/i,
    means: 'PROVIDER_REJECTED_REQUEST',
  },
];

/**
 * Texts about the id of our notification address. Without a 4xx status they may describe a fault of the provider, and
 * then the id stays in use.
 */
const ofTheAddress = /\b(?:notification|ipn)[_ ]?id\b/i;

/** The provider's messages name the field in our spelling. */
const fields: readonly WireField[] = [
  { match: /\bcurrency\b/i, field: 'currency' },
  { match: /\bamount\b/i, field: 'amount' },
  { match: /\bdescription\b/i, field: 'description' },
  { match: /\bcallback_url\b/i, field: 'callback_url' },
  { match: /\bcancellation_url\b/i, field: 'cancellation_url' },
  { match: /\bphone_number\b/i, field: 'phone_number' },
  { match: /\bemail_address\b/i, field: 'email_address' },
  { match: /\bfirst_name\b/i, field: 'first_name' },
  { match: /\blast_name\b/i, field: 'last_name' },
];

export type Submission = SubmissionResult | { kind: 'unknown_address'; text: string };

/** @param id the order's id in the submission. An answer about another order has no meaning for it. */
export function readSubmission(answer: PesapalAnswer, id: string, environment: Environment): Submission {
  if (answer.kind === 'account_refused') return refused('PROVIDER_ACCOUNT_REFUSED', 'account', answer.text);
  if (answer.kind !== 'answered') return answer;
  const { status, json, text } = answer;
  if (status === 429) return { kind: 'not_sent', text: 'too many requests' };
  if (status >= 500) return { kind: 'unknown', text: cutText(`${String(status)} ${text}`, 500) };
  const fault = faultOf(json);
  if (fault) return refusedBecause(fault, status);
  if (status === 403) return refused('PROVIDER_ACCOUNT_REFUSED', '403', text);
  if (status >= 400) return refused('PROVIDER_TEMPORARILY_UNAVAILABLE', String(status), text);

  const order = recordOf(json);
  const trackingId = textOf(order['order_tracking_id']);
  const redirectUrl = textOf(order['redirect_url']);
  const isOurs = order['merchant_reference'] === id;
  if (!isOurs || !/^[\x21-\x7e]{1,120}$/.test(trackingId) || !isPaymentPage(redirectUrl, environment)) {
    return { kind: 'unknown', text: cutText(`${String(status)} ${text}`, 500) };
  }
  return {
    kind: 'accepted',
    providerReference: trackingId,
    details: { redirect_url: redirectUrl, submitted_as: id },
  };
}

function refusedBecause(fault: Fault, status: number): Submission {
  const text = describe(fault);
  const isAddress = status >= 400 && ofTheAddress.test(fault.message);
  const means = meaningOf(fault.code) ?? (isAddress ? 'unknown_address' : meaningOf(fault.message));
  if (means === 'again') return { kind: 'not_sent', text };
  if (means === 'unknown_address') return { kind: means, text };
  const denial = refused(means ?? 'PROVIDER_TEMPORARILY_UNAVAILABLE', fault.code, fault.message);
  return { ...denial, ...fieldNamedIn(fault.message, fields) };
}

function meaningOf(given: string) {
  return meanings.find(({ match }) => match.test(given))?.means;
}

function refused(publicCode: ErrorCode, providerCode: string, text: string): SubmissionResult {
  return { kind: 'refused', publicCode, providerCode, text };
}
