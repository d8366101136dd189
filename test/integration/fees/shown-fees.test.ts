/** Where merchants see the fee of a payment. A payment without a fee has the same fields as before. */
import { feeInWords } from '../../../src/payments/transition/fees';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import * as cardproc from '../../../src/rails/cardproc/webhook';
import * as momo from '../../../src/rails/momo/webhook';
import { statusBody as momoStatus } from '../../../src/rails/momo/responses';
import * as stk from '../../../src/rails/stk/webhook';
import { statusBody as stkStatus } from '../../../src/rails/stk/responses';
import * as walletpay from '../../../src/rails/walletpay/webhook';
import { orderStatusBody, payoutStatusBody } from '../../../src/rails/walletpay/responses';
import * as xb from '../../../src/rails/xb/webhook';
import { statusBody as xbStatus } from '../../../src/rails/xb/responses';
import type { PaymentRow } from '../../../src/store/tables';
import { insertMerchant, insertPayment } from '../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../support/database';

let test: TestDatabase;
let merchant: string;
beforeAll(async () => {
  test = await createTestDatabase();
  merchant = await insertMerchant(test.db);
});
afterAll(() => test.drop());

type Body = (payment: PaymentRow) => Record<string, unknown>;
const inData =
  (body: Body): Body =>
  (payment) =>
    body(payment)['data'] as Record<string, unknown>;
const bodyOf = (webhook: { body: Record<string, unknown> }) => webhook.body;
const payout = { kind: 'payout' } as const;

const places: [where: string, fee: string | number, body: Body, changes?: Partial<PaymentRow>][] = [
  ['the webhook of stk', 2.5, (payment) => bodyOf(stk.webhookOf(payment, 'UTC'))],
  ['the status of stk', 2.5, inData(stkStatus)],
  ['the webhook of momo', '2.50', (payment) => bodyOf(momo.webhookOf(payment))],
  ['the webhook of momo for a payout', '2.50', (payment) => bodyOf(momo.webhookOf(payment)), payout],
  ['the status of momo', '2.50', momoStatus],
  ['the status of momo for a payout', '2.50', momoStatus, payout],
  ['the webhook of xb', '2.50', (payment) => bodyOf(xb.webhookOf(payment))],
  ['the status of xb', '2.50', inData(xbStatus)],
  ['the webhook of walletpay', 2.5, (payment) => bodyOf(walletpay.orderWebhook(payment))],
  ['the status of walletpay', 2.5, inData((payment) => orderStatusBody(payment, [], undefined))],
  ['the webhook of a walletpay payout', 2.5, (payment) => bodyOf(walletpay.payoutWebhook(payment)), payout],
  ['the status of a walletpay payout', 2.5, inData((payment) => payoutStatusBody(payment, [])), payout],
  [
    'the webhook of cardproc',
    2.5,
    (payment) => bodyOf(cardproc.webhookOf(payment)),
    { details: { api: 'wrapper' } },
  ],
];

const withChanges = places.map(([where, fee, body, changes = {}]) => ({ where, fee, body, changes }));

it.each(withChanges)(
  '$where contains the fee, and is unchanged without one',
  async ({ fee, body, changes }) => {
    const id = await insertPayment(test.db, {
      ...{ merchant_id: merchant, state: 'succeeded', is_final: 1, confirmed_minor: '125000' },
      ...changes,
    });
    const free = await getPaymentOrThrow(test.db, id);
    const { event_id: _, ...before } = body(free);
    expect(before).not.toHaveProperty('fee');
    expect(Object.keys(before).length).toBeGreaterThan(1);
    for (const nothing of [{ fee_id: id }, { fee_id: id, fee_minor: '0' }]) {
      const { event_id: __, ...same } = body({ ...free, ...nothing });
      expect(JSON.stringify(same)).toBe(JSON.stringify(before));
    }
    const { event_id: ___, ...reported } = body({ ...free, fee_id: id, fee_minor: '250' });
    expect(reported).toMatchObject({ fee, fee_currency: 'KES' });
    const { fee: ____, fee_currency: _____, ...rest } = reported;
    expect(JSON.stringify(rest)).toBe(JSON.stringify(before));
  },
);

it('a payout that was not paid has no fee', async () => {
  const id = await insertPayment(test.db, { merchant_id: merchant, ...payout, fee_minor: '250' });
  const payment = await getPaymentOrThrow(test.db, id);
  for (const state of ['failed', 'cancelled', 'returned'] as const)
    expect(feeInWords({ ...payment, state })).toEqual({});
  for (const state of ['received', 'pending', 'queued', 'timed_out', 'succeeded'] as const)
    expect(feeInWords({ ...payment, state })).toEqual({ fee: '2.50', fee_currency: 'KES' });
});
