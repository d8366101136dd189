import { expectClean } from '../../support/expect-clean';
import { call } from '../../support/merchant-client';
import { sharedStack } from '../../support/shared-stack';
import type { Stack, TestMerchant } from '../../support/stack';
import { codeMailedTo, create, fund, mailsTo, walletOf } from '../../support/vouchers/vouchers';

describe('POST /api/v1/create_voucher', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    stack = await sharedStack();
    merchant = await stack.createMerchant('Duka & Sons');
    await fund(stack, merchant, 1_000_000n);
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  describe('200', () => {
    it('debits the amount from the wallet, and answers everything but the code', async () => {
      const before = await walletOf(stack, merchant);
      const { status, body } = await create(stack, merchant, { email: 'fields@example.org' });
      expect(status).toBe(200);
      expect(body).toEqual({
        success: true,
        data: {
          voucher_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          code_last4: expect.stringMatching(/^[0-9A-Z]{4}$/),
          email: 'fields@example.org',
          amount: 250,
          currency: 'KES',
          status: 'Active',
          expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        },
      });
      const days = (Date.parse(String(body.data?.['expires_at'])) - Date.now()) / 86_400_000;
      expect(Math.round(days)).toBe(90);
      expect(before - (await walletOf(stack, merchant))).toBe(25_000n);
    });

    it('mails the code once, and stores it nowhere', async () => {
      const { body } = await create(stack, merchant, { email: 'mail@example.org' });
      const code = await codeMailedTo(stack, 'mail@example.org');
      expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
      expect(code.slice(-4)).toBe(body.data?.['code_last4']);
      const [mail, ...others] = await mailsTo(stack, 'mail@example.org');
      expect(others).toEqual([]);
      expect(mail?.subject).toBe('A voucher worth KES 250.00');
      expect(mail?.text).toContain('Duka & Sons');
      expect(await stack.logs()).not.toContain(code);
      const kept = await stack.db('mails').where({ recipient: 'mail@example.org' }).first();
      expect(kept?.body).not.toContain(code.slice(0, 14));
    });

    it('creates one voucher for repeats with one Idempotency-Key', async () => {
      const before = await walletOf(stack, merchant);
      const once = { 'Idempotency-Key': 'voucher-1' };
      const first = await create(stack, merchant, {}, once);
      const again = await create(stack, merchant, {}, once);
      expect(again.body).toEqual(first.body);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(before - (await walletOf(stack, merchant))).toBe(25_000n);
    });
  });

  describe('400', () => {
    it('rejects more than the wallet balance, and debits nothing', async () => {
      const poor = await stack.createMerchant();
      await fund(stack, poor, 24_999n);
      const { status, body } = await create(stack, poor, { email: 'poor@example.org' });
      expect([status, body.code]).toEqual([400, 'BALANCE_INSUFFICIENT']);
      expect(await walletOf(stack, poor)).toBe(24_999n);
      expect(await stack.db('mails').where({ recipient: 'poor@example.org' })).toEqual([]);
    });

    it('with ten concurrent requests and a balance for four, creates exactly four', async () => {
      const short = await stack.createMerchant();
      await fund(stack, short, 100_000n);
      const answers = await Promise.all(Array.from({ length: 10 }, () => create(stack, short)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
      expect(answers.filter(({ body }) => body.code === 'BALANCE_INSUFFICIENT')).toHaveLength(6);
      expect(await walletOf(stack, short)).toBe(0n);
    });

    it.each([
      ['email', { email: undefined }],
      ['email', { email: 'ana' }],
      ['email', { email: 'ana@example.org\r\nBcc: eve@example.org' }],
      ['email', { email: 7 }],
      ['amount', { amount: undefined }],
      ['amount', { amount: '0.00' }],
      ['amount', { amount: '-1.00' }],
      ['amount', { amount: 1.234 }],
      ['currency', { currency: undefined }],
      ['currency', { currency: 'ZZZ' }],
    ])('names the fault in %s: %j', async (field, changes) => {
      const { status, body } = await create(stack, merchant, changes);
      const faults = new Set(body.details?.map((fault) => fault.field));
      expect([status, [...faults]]).toEqual([400, [field]]);
    });
  });

  it('401 without credentials', async () => {
    const body = { email: 'ana@example.org', amount: '1.00', currency: 'KES' };
    const { status } = await call(stack, undefined, 'POST', '/api/v1/create_voucher', body);
    expect(status).toBe(401);
  });
});
