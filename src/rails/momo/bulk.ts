import { formatAmount } from '../../domain/money';
import type { BulkOf } from '../../payments/create/bulk/endpoints';
import { holdFields } from '../../payments/read/on-hold';
import { chooseNetwork } from './choose-network';
import { momoBulkAbout } from './description';
import { payoutDraft } from './drafts';
import type { NetworkDirectory } from './network';
import { payoutBody, type TransferInput } from './requests';
import { failureOf } from './responses';
import { momoWords, nextStep } from './status';

/** Many payouts at once, each with the fields of `POST /api/v1/momo/payout`. */
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
      ...holdFields(payment),
    }),
    envelope: (body, message) => ({ success: true, ...body, ...(message === undefined ? {} : { message }) }),
  };
}

/** After this many failed lookups in one request, the provider is no longer queried. */
const unansweredMax = 3;
/** The time for all lookups of one request, in milliseconds. */
const predictingMs = 10_000;

/**
 * A provider that does not answer would delay a thousand lookups. After the limits, the first digits of a number
 * decide.
 */
function withLittlePatience(directory: NetworkDirectory): NetworkDirectory {
  let unanswered = 0;
  const until = Date.now() + predictingMs;
  return {
    list: (maxAgeMs) => directory.list(maxAgeMs),
    async predict(digits) {
      if (unanswered >= unansweredMax || Date.now() > until) return { kind: 'unknown' };
      const prediction = await directory.predict(digits);
      if (prediction.kind === 'unknown') unanswered += 1;
      return prediction;
    },
  };
}
