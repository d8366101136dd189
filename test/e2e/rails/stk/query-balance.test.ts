import { setMerchant } from '../../../../src/merchants/merchants';
import { openAccount } from '../../../../src/ledger/accounts';
import { transferByHand } from '../../../../tools/sandbox/transfer-by-hand';
import { expectClean } from '../../../support/expect-clean';
import { call, type ApiAnswer } from '../../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { accepted, ended } from '../../../support/rails/stk/payments';

const environment = 'sandbox';

describe.each(['/api/v1/query_balance', '/api/v1/merchant/balance'])('GET %s', (path) => {
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 60 });
    merchant = await stack.createMerchant('Duka la Mama Njeri');
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  type Keys = Pick<TestMerchant, 'apiKey' | 'apiSecret'>;
  const ask = (as: Keys | undefined = merchant): Promise<ApiAnswer> => call(stack, as, 'GET', path);
  async function merchantThatIs(status: string): Promise<TestMerchant> {
    const created = await stack.createMerchant();
    await setMerchant(stack.db, created.merchantId, { status }, { environment });
    return created;
  }
  /** The whole error body: every error has one shape. */
  const error = (text: string, code: string, answer: ApiAnswer, message = text) => ({
    success: false,
    error: text,
    message,
    code,
    request_id: answer.headers.get('x-request-id'),
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    timestamp_utc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });

  describe('200', () => {
    it('shows an account that was never used', async () => {
      const answer = await ask();
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        success: true,
        merchant_id: merchant.merchantId,
        merchant_name: 'Duka la Mama Njeri',
        balance: 0,
        currency: 'KES',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        timestamp_utc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
    });

    it('shows Nairobi time', async () => {
      const shown = Date.parse(`${String((await ask()).body.timestamp).replace(' ', 'T')}+03:00`);
      expect(Math.abs(Date.now() - shown)).toBeLessThan(5_000);
    });

    it('rises by paid amounts only', async () => {
      const payer = await stack.createMerchant();
      for (const phone_number of ['254708374149', '254711223344', '254722334455']) {
        const { payment_id: paymentId } = await accepted(stack, payer, { phone_number, amount: 75 });
        await ended(stack.db, paymentId);
      }
      expect((await ask(payer)).body.balance).toBe(75);
    });

    it('shows only shillings, with their cents', async () => {
      const rich = await stack.createMerchant();
      for (const [currency, amountMinor] of [
        ['KES', 123_456n],
        ['USD', 999n],
      ] as const) {
        await openAccount(stack.db, { class: 'bank', currency });
        await transferByHand(stack.db, {
          from: { class: 'bank', currency },
          to: { class: 'wallet', merchantId: rich.merchantId, currency },
          amountMinor,
          reason: 'opening balance',
          whenShort: 'BALANCE_INSUFFICIENT',
        });
      }
      expect((await ask(rich)).body).toMatchObject({ balance: 1234.56, currency: 'KES' });
    });
  });

  describe('401', () => {
    it('API credentials required, when they are missing or not in the headers', async () => {
      const answer = await ask({ apiKey: '', apiSecret: '' });
      expect([answer.status, answer.body]).toEqual([
        401,
        error(
          'API credentials required',
          'CREDENTIALS_REQUIRED',
          answer,
          'API credentials required. Send them in the headers X-API-Key and X-API-Secret',
        ),
      ]);
      const inQuery = await call(
        stack,
        undefined,
        'GET',
        `${path}?api_key=${merchant.apiKey}&api_secret=${merchant.apiSecret}`,
      );
      expect([inQuery.status, inQuery.body.error]).toEqual([401, 'API credentials required']);
    });

    it.each([
      ['a wrong secret', (keys: Keys) => ({ ...keys, apiSecret: 'sk_test_wrong' })],
      ['an unknown key', (keys: Keys) => ({ ...keys, apiKey: `pk_test_${'0'.repeat(32)}` })],
      [
        'a key of the other environment',
        (keys: Keys) => ({ ...keys, apiKey: keys.apiKey.replace('test', 'live') }),
      ],
    ])('Invalid merchant, for %s', async (_what, spoil) => {
      const answer = await ask(spoil(merchant));
      expect([answer.status, answer.body]).toEqual([
        401,
        error('Invalid merchant', 'INVALID_MERCHANT', answer),
      ]);
    });
  });

  it('403: Account suspended', async () => {
    const answer = await ask(await merchantThatIs('suspended'));
    expect([answer.status, answer.body.error]).toEqual([403, 'Account suspended']);
  });

  it('404: Merchant account not found, for a closed merchant', async () => {
    const answer = await ask(await merchantThatIs('inactive'));
    expect([answer.status, answer.body]).toEqual([
      404,
      error('Merchant account not found', 'MERCHANT_NOT_FOUND', answer),
    ]);
  });

  it('405: Method not allowed. Use GET request', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const response = await fetch(`${stack.apiUrl}${path}`, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
      expect(await response.json()).toMatchObject({
        success: false,
        error: 'Method not allowed. Use GET request',
      });
    }
  });

  it('500: an internal error, without its reason', async () => {
    await stack.db.raw('RENAME TABLE ledger_accounts TO ledger_accounts_gone');
    try {
      const answer = await ask();
      expect([answer.status, answer.body]).toEqual([
        500,
        error('Something went wrong on our side', 'INTERNAL_ERROR', answer),
      ]);
    } finally {
      await stack.db.raw('RENAME TABLE ledger_accounts_gone TO ledger_accounts');
    }
  });
});
