/** The status that a merchant gets for a final payment, in the words of the specification. */
import type { PaymentState } from '../../../../src/domain/payment';
import type { PaymentRow } from '../../../../src/store/tables';
import { statusPath as orderStatusPath } from '../../../../test/support/rails/cardproc/payments';
import { call, type ApiBody } from '../../../../test/support/merchant-client';
import type { TestMerchant } from '../../../../test/support/stack';
import type { World } from './world';

type Ends = Extract<PaymentState, 'succeeded' | 'refunded' | 'failed' | 'cancelled' | 'timed_out'>;

interface Reported {
  path(payment: PaymentRow): string;
  /** For a status query by POST. */
  body?(payment: PaymentRow): object;
  wordIn(answer: ApiBody): unknown;
  words: Record<Ends, readonly string[]>;
}

const wordsOf = (
  [succeeded, refunded]: [string, string],
  [failed, cancelled, timedOut]: [string, string, string],
): Reported['words'] => ({
  succeeded: [succeeded],
  refunded: [refunded],
  failed: [failed],
  cancelled: [cancelled],
  timed_out: [timedOut],
});

const data = (field: string) => (answer: ApiBody) => answer.data?.[field];
const momo: Reported = {
  path: ({ payment_id: id }) => `/api/v1/momo/status?transaction_id=${id}`,
  wordIn: (answer) => answer['status'],
  words: wordsOf(['COMPLETED', 'COMPLETED'], ['FAILED', 'CANCELLED', 'FAILED']),
};

const asked: Partial<Record<string, Reported>> = {
  'stk deposit': {
    path: ({ payment_id: id }) => `/api/v1/stk_push/status?payment_id=${id}`,
    wordIn: data('status'),
    words: wordsOf(['Success', 'Success'], ['Failed', 'Cancelled', 'Timeout']),
  },
  'xb deposit': {
    path: ({ payment_id: id }) => `/api/v1/xb/stk_push/status?payment_id=${id}`,
    wordIn: ({ data: { invoice } = {} }) => (invoice as { state?: unknown } | undefined)?.state,
    words: wordsOf(['COMPLETE', 'COMPLETE'], ['FAILED', 'CANCELLED', 'FAILED']),
  },
  'momo deposit': momo,
  'momo payout': momo,
  'momo refund': momo,
  'walletpay deposit': {
    path: ({ order_id: order }) => `/api/v1/walletpay/order_status?order_id=${String(order)}`,
    wordIn: data('status'),
    words: wordsOf(['Completed', 'Refunded'], ['Failed', 'Failed', 'Failed']),
  },
  'walletpay payout': {
    path: ({ payment_id: id }) => `/api/v1/walletpay/payout_status?payout_id=${id}`,
    wordIn: data('status'),
    words: wordsOf(['Success', 'Success'], ['Failed', 'Failed', 'Failed']),
  },
  'cardproc deposit': {
    path: () => orderStatusPath,
    body: ({ provider_reference: reference }) => ({ order_tracking_id: reference }),
    wordIn: (answer) => answer['status'],
    words: wordsOf(['COMPLETED', 'REVERSED'], ['FAILED', 'FAILED', 'INVALID']),
  },
};

/** @returns what is wrong: the merchant got another final status than the payment has, or none. */
export async function faultsOfReportedStatus(
  { stack }: World,
  merchant: TestMerchant,
  payment: PaymentRow,
): Promise<string[]> {
  const { rail, kind, state, payment_id: id } = payment;
  const reported = asked[`${rail} ${kind}`];
  const words = reported?.words[state as Ends];
  // A merchant without the order's id cannot query it yet.
  if (!reported || !words || (reported.body && payment.provider_reference === null)) return [];
  const body = reported.body?.(payment);
  const answer = await call(stack, merchant, body ? 'POST' : 'GET', reported.path(payment), body);
  const word = String(reported.wordIn(answer.body));
  if (words.includes(word)) return [];
  return [`${id} is ${state}, and its status query returns ${word} (${String(answer.status)})`];
}
