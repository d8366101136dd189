import type { UnpaidCancellation } from '../../../../rail-kit/rail';
import type { PesapalAnswer } from './calls';
import { describe, faultOf, recordOf, textOf } from './wire';

/**
 * Its body says 200 for an order that nobody can pay any more, and 500 for one that is not cancelled: it was paid, or
 * cancelled before (the provider's documentation, Order Cancellation API:
 * https://developer.pesapal.com/how-to-integrate/e-commerce/api-30-json/order-cancellation-api). Which of the two, only
 * the status call tells.
 */
export function readCancellation(answer: PesapalAnswer): UnpaidCancellation {
  if (answer.kind === 'account_refused') return { kind: 'not_sent', text: answer.text };
  if (answer.kind !== 'answered') return answer;
  const { status, json, text } = answer;
  if (status === 429) return { kind: 'not_sent', text: 'too many requests' };
  if (status >= 500) return { kind: 'unknown', text: `${String(status)} ${text}` };
  const fault = faultOf(json);
  if (fault) return { kind: 'refused', text: describe(fault) };
  const told = recordOf(json);
  if (status >= 400 || textOf(told['status']) !== '200') {
    return { kind: 'unknown', text: `${String(status)} ${text}` };
  }
  return { kind: 'cancelled', text: textOf(told['message']) };
}
