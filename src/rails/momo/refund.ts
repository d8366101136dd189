import type { Refunding } from '../../rail-kit/rail';
import { asItIsNow, checkLimits } from './choose-network';
import { refundDraft } from './drafts';
import type { NetworkDirectory } from './network';

/** Refunds a deposit completely or in part, within the limits of its network. */
export function refundThrough(directory: NetworkDirectory): Refunding {
  return async ({ db, accept }, call, deposit, amountText) => {
    const { payment } = await accept(call, async () => {
      const draft = await refundDraft(db, call.merchant, deposit, amountText);
      const network = (await directory.list()).find(
        ({ provider, currency }) => provider === deposit.provider && currency === deposit.currency,
      );
      if (network) checkLimits(await asItIsNow(directory, network, 'refund'), 'refund', draft.requestedMinor);
      return draft;
    });
    return payment;
  };
}
