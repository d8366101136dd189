import { expectClean } from '../../../support/expect-clean';
import { call, paymentIdOf, stkPush, type ApiAnswer } from '../../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { creditsOf, ended, push } from '../../../support/rails/stk/payments';

/** A customer gets one prompt for a payment, however often its merchant sends the request. */
describe('POST /api/v1/stk_push, repeated', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    // The real two minutes of the duplicate check; the handsets answer when the test moves the provider's clock.
    stack = await startStack({ timeScale: 1 });
    merchant = await guarded();
    provider = simulatorControl(stack.simulatorUrl, 'stk');
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const guarded = () => stack.createMerchant('Guarded Shop', { duplicateWindow: 120 });
  const send = (body: Record<string, unknown> | string, key?: string, as = merchant): Promise<ApiAnswer> =>
    call(stack, as, 'POST', '/api/v1/stk_push', body, key === undefined ? {} : { 'Idempotency-Key': key });
  const promptsOf = async (phone: string) =>
    (await provider.exchanges('initiate')).filter(({ body }) => body.PhoneNumber === phone).length;
  const paymentsOf = async (phone: string) =>
    (await stack.db('payments').where({ phone_number: phone })).length;

  describe('with an Idempotency-Key', () => {
    it('200: repeats the first answer and says so, without a second prompt', async () => {
      const phone_number = '254720000001';
      const body = stkPush({ phone_number });
      const [first, again] = [await send(body, 'key-1'), await send(body, 'key-1')];
      expect([again.status, again.body]).toEqual([first.status, first.body]);
      expect(first.headers.get('idempotent-replayed')).toBeNull();
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect([await promptsOf(phone_number), await paymentsOf(phone_number)]).toEqual([1, 1]);
    });

    it('200: recognises the same request, however its JSON is written', async () => {
      const body = stkPush({ phone_number: '254720000002' });
      const first = await send(body, 'key-2');
      const again = await send(
        JSON.stringify(Object.fromEntries(Object.entries(body).reverse()), null, 2),
        'key-2',
      );
      expect(again.body).toEqual(first.body);
    });

    it('200: recognises the same request in another notation, with a field that is ignored', async () => {
      const body = stkPush({ phone_number: '254720000102', amount: 78 });
      const otherwise = { phone_number: '+254 720 000 102', amount: '78.00', colour: 'red' };
      const [first, again] = [await send(body, 'key-2b'), await send({ ...body, ...otherwise }, 'key-2b')];
      expect([again.status, again.body]).toEqual([first.status, first.body]);
      expect(await promptsOf('254720000102')).toBe(1);
    });

    it('422: rejects the key with another body, without a prompt', async () => {
      const phone_number = '254720000003';
      await send(stkPush({ phone_number: '254720000004' }), 'key-3');
      const answer = await send(stkPush({ phone_number }), 'key-3');
      expect([answer.status, answer.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
      expect(await promptsOf(phone_number)).toBe(0);
    });

    it('20 at once create one payment: the others get its answer, or must wait', async () => {
      const phone_number = '254720000005';
      const body = stkPush({ phone_number });
      const answers = await Promise.all(Array.from({ length: 20 }, () => send(body, 'key-4')));
      const paid = answers.filter(({ status }) => status === 200);
      const waiting = answers.filter(({ status }) => status === 409);
      expect(paid.length).toBeGreaterThan(0);
      expect(paid.length + waiting.length).toBe(20);
      expect(new Set(paid.map(paymentIdOf)).size).toBe(1);
      for (const { body: reported, headers } of waiting) {
        expect([reported.code, headers.get('retry-after')]).toEqual(['REQUEST_IN_PROGRESS', '1']);
      }
      expect([await promptsOf(phone_number), await paymentsOf(phone_number)]).toEqual([1, 1]);
      expect((await send(body, 'key-4')).body).toEqual(paid[0]?.body);
    });

    it('belongs to its merchant: another may use the same key', async () => {
      const other = await stack.createMerchant();
      const body = stkPush({ phone_number: '254720000006' });
      const [mine, theirs] = [await send(body, 'key-5'), await send(body, 'key-5', other)];
      expect([mine.status, theirs.status]).toEqual([200, 200]);
      expect(paymentIdOf(theirs)).not.toBe(paymentIdOf(mine));
    });

    it('repeats an error, too', async () => {
      const body = stkPush({ phone_number: '254700000709' });
      const [first, again] = [await send(body, 'key-6'), await send(body, 'key-6')];
      expect([first.status, again.status]).toEqual([409, 409]);
      // Each error has its own time.
      const times = { timestamp_utc: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/) as string };
      expect(again.body).toEqual({ ...first.body, ...times });
      expect(await promptsOf('254700000709')).toBe(1);
    });

    it('is free again after a body with faults', async () => {
      const phone_number = '254720000007';
      expect((await send(stkPush({ phone_number, amount: '9.99' }), 'key-7')).status).toBe(400);
      expect((await send(stkPush({ phone_number }), 'key-7')).status).toBe(200);
    });

    it.each(['', 'x'.repeat(256)])('400: rejects the key %j', async (key) => {
      const answer = await send(stkPush(), key);
      expect(answer.status).toBe(400);
      expect(answer.body.details).toMatchObject([{ field: 'Idempotency-Key' }]);
    });
  });

  describe('without one, within two minutes', () => {
    const twin = (changes: Record<string, unknown> = {}) =>
      stkPush({ phone_number: '254720000010', amount: 700, account_reference: 'TWIN', ...changes });

    it('409: returns the id of the payment in progress', async () => {
      const first = await send(twin());
      const second = await send(twin());
      expect([second.status, second.body.code]).toEqual([409, 'DUPLICATE_PAYMENT']);
      expect(paymentIdOf(second)).toBe(paymentIdOf(first));
      expect([await promptsOf('254720000010'), await paymentsOf('254720000010')]).toEqual([1, 1]);
    });

    it('409: also for a phone number in another format', async () => {
      expect((await send(twin({ phone_number: '0720 000 010' }))).status).toBe(409);
    });

    it.each([
      ['another order_id', { order_id: 'SECOND' }],
      ['another amount', { amount: 701 }],
      ['another account_reference', { account_reference: 'TWIN2' }],
      ['another phone', { phone_number: '254720000011' }],
    ])('200: with %s it is another payment', async (_what, changes) => {
      expect((await send(twin(changes))).status).toBe(200);
    });

    it('200: from another merchant it is another payment', async () => {
      expect((await send(twin(), undefined, await guarded())).status).toBe(200);
    });

    it('of 20 at once one is accepted and 19 are rejected', async () => {
      const phone_number = '254720000012';
      const body = stkPush({ phone_number });
      const answers = await Promise.all(Array.from({ length: 20 }, () => send(body)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
      expect([await promptsOf(phone_number), await paymentsOf(phone_number)]).toEqual([1, 1]);
    });

    it.each([
      ['failed', '254711223344'],
      ['was cancelled', '254722334455'],
    ])('200: once the first %s the customer may try again', async (_how, phone_number) => {
      const body = stkPush({ phone_number });
      const first = paymentIdOf(await send(body));
      expect((await send(body)).status).toBe(409);
      await provider.advance(3_000);
      await ended(stack.db, first);
      const second = await send(body);
      expect(second.status).toBe(200);
      expect(paymentIdOf(second)).not.toBe(first);
    });

    it('200: once the provider rejected the first at once', async () => {
      const body = stkPush({ phone_number: '254700000709' });
      const [first, second] = [await send(body), await send(body)];
      expect([first.body.code, second.body.code]).toEqual(['CUSTOMER_BUSY', 'CUSTOMER_BUSY']);
      expect(paymentIdOf(second)).not.toBe(paymentIdOf(first));
    });

    it('409: once the first was paid', async () => {
      const body = stkPush({ phone_number: '254720000013' });
      const first = paymentIdOf(await send(body));
      await provider.advance(3_000);
      await ended(stack.db, first, ['succeeded']);
      const second = await send(body);
      expect([second.status, paymentIdOf(second)]).toEqual([409, first]);
    });
  });

  it("200: the provider's own duplicate rule fails only the second: the first is paid", async () => {
    const phone_number = '254720000015';
    const where = { phone_number };
    await provider.next({ call: 'prompt', behave: 'rule_limited', where });
    const first = paymentIdOf(await push(stack, merchant, { phone_number, account_reference: 'FIRST' }));
    const other = await stack.createMerchant('Other Shop');
    const again = paymentIdOf(await push(stack, other, { phone_number, account_reference: 'SECOND' }));
    await provider.advance(3_000);
    expect(await ended(stack.db, first)).toMatchObject({ state: 'succeeded', confirmed_minor: '125000' });
    expect(await ended(stack.db, again)).toMatchObject({
      state: 'failed',
      result_code: '17',
      result_text: 'Rule limited.',
      confirmed_minor: null,
    });
    expect([await promptsOf(phone_number), await creditsOf(stack.db, first)]).toEqual([2, [125_000n]]);
    await provider.advance(120_000);
    const late = paymentIdOf(await push(stack, other, { phone_number, account_reference: 'THIRD' }));
    await provider.advance(3_000);
    await ended(stack.db, late, ['succeeded']);
  });

  it('200: without a key and after two minutes it is a new payment', async () => {
    const changes = { phone_number: '254720000014', account_reference: 'LATER' };
    const first = paymentIdOf(await push(stack, merchant, changes));
    const over = stack.db.raw('UTC_TIMESTAMP(3)') as never;
    await stack.db('duplicate_guards').where({ payment_id: first }).update({ until_at: over });
    await stack.db('payments').where({ payment_id: first }).update({ guarded_until: over });
    expect((await push(stack, merchant, changes)).status).toBe(200);
  });
});
