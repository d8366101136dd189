import { PaymentError } from '../../domain/errors';
import type { Refunding } from '../../rail-kit/rail';
import { DebitMoved, refundDraft } from './drafts';

/** Who asks for parts of one order at once may have to find anew what the wallet gives for each. */
const refundTriesMax = 10;

/**
 * Gives a captured order back, or a part of it.
 * @param timeScale the provider's time for refunds is divided by this.
 */
export function refundWithin(timeScale: number): Refunding {
  return async ({ db, accept }, call, deposit, amountText) => {
    for (let n = 1; ; n += 1) {
      try {
        const draft = () => refundDraft(db, call.merchant, deposit, amountText, timeScale);
        return (await accept(call, draft)).payment;
      } catch (error) {
        if (!(error instanceof DebitMoved)) throw error;
        if (n === refundTriesMax)
          throw new PaymentError('SERVICE_BUSY', { retryAfterSeconds: 1, cause: error });
      }
    }
  };
}
