import { PaymentError } from '../../domain/errors';
import type { Refunding } from '../../rail-kit/rail';
import { DebitChanged, refundDraft } from './drafts';

/** Concurrent partial refunds of one order change each other's wallet debit, which must then be calculated again. */
const refundTriesMax = 10;

/**
 * Refunds a captured order completely or in part.
 * @param timeScale divides the provider's time limit for refunds.
 */
export function refundWithin(timeScale: number): Refunding {
  return async ({ db, accept }, call, deposit, amountText) => {
    for (let n = 1; ; n += 1) {
      try {
        const draft = () => refundDraft(db, call.merchant, deposit, amountText, timeScale);
        return (await accept(call, draft)).payment;
      } catch (error) {
        if (!(error instanceof DebitChanged)) throw error;
        if (n === refundTriesMax)
          throw new PaymentError('SERVICE_BUSY', { retryAfterSeconds: 1, cause: error });
      }
    }
  };
}
