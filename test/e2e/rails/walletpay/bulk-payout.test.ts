import { setMerchant } from '../../../../src/merchants/merchants';
import { expectClean } from '../../../support/expect-clean';
import { call, type ApiAnswer } from '../../../support/merchant-client';
import { ended } from '../../../support/payments/timeline';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';
import {
  floatOf,
  canPayOut,
  orderRequest,
  payoutRequest,
  post,
  ratesStored,
} from '../../../support/rails/walletpay/payments';

const path = '/api/v1/walletpay/bulk_payout';
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
let orders = 0;

type Row = Record<string, unknown>;

describe(path, () => {
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
    await canPayOut(stack, merchant, 1_000_000n);
    await canPayOut(stack, merchant, 10_000_000n, 'KES');
    await ratesStored(stack);
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const orderId = () => {
    orders += 1;
    return `PAYROLL-${String(orders)}`;
  };
  const send = (payouts: unknown, changes: Row = {}, as: TestMerchant | 'nobody' = merchant) =>
    call(stack, as === 'nobody' ? undefined : as, 'POST', path, { order_id: orderId(), payouts, ...changes });
  const reported = ({ status, body }: ApiAnswer) => [status, body.code];
  const faultsOf = ({ body }: ApiAnswer) => (body.details ?? []).map(({ field }) => field);
  const payoutsOf = ({ body }: ApiAnswer) => body.data?.['payouts'] as Row[];

  it('creates a payout per row, in its currency', async () => {
    const before = { usd: await floatOf(stack, merchant), kes: await floatOf(stack, merchant, 'KES') };
    const payouts = [
      payoutRequest({ amount: '40.5' }),
      payoutRequest({ amount: 1295, currency: 'KES', note: 'Order 77' }),
      payoutRequest({ recipient_email: 'failed@example.org' }),
    ];
    const answer = await send(payouts, { order_id: 'FRIDAY' });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        success: true,
        message: 'Payouts accepted. A callback reports the outcome of each',
        data: {
          bulk_id: expect.stringMatching(uuid),
          order_id: 'FRIDAY',
          is_final: false,
          count: 3,
          totals: [
            { currency: 'USD', count: 2, amount: 80.5, by_status: { Pending: { count: 2, amount: 80.5 } } },
            { currency: 'KES', count: 1, amount: 1295, by_status: { Pending: { count: 1, amount: 1295 } } },
          ],
          payouts: payouts.map(({ order_id, recipient_email, currency, amount }, index) => ({
            index,
            payout_id: expect.stringMatching(uuid),
            order_id,
            recipient_email,
            next_step: expect.objectContaining({ code: 'money_on_its_way' }),
            amount: Number(amount),
            currency,
            status: 'Pending',
            is_final: false,
            failure_code: null,
            failure_message: null,
          })),
          created_at: expect.any(String),
        },
      },
    ]);
    for (const { payout_id: id } of payoutsOf(answer)) await ended(stack.db, String(id));
    const status = await call(stack, merchant, 'GET', `${path}?order_id=FRIDAY`);
    expect(status.body.data).toMatchObject({
      is_final: true,
      totals: [
        { by_status: { Success: { count: 1, amount: 40.5 }, Failed: { count: 1, amount: 40 } } },
        { by_status: { Success: { count: 1 } } },
      ],
      payouts: [{ status: 'Success' }, { status: 'Success' }, { failure_code: 'RECEIVER_ACCOUNT_LOCKED' }],
    });
    expect(await floatOf(stack, merchant)).toEqual({ ...before.usd, free: before.usd.free - 4_050n });
    expect(await floatOf(stack, merchant, 'KES')).toEqual({
      ...before.kes,
      free: before.kes.free - 129_500n,
    });
    const first = payouts[0] as Row;
    const { body } = await call(
      stack,
      merchant,
      'GET',
      `/api/v1/walletpay/payout_status?order_id=${String(first['order_id'])}`,
    );
    expect(body.data).toMatchObject({ payout_id: payoutsOf(answer)[0]?.['payout_id'], status: 'Success' });
  });

  it('never sends more than it debits: many tiny rows leave the fractions of cents with us', async () => {
    const rows = Array.from({ length: 51 }, () => payoutRequest({ amount: '1.95', currency: 'KES' }));
    const ids = payoutsOf(await send(rows)).map(({ payout_id: id }) => String(id));
    const sent = await stack.db('payments').whereIn('payment_id', ids).select('instructed_minor');
    expect(sent.map((row) => row.instructed_minor)).toEqual(rows.map(() => '1'));
    for (const id of ids) await ended(stack.db, id);
  });

  it('rejects a row below one cent, and reports the minimum', async () => {
    const answer = await send([payoutRequest(), payoutRequest({ amount: '1.29', currency: 'KES' })]);
    expect([reported(answer), faultsOf(answer)]).toEqual([
      [400, 'AMOUNT_OUT_OF_RANGE'],
      ['payouts.1.amount'],
    ]);
    expect(answer.body.details?.[0]?.message).toContain('1.30 KES');
  });

  it('answers a repeat again, and pays nobody twice', async () => {
    const request = { order_id: orderId(), payouts: [payoutRequest(), payoutRequest()] };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call(stack, merchant, 'POST', path, request)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const ids = answers.map((answer) => payoutsOf(answer).map(({ payout_id: id }) => id));
    expect(new Set(ids.map((each) => each.join())).size).toBe(1);
    for (const id of ids[0] ?? []) await ended(stack.db, String(id), ['succeeded']);
  });

  it('400: all faults of all rows, by row', async () => {
    const answer = await send([
      payoutRequest({ recipient_email: 'nobody' }),
      payoutRequest(),
      payoutRequest({ currency: 'EUR' }),
      payoutRequest({ note: '4111 1111 1111 1111' }),
    ]);
    expect(reported(answer)).toEqual([400, 'VALIDATION_FAILED']);
    expect(faultsOf(answer)).toEqual(['payouts.0.recipient_email', 'payouts.2.currency', 'payouts.3.note']);
    const others = await send([payoutRequest({ recipient_email: 'nobody' }), payoutRequest(), {}]);
    expect(faultsOf(others)).toEqual([
      'payouts.0.recipient_email',
      'payouts.2.amount',
      'payouts.2.currency',
      'payouts.2.recipient_email',
      'payouts.2.order_id',
    ]);
  });

  it("400: an order_id reserved for the portal's payouts, of the bulk or of a row", async () => {
    const whole = await send([payoutRequest()], { order_id: 'portal/01890a5d-ac96-774b-bcce-b302099a8057' });
    expect([whole.status, whole.body.details?.[0]]).toEqual([
      400,
      {
        field: 'order_id',
        message: expect.stringContaining('must not begin with portal/'),
      },
    ]);
    const row = await send([payoutRequest({ order_id: 'portal/1' })]);
    expect(row.status).toBe(400);
    expect(JSON.stringify(row.body.details)).toContain('must not begin with portal/');
    for (const [name, body] of [
      ['create_payout', payoutRequest({ order_id: 'portal/1' })],
      ['create_order', orderRequest({ order_id: 'portal/1' })],
    ] as const) {
      const single = await post(stack, merchant, name, body);
      expect([single.status, single.body.details?.[0]?.field]).toEqual([400, 'order_id']);
    }
  });

  it('400: a float that is too low for the sum', async () => {
    const own = await stack.createMerchant();
    await canPayOut(stack, own, 5_000n);
    const answer = await send([payoutRequest(), payoutRequest()], {}, own);
    expect(reported(answer)).toEqual([400, 'FLOAT_INSUFFICIENT']);
    expect(await floatOf(stack, own)).toEqual({ free: 5_000n, reserved: 0n });
  });

  it('400 without keys, 403 without the permission', async () => {
    expect(reported(await send([payoutRequest()], {}, 'nobody'))).toEqual([400, 'CREDENTIALS_MISSING']);
    const own = await stack.createMerchant();
    await setMerchant(stack.db, own.merchantId, { permissions: [] }, { environment: 'sandbox' });
    expect(reported(await send([payoutRequest()], {}, own))).toEqual([403, 'PERMISSION_REQUIRED']);
  });

  it('409: a row with the order_id of another payout, and one that is in the list twice', async () => {
    const known = payoutRequest();
    const { body } = await post(stack, merchant, 'create_payout', known);
    const answer = await send([payoutRequest(), known]);
    expect(reported(answer)).toEqual([409, 'ORDER_ID_REUSED']);
    expect(faultsOf(answer)).toEqual(['payouts.1']);
    await ended(stack.db, String(body.data?.['payout_id']), ['succeeded']);
    const twice = payoutRequest();
    const refused = await send([twice, payoutRequest(), { ...twice, amount: 41 }]);
    expect(reported(refused)).toEqual([409, 'DUPLICATE_PAYMENT']);
    expect(faultsOf(refused)).toEqual(['payouts.2']);
  });

  it('404: for every other merchant', async () => {
    const { body } = await send([payoutRequest()]);
    const other = await stack.createMerchant();
    const answer = await call(stack, other, 'GET', `${path}?bulk_id=${String(body.data?.['bulk_id'])}`);
    expect(reported(answer)).toEqual([404, 'PAYMENT_NOT_FOUND']);
  });
});
