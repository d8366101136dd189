import { formatAmount } from '../../domain/money';
import type { BulkOf } from '../../payments/create/bulk/endpoints';
import { heldTold } from '../../payments/read/on-hold';
import { chooseNetwork } from './choose-network';
import { momoBulkAbout } from './description';
import { payoutDraft } from './drafts';
import type { NetworkDirectory } from './network';
import { networkByDigits } from './prefixes';
import { payoutBody, type TransferInput } from './requests';
import { failureOf } from './responses';
import { momoWords, nextStep } from './status';

/** Many payouts at once, each as `POST /api/v1/momo/payout` takes it. */
export function momoBulk(directory: NetworkDirectory): BulkOf {
  return {
    rail: 'momo',
    row: payoutBody,
    about: momoBulkAbout,
    drafting({ merchant }) {
      const patient = withLittlePatience(directory);
      return async (row) => {
        const input = row as unknown as TransferInput;
        return payoutDraft(merchant, input, await chooseNetwork(patient, input, 'payout'));
      };
    },
    amountOf: (minor, currency) => formatAmount(minor, currency),
    statusOf: ({ state }) => momoWords[state].paymentStatus,
    rowBody: (payment) => ({
      transaction_id: payment.payment_id,
      account_reference: payment.account_reference ?? '',
      phone_number: payment.phone_number ?? '',
      provider: payment.provider,
      country: payment.details['country'] ?? '',
      ...nextStep(payment),
      ...failureOf(payment),
      ...heldTold(payment),
    }),
    envelope: (body, message) => ({ success: true, ...body, ...(message === undefined ? {} : { message }) }),
  };
}

/** Numbers that the provider may fail to tell of in one request before it is no longer asked. */
const unansweredMax = 3;
/** For how long, in milliseconds, it is asked in all. */
const predictingMs = 10_000;

/** A provider that does not answer would be waited for a thousand times: then the numbers' first digits tell. */
function withLittlePatience(directory: NetworkDirectory): NetworkDirectory {
  let unanswered = 0;
  const until = Date.now() + predictingMs;
  return {
    list: (maxAgeMs) => directory.list(maxAgeMs),
    async predict(digits) {
      if (unanswered >= unansweredMax || Date.now() > until) return networkByDigits(digits);
      const predicted = await directory.predict(digits);
      if (predicted === undefined) unanswered += 1;
      return predicted;
    },
  };
}
