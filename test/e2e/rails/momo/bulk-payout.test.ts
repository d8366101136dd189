import { setMerchant } from '../../../../src/merchants/merchants';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { expectClean } from '../../../support/expect-clean';
import { call, type ApiAnswer } from '../../../support/merchant-client';
import { startStack, type OwnStack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import {
  callbacksOf,
  floatOf,
  fund,
  places,
  setNetwork,
  notifiedOf,
  transferBody,
} from '../../../support/rails/momo/payments';

const path = '/api/v1/momo/bulk_payout';
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const paid = '+260763000789';
const refused = '+260763000089';
let orders = 0;

type Row = Record<string, unknown>;

describe(path, () => {
  let stack: OwnStack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'momo');
    await fund(stack, merchant, 100_000_000n);
    await setNetwork(provider, 'ZAMTEL_ZMB', 'PAYOUT', 'CLOSED');
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
  const ask = (query: Record<string, string>, as: TestMerchant = merchant) =>
    call(stack, as, 'GET', `${path}?${new URLSearchParams(query).toString()}`);
  const reported = ({ status, body }: ApiAnswer) => [status, body.code];
  const faultsOf = ({ body }: ApiAnswer) => (body.details ?? []).map(({ field }) => field);
  const idsOf = ({ body }: ApiAnswer) =>
    (body['payouts'] as Row[]).map(({ transaction_id: id }) => String(id));
  const counted = async () => (await stack.db('payments').count<{ n: number }[]>({ n: '*' }))[0]?.n;
  const rows = (count: number, changes: Row = {}) =>
    Array.from({ length: count }, () => transferBody(changes));

  describe('200', () => {
    it('creates a payout per row, reserves the sum, and reports the end of each', async () => {
      const own = await stack.createMerchant();
      await fund(stack, own, 10_000n);
      const payouts = [
        transferBody({ amount: '40.00', phone_number: paid }),
        transferBody({ amount: 9.5, phone_number: refused }),
        transferBody({ amount: '20', phone_number: paid, provider: 'MTN_MOMO_ZMB' }),
      ];
      const answer = await send(payouts, { order_id: 'SALARIES-11' }, own);
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          success: true,
          bulk_id: expect.stringMatching(uuid),
          order_id: 'SALARIES-11',
          is_final: false,
          count: 3,
          totals: [
            {
              currency: 'ZMW',
              count: 3,
              amount: '69.50',
              by_status: { Processing: { count: 3, amount: '69.50' } },
            },
          ],
          payouts: payouts.map(({ account_reference, phone_number }, index) => ({
            index,
            transaction_id: expect.stringMatching(uuid),
            account_reference,
            phone_number,
            provider: 'MTN_MOMO_ZMB',
            country: 'ZMB',
            next_step: expect.objectContaining({ code: 'money_on_its_way' }),
            amount: ['40.00', '9.50', '20.00'][index],
            currency: 'ZMW',
            status: 'Processing',
            is_final: false,
            failure_code: null,
            failure_message: null,
          })),
          created_at: expect.any(String),
          message: 'Payouts accepted. A callback reports the outcome of each',
        },
      ]);
      const [first = '', second = '', third = ''] = idsOf(answer);
      await Promise.all([
        notifiedOf(own, first, 'Success'),
        notifiedOf(own, second, 'Failed'),
        notifiedOf(own, third, 'Success'),
      ]);
      expect(await floatOf(stack, own)).toEqual({ free: 4_000n, reserved: 0n });
      const { body } = await ask({ order_id: 'SALARIES-11' }, own);
      expect(body).toMatchObject({
        is_final: true,
        totals: [
          {
            count: 3,
            amount: '69.50',
            by_status: { Success: { count: 2, amount: '60.00' }, Failed: { count: 1, amount: '9.50' } },
          },
        ],
        payouts: [{ status: 'Success' }, { status: 'Failed', is_final: true }, { status: 'Success' }],
      });
      expect(await ask({ bulk_id: String(body['bulk_id']) }, own)).toMatchObject({ status: 200, body });
      expect(callbacksOf(own, second)).toHaveLength(1);
    });

    it('answers a repeat again, and pays nobody twice', async () => {
      const request = { order_id: orderId(), payouts: rows(3) };
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => call(stack, merchant, 'POST', path, request)),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      expect(new Set(answers.map((answer) => idsOf(answer).join())).size).toBe(1);
      const turned = request.payouts.map((row) => Object.fromEntries(Object.entries(row).reverse()));
      const other = await call(stack, merchant, 'POST', path, { ...request, payouts: turned });
      expect(idsOf(other)).toEqual(idsOf(answers[0] as ApiAnswer));
      const keyed = await call(stack, merchant, 'POST', path, request, { 'Idempotency-Key': 'bulk-1' });
      expect(idsOf(keyed)).toEqual(idsOf(answers[0] as ApiAnswer));
      for (const id of idsOf(keyed)) await notifiedOf(merchant, id, 'Success');
    });

    it('pays out from several floats at once', async () => {
      const own = await stack.createMerchant();
      await fund(stack, own, 5_000n);
      await fund(stack, own, 10_000n, { country: 'UGA', currency: 'UGX' });
      const answer = await send([transferBody({ amount: '50.00' }), transferBody(places.uganda)], {}, own);
      expect(answer.body['totals']).toMatchObject([
        { currency: 'ZMW', amount: '50.00' },
        { currency: 'UGX', amount: '5000.00' },
      ]);
      for (const id of idsOf(answer)) await notifiedOf(own, id, 'Success');
    });
  });

  describe('400', () => {
    it('reports all faults of all rows at once, by row, and creates none', async () => {
      const before = await counted();
      const answer = await send([
        transferBody({ amount: '0', currency: 'EUR' }),
        transferBody(),
        'row',
        transferBody({ phone_number: '0763' }),
        transferBody({ provider: 'MTN_MOMO_UGA' }),
        transferBody({ amount: '99999999.00' }),
      ]);
      expect(reported(answer)).toEqual([400, 'VALIDATION_FAILED']);
      expect(faultsOf(answer)).toEqual([
        'payouts.0.currency',
        'payouts.2',
        'payouts.3.phone_number',
        'payouts.4.provider',
        'payouts.5.amount',
      ]);
      for (const { field, message } of answer.body.details ?? []) expect(message).toContain(field);
      expect(await counted()).toBe(before);
    });

    it('keeps the code of a fault that all rows share', async () => {
      const answer = await send(rows(2, { phone_number: '12' }));
      expect(reported(answer)).toEqual([400, 'INVALID_PHONE_NUMBER']);
    });

    it.each([[undefined], [[]], ['all'], [{}], [Array.from({ length: 1_001 }, () => ({}))]])(
      'rejects an invalid or too long list (%#)',
      async (payouts) => {
        const answer = await send(payouts);
        expect(reported(answer)).toEqual([400, 'VALIDATION_FAILED']);
        expect(faultsOf(answer)).toEqual(['payouts']);
      },
    );

    it('requires an order_id', async () => {
      expect(faultsOf(await send(rows(1), { order_id: '' }))).toEqual(['order_id']);
      expect(faultsOf(await ask({}))).toEqual(['bulk_id', 'order_id']);
    });

    it('creates all or none if the float is too low for the sum', async () => {
      const own = await stack.createMerchant();
      await fund(stack, own, 5_000n);
      const request = { order_id: orderId(), payouts: rows(2, { amount: '25.01' }) };
      const short = await call(stack, own, 'POST', path, request);
      expect(reported(short)).toEqual([400, 'FLOAT_INSUFFICIENT']);
      expect(await floatOf(stack, own)).toEqual({ free: 5_000n, reserved: 0n });
      expect(reported(await ask({ order_id: request.order_id }, own))).toEqual([404, 'PAYMENT_NOT_FOUND']);
      await fund(stack, own, 2n);
      const answer = await call(stack, own, 'POST', path, request);
      expect(answer.status).toBe(200);
      for (const id of idsOf(answer)) await notifiedOf(own, id, 'Success');
    });
  });

  describe('other errors', () => {
    it('requires keys in the headers', async () => {
      expect(reported(await send(rows(1), {}, 'nobody'))).toEqual([401, 'CREDENTIALS_REQUIRED']);
      const { apiKey: api_key, apiSecret: api_secret } = merchant;
      expect((await send(rows(1), { api_key, api_secret }, 'nobody')).status).toBe(401);
    });

    it('shows a bulk only to its own merchant', async () => {
      const { body } = await send(rows(1));
      const other = await stack.createMerchant();
      expect((await ask({ bulk_id: String(body['bulk_id']) }, other)).status).toBe(404);
      expect((await ask({ order_id: String(body['order_id']) }, other)).status).toBe(404);
      expect((await ask({ bulk_id: String(body['bulk_id']), order_id: 'another' })).status).toBe(404);
      expect((await ask({ bulk_id: 'é' })).status).toBe(404);
    });

    it('409: an order_id of other payouts', async () => {
      const first = await send(rows(1), { order_id: 'TAKEN' });
      const answer = await send(rows(1), { order_id: 'TAKEN' });
      expect(reported(answer)).toEqual([409, 'ORDER_ID_REUSED']);
      expect(answer.body['bulk_id']).toBe(first.body['bulk_id']);
    });

    it('409: the same payout twice in one list', async () => {
      const row = transferBody();
      const answer = await send([row, transferBody(), row]);
      expect(reported(answer)).toEqual([409, 'DUPLICATE_PAYMENT']);
      expect(answer.body.details).toEqual([
        { field: 'payouts.2', message: 'payouts.2 is the same payment as payouts.0' },
      ]);
    });

    it('413: more than a megabyte', async () => {
      const answer = await send(rows(1, { customer_message: 'x'.repeat(1024 * 1024) }));
      expect([...reported(answer), answer.body['message']]).toEqual([
        413,
        'BODY_TOO_LARGE',
        'The body is larger than 1024 kB',
      ]);
    });

    it('429: a merchant above the rate limit', async () => {
      const own = await stack.createMerchant();
      await setMerchant(stack.db, own.merchantId, { apiRate: 1, apiBurst: 1 }, { environment: 'sandbox' });
      const codes = [await send(rows(1), {}, own), await send(rows(1), {}, own)].map(({ body }) => body.code);
      expect(codes).toEqual(['FLOAT_INSUFFICIENT', 'RATE_LIMITED']);
    });

    it('503: a closed network, named by row', async () => {
      const answer = await send([transferBody(), transferBody({ phone_number: '+260753000789' })]);
      expect(reported(answer)).toEqual([503, 'PROVIDER_TEMPORARILY_UNAVAILABLE']);
      expect(faultsOf(answer)).toEqual(['payouts.1']);
      expect(answer.headers.get('retry-after')).toBe('60');
    });
  });

  it('continues after the API died while starting them', async () => {
    const own = await stack.createMerchant();
    await fund(stack, own, 1_000_000n);
    const request = { order_id: orderId(), payouts: rows(40) };
    const sent = call(stack, own, 'POST', path, request).catch(() => undefined);
    await waitFor(async () => stack.db('bulk_payouts').where({ order_id: request.order_id }).first(), {
      what: 'the bulk to be written',
      timeoutMs: 20_000,
      everyMs: 5,
    });
    await stack.kill('api');
    await sent;
    await stack.start('api');
    const answer = await call(stack, own, 'POST', path, request);
    expect(answer.status).toBe(200);
    await stack.db('payments').whereIn('payment_id', idsOf(answer)).where({ state: 'received' }).update({
      next_check_at: new Date(),
    });
    for (const id of idsOf(answer)) await notifiedOf(own, id, 'Success');
    expect(await floatOf(stack, own)).toEqual({ free: 1_000_000n - 40n * 2_550n, reserved: 0n });
  });

  it('accepts a thousand rows, each with a note, in one reservation', async () => {
    // No worker runs: only their creation is tested.
    const idle = await startStack({ without: ['worker'] });
    const own = await idle.createMerchant();
    await fund(idle, own, 100_000_000n);
    const payouts = rows(1_000, { amount: '1.00', customer_message: 'x'.repeat(500) });
    const answer = await call(idle, own, 'POST', path, { order_id: orderId(), payouts });
    expect([answer.status, answer.body['count']]).toEqual([200, 1_000]);
    expect(new Set(idsOf(answer)).size).toBe(1_000);
    expect(await floatOf(idle, own)).toEqual({ free: 99_900_000n, reserved: 100_000n });
    await expectClean({ db: idle.db, env: idle.env });
    await idle.stop();
  });
});
