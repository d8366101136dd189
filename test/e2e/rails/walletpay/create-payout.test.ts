import { setMerchant } from '../../../../src/merchants/merchants';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { expectClean } from '../../../support/expect-clean';
import { call, type ApiAnswer } from '../../../support/merchant-client';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';
import {
  simulatorControl,
  type Exchange,
  type SimulatorControl,
} from '../../../support/rails/simulator-control';
import {
  floatOf,
  canPayOut,
  payoutRequest,
  post,
  ratesStored,
  stored,
} from '../../../support/rails/walletpay/payments';

const path = '/api/v1/walletpay/create_payout';
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe(`POST ${path}`, () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'walletpay');
    await canPayOut(stack, merchant, 1_000_000n);
    await canPayOut(stack, merchant, 10_000_000n, 'KES');
    await ratesStored(stack);
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const send = (changes: Record<string, unknown> = {}) =>
    post(stack, merchant, 'create_payout', payoutRequest(changes));
  const reported = ({ status, body }: ApiAnswer) => [status, body.code];
  const fieldsOf = ({ body }: ApiAnswer) => body.details?.map(({ field }) => field);
  const idOf = ({ status, body }: ApiAnswer) => {
    if (status !== 200) throw new Error(`not accepted: ${JSON.stringify(body)}`);
    return String(body.data?.payout_id);
  };
  const sentFor = async (id: string): Promise<Exchange[]> =>
    (await provider.exchanges('payout')).filter(({ body }) => JSON.stringify(body).includes(id));

  describe('200', () => {
    it('answers with exactly the fields of the specification', async () => {
      const answer = await send();
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          success: true,
          data: {
            payout_id: expect.stringMatching(uuid),
            walletpay_batch_id: expect.stringMatching(/^[A-Z0-9]{13}$/),
          },
        },
      ]);
    });

    it('sends the provider only allowed data, in its own format', async () => {
      const id = idOf(await send({ amount: '40.5', note: 'Order 77, with thanks', metadata: { a: 1 } }));
      const [sent, ...more] = await sentFor(id);
      expect(more).toEqual([]);
      expect(sent?.body).toEqual({
        sender_batch_header: { sender_batch_id: `po-${id}`, email_subject: 'You have a payment' },
        items: [
          {
            recipient_type: 'EMAIL',
            receiver: 'ok@example.org',
            amount: { currency: 'USD', value: '40.50' },
            note: 'Order 77, with thanks',
            sender_item_id: `po-${id}`,
          },
        ],
      });
    });

    it('accepts a note of 4000 characters, and none', async () => {
      expect((await send({ note: 'ñ'.repeat(4_000) })).status).toBe(200);
      expect((await send({ note: '' })).status).toBe(200);
    });

    it('reserves the amount in the requested currency, and sends its value', async () => {
      const before = await floatOf(stack, merchant, 'KES');
      const id = idOf(await send({ amount: 1295, currency: 'KES' }));
      expect(await floatOf(stack, merchant, 'KES')).toEqual({
        free: before.free - 129_500n,
        reserved: before.reserved + 129_500n,
      });
      const [sent] = await sentFor(id);
      expect(sent?.body).toMatchObject({ items: [{ amount: { currency: 'USD', value: '10.00' } }] });
      await stored(stack, id, { state: 'succeeded' });
      expect(await floatOf(stack, merchant, 'KES')).toEqual({ free: before.free - 129_500n, reserved: 0n });
    });

    it.each(['is_admin', 'can_payout'] as const)(
      'is allowed for a merchant with the permission %s',
      async (permission) => {
        const allowed = await stack.createMerchant();
        await canPayOut(stack, allowed);
        await setMerchant(
          stack.db,
          allowed.merchantId,
          { permissions: [permission] },
          { environment: 'sandbox' },
        );
        expect((await post(stack, allowed, 'create_payout', payoutRequest())).status).toBe(200);
      },
    );

    it('pays once although the answer of the provider was lost', async () => {
      const id = idOf(await send({ recipient_email: 'lost@example.org' }));
      await stored(stack, id, { state: 'succeeded' });
      const batches = (await sentFor(id)).map(({ body }) => JSON.stringify(body));
      expect(new Set(batches).size).toBe(1);
    });
  });

  describe('200 once per order_id', () => {
    it('answers a repeat with the first answer, and pays once', async () => {
      const body = payoutRequest({ note: 'once' });
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => post(stack, merchant, 'create_payout', body)),
      );
      expect(new Set(answers.map((answer) => JSON.stringify([answer.status, answer.body]))).size).toBe(1);
      const id = idOf(answers[0] as ApiAnswer);
      expect(await sentFor(id)).toHaveLength(1);
      expect(await stack.db('holds').where({ payment_id: id })).toHaveLength(1);
      expect(await stack.db('payments').where({ order_id: String(body['order_id']) })).toHaveLength(1);
    });

    it('409: rejects another body with the same order_id', async () => {
      const body = payoutRequest();
      const first = idOf(await post(stack, merchant, 'create_payout', body));
      for (const changes of [{ amount: 41 }, { recipient_email: 'ana@example.org' }, { note: 'other' }]) {
        const answer = await post(stack, merchant, 'create_payout', { ...body, ...changes });
        expect([reported(answer), answer.body['payment_id']]).toEqual([[409, 'ORDER_ID_REUSED'], first]);
      }
    });

    it('separates an order and a payout with the same order_id', async () => {
      const { order_id, ...rest } = payoutRequest();
      const order = await post(stack, merchant, 'create_order', { amount: 5, currency: 'USD', order_id });
      const payout = await post(stack, merchant, 'create_payout', { ...rest, order_id });
      expect([order.status, payout.status]).toEqual([200, 200]);
    });
  });

  describe('400', () => {
    it('reports each missing field, all at once', async () => {
      const answer = await post(stack, merchant, 'create_payout', {});
      expect(reported(answer)).toEqual([400, 'VALIDATION_FAILED']);
      expect(fieldsOf(answer)).toEqual(['amount', 'currency', 'recipient_email', 'order_id']);
    });

    it.each([
      'ana',
      'ana@',
      '@example.org',
      'ana@example',
      'ana@@example.org',
      'ana@example.org, ben@example.org',
      'ana@example.org\nBcc: ben@example.org',
      'Ana <ana@example.org>',
      ' ana@example.org',
      'aña@example.org',
      7,
      ['ana@example.org'],
      { address: 'ana@example.org' },
    ])('rejects the recipient %j', async (recipient_email) => {
      const answer = await send({ recipient_email });
      const fields = [...new Set(fieldsOf(answer))];
      expect([reported(answer), fields]).toEqual([[400, 'VALIDATION_FAILED'], ['recipient_email']]);
    });

    it.each([
      [{ amount: 0 }, 'amount', 'AMOUNT_OUT_OF_RANGE'],
      [{ amount: '0.5', currency: 'KES' }, 'amount', 'AMOUNT_OUT_OF_RANGE'],
      [{ amount: -1 }, 'amount', 'INVALID_AMOUNT'],
      [{ amount: '1.005' }, 'amount', 'INVALID_AMOUNT'],
      [{ currency: 'EUR' }, 'currency', 'UNSUPPORTED_CURRENCY'],
      [{ currency: 'UGX' }, 'currency', 'UNSUPPORTED_CURRENCY'],
      [{ order_id: null }, 'order_id', 'VALIDATION_FAILED'],
      [{ note: 7 }, 'note', 'VALIDATION_FAILED'],
      [{ metadata: 'm' }, 'metadata', 'VALIDATION_FAILED'],
    ])('rejects %j: the fault is in %s', async (changes, field, code) => {
      const answer = await send(changes);
      expect([reported(answer), fieldsOf(answer)]).toEqual([[400, code], [field]]);
    });

    it('reports the minimum for an amount worth less than a cent', async () => {
      const answer = await send({ amount: '1.29', currency: 'KES' });
      expect([reported(answer), answer.body.details]).toEqual([
        [400, 'AMOUNT_OUT_OF_RANGE'],
        [
          {
            field: 'amount',
            message: 'amount must be at least 0.01 USD or its value, 1.30 KES',
          },
        ],
      ]);
    });

    it("rejects a note of 4001 characters, and an address above the provider's limit", async () => {
      expect(fieldsOf(await send({ note: 'n'.repeat(4_001) }))).toEqual(['note']);
      const recipient_email = `${'a'.repeat(60)}@${'b'.repeat(60)}.example.org`;
      expect(fieldsOf(await send({ recipient_email }))).toEqual(['recipient_email']);
    });

    it('rejects a payout above the float before anything is sent to the provider', async () => {
      const poor = await stack.createMerchant();
      await canPayOut(stack, poor, 3_999n);
      const before = (await provider.exchanges('payout')).length;
      const answer = await post(stack, poor, 'create_payout', payoutRequest());
      expect(reported(answer)).toEqual([400, 'FLOAT_INSUFFICIENT']);
      expect(await provider.exchanges('payout')).toHaveLength(before);
      expect(await floatOf(stack, poor)).toEqual({ free: 3_999n, reserved: 0n });
    });

    it('does not use up its order_id, and never pays out more than there is, with any number of concurrent requests', async () => {
      const poor = await stack.createMerchant();
      await canPayOut(stack, poor, 10_000n);
      const bodies = Array.from({ length: 8 }, () => payoutRequest());
      const answers = await Promise.all(bodies.map((body) => post(stack, poor, 'create_payout', body)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
      expect(answers.filter(({ body }) => body.code === 'FLOAT_INSUFFICIENT')).toHaveLength(6);
      await canPayOut(stack, poor, 10_000n);
      const refused = bodies[answers.findIndex(({ status }) => status === 400)];
      expect((await post(stack, poor, 'create_payout', refused)).status).toBe(200);
    });

    it('separates the floats of two currencies', async () => {
      const rich = await stack.createMerchant();
      await canPayOut(stack, rich, 1_000_000n);
      const answer = await post(
        stack,
        rich,
        'create_payout',
        payoutRequest({ currency: 'KES', amount: 100 }),
      );
      expect(reported(answer)).toEqual([400, 'FLOAT_INSUFFICIENT']);
    });
  });

  describe('403', () => {
    it('rejects a merchant without is_admin and can_payout, before anything else is checked', async () => {
      const unlicensed = await stack.createMerchant();
      await canPayOut(stack, unlicensed);
      await setMerchant(stack.db, unlicensed.merchantId, { permissions: [] }, { environment: 'sandbox' });
      const answer = await post(stack, unlicensed, 'create_payout', payoutRequest());
      expect(reported(answer)).toEqual([403, 'PERMISSION_REQUIRED']);
      expect(await floatOf(stack, unlicensed)).toEqual({ free: 1_000_000n, reserved: 0n });
    });
  });

  describe('502', () => {
    it('reports when our own account at the provider is empty, releases the float and opens a case', async () => {
      const before = await floatOf(stack, merchant);
      const answer = await send({ note: 'ERRPYO005' });
      expect(reported(answer)).toEqual([502, 'PROVIDER_ACCOUNT_REFUSED']);
      const id = String(answer.body['payment_id']);
      expect(await getPaymentOrThrow(stack.db, id)).toMatchObject({
        state: 'failed',
        result_code: 'INSUFFICIENT_FUNDS',
      });
      expect((await floatOf(stack, merchant)).free).toBe(before.free);
      const cases = await stack.db('cases').where({ payment_id: id });
      expect(cases.map(({ reason }) => reason)).toEqual(['account_refused']);
    });
  });

  it('also accepts the credentials in the body', async () => {
    const { apiKey: api_key, apiSecret: api_secret } = merchant;
    expect((await call(stack, undefined, 'POST', path, payoutRequest({ api_key, api_secret }))).status).toBe(
      200,
    );
  });
});
