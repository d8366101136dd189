/** Forged notifications: in the right format, often with the right token or secret, with false content. */
import type { Chance } from './random';
import { placeholder } from './request';

type Forge = (chance: Chance, canary: string) => unknown;

/** References with the same number name the same payment. */
const reference = (place: number) => placeholder('reference', place);
const id = (place: number) => placeholder('id', place);

const byRail: Record<string, Forge> = {
  stk: (chance, canary) => ({
    Body: {
      stkCallback: {
        MerchantRequestID: canary,
        CheckoutRequestID: chance.oneIn(3) ? canary : reference(chance.below(400)),
        ResultCode: chance.pick([0, 1, 1032, 1037, 2001, '0', canary]),
        ResultDesc: canary,
        CallbackMetadata: {
          Item: [
            { Name: 'Amount', Value: chance.pick([1, 10, 1250, 1e12, canary]) },
            { Name: 'MpesaReceiptNumber', Value: canary },
            { Name: 'PhoneNumber', Value: 254708374149 },
          ],
        },
      },
    },
  }),
  momo: (chance, canary) => ({
    [chance.pick(['depositId', 'payoutId', 'refundId'])]: chance.oneIn(3) ? canary : id(chance.below(400)),
    status: chance.pick(['COMPLETED', 'FAILED', 'ACCEPTED', 'ENQUEUED', canary]),
    amount: chance.pick(['10.00', '1000000', canary]),
    currency: 'ZMW',
    failureReason: { failureCode: chance.pick(['PAYER_NOT_FOUND', canary]), failureMessage: canary },
  }),
  xb: (chance, canary) => ({
    invoice_id: chance.oneIn(2) ? canary : reference(chance.below(400)),
    state: chance.pick(['COMPLETE', 'FAILED', 'PENDING', 'RETRY', canary]),
    value: chance.pick([20_000, '20000', 1e15, canary]),
    currency: 'UGX',
    api_ref: chance.oneIn(2) ? canary : placeholder('token', chance.below(400)),
    failed_reason: canary,
    challenge: chance.oneIn(3) ? canary : placeholder('challenge'),
  }),
  walletpay: (chance, canary) => ({
    id: `WH-${canary}`,
    event_type: chance.pick([
      'CHECKOUT.ORDER.APPROVED',
      'PAYMENT.CAPTURE.COMPLETED',
      'PAYMENT.CAPTURE.REVERSED',
      'PAYMENT.PAYOUTS-ITEM.SUCCEEDED',
      canary,
    ]),
    resource: {
      id: chance.oneIn(2) ? canary : reference(chance.below(400)),
      custom_id: id(chance.below(400)),
      amount: { value: '9999.00', currency_code: 'USD' },
      supplementary_data: { related_ids: { order_id: reference(chance.below(400)) } },
      payout_batch_id: canary,
      sender_batch_id: `po-${id(chance.below(400))}`,
    },
  }),
  cardproc: (chance, canary) => ({
    OrderTrackingId: chance.oneIn(3) ? canary : reference(chance.below(400)),
    OrderMerchantReference: chance.oneIn(3) ? canary : id(chance.below(400)),
    OrderNotificationType: chance.pick(['IPNCHANGE', 'CALLBACKURL', canary]),
  }),
};

export function forgedNotification(rail: string, chance: Chance, canary: string): unknown {
  return byRail[rail]?.(chance, canary) ?? { [canary]: canary };
}
