import { amountAsNumber } from '../../domain/money';
import type { BulkOf } from '../../payments/create/bulk/endpoints';
import { orderOfMany } from '../../payments/create/order-once';
import { holdFields } from '../../payments/read/on-hold';
import { shownReturn } from '../../payments/transition/reported-amounts';
import type { Database } from '../../store/database';
import { walletpayBulkAbout } from './description';
import { payoutDraft, payoutOrder } from './drafts';
import { payoutBody, type PayoutInput } from './requests';
import { nextStep, payoutFailure, payoutStatus } from './status';

/** Many payouts at once, each with the fields of `POST /api/v1/walletpay/create_payout` and an order_id of its own. */
export function walletpayBulk(
  db: Database,
  rules: Required<Pick<BulkOf, 'translateError' | 'mayPayOut'>>,
): BulkOf {
  return {
    rail: 'walletpay',
    row: payoutBody,
    about: walletpayBulkAbout,
    ...rules,
    drafting:
      ({ merchant }) =>
      async (row) => {
        const input = row as unknown as PayoutInput;
        const order = await orderOfMany(db, { merchant }, payoutOrder(input));
        return { ...(await payoutDraft(db, merchant, input)), ...order };
      },
    amountOf: amountAsNumber,
    statusOf: payoutStatus,
    rowBody(payment) {
      const { code, message } = payoutFailure(payment);
      return {
        payout_id: payment.payment_id,
        order_id: payment.order_id,
        recipient_email: payment.details['recipient_email'] ?? '',
        ...nextStep(payment),
        ...holdFields(payment),
        ...shownReturn(payment),
        failure_code: code,
        failure_message: message,
      };
    },
    envelope: (body, message) => ({
      success: true,
      ...(message === undefined ? {} : { message }),
      data: body,
    }),
  };
}
