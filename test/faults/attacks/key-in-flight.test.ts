/**
 * A key that is revoked or loses a scope, or a merchant that is suspended, while the body of a request is still
 * arriving.
 */
import { request, type ClientRequest } from 'node:http';
import { setMerchant } from '../../../src/merchants/merchants';
import { revokeKey, setKeyScopes } from '../../../src/merchants/own-keys';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { expectClean } from '../../support/expect-clean';
import type { ApiBody } from '../../support/merchant-client';
import { ownReference } from '../../support/own-reference';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';
import { fund as fundFloat, transferBody } from '../../support/rails/momo/payments';
import { canPayOut, payoutRequest } from '../../support/rails/walletpay/payments';
import { fund as fundWallet } from '../../support/vouchers/vouchers';

interface Slow {
  finish(): Promise<{ status: number; body: ApiBody }>;
}

describe('a request whose key changes while its body is arriving', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  async function shop(): Promise<TestMerchant> {
    const merchant = await stack.createMerchant();
    await canPayOut(stack, merchant);
    await fundFloat(stack, merchant, 1_000_000n);
    await fundWallet(stack, merchant, 1_000_000n);
    return merchant;
  }

  /** Sends all but the last byte, and waits until the server has identified the caller. */
  async function begin(merchant: TestMerchant, path: string, body: object): Promise<Slow> {
    const text = JSON.stringify(body);
    let asked: ClientRequest | undefined;
    const answered = new Promise<{ status: number; body: ApiBody }>((resolve, reject) => {
      const headers = {
        ...{ 'X-API-Key': merchant.apiKey, 'X-API-Secret': merchant.apiSecret },
        ...{ 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)) },
      };
      asked = request(`${stack.apiUrl}${path}`, { method: 'POST', headers }, (answer) => {
        let reported = '';
        answer.on('data', (chunk) => (reported += String(chunk)));
        answer.on('end', () => {
          resolve({ status: answer.statusCode ?? 0, body: JSON.parse(reported) as ApiBody });
        });
      });
      asked.on('error', reject);
      asked.write(text.slice(0, -1));
    });
    // Its rate limit token is spent once its key is known.
    await waitFor(
      () => stack.db('rate_limit_buckets').where('bucket', 'like', `%${merchant.merchantId}%`).first(),
      { what: 'the key to be identified', timeoutMs: 30_000 },
    );
    return {
      finish: () => {
        asked?.end(text.slice(-1));
        return answered;
      },
    };
  }

  const payouts: [string, string, () => object][] = [
    ['a payout', '/api/v1/momo/payout', () => transferBody()],
    ['a wallet payout', '/api/v1/walletpay/create_payout', () => payoutRequest()],
    [
      'many payouts',
      '/api/v1/momo/bulk_payout',
      () => ({ order_id: ownReference('SLOW-'), payouts: [transferBody(), transferBody()] }),
    ],
    [
      'a voucher',
      '/api/v1/create_voucher',
      () => ({ email: 'ana@example.org', amount: '10.00', currency: 'KES' }),
    ],
  ];
  const sentOut = async ({ merchantId: merchant_id }: TestMerchant) => [
    ...(await stack.db('payments').where({ merchant_id })),
    ...(await stack.db('vouchers').where({ merchant_id })),
    ...(await stack.db('bulk_payouts').where({ merchant_id })),
  ];

  it.each(payouts)('%s: is not sent after the key is revoked', async (_what, path, body) => {
    const merchant = await shop();
    const slow = await begin(merchant, path, body());
    const done = () => Promise.resolve();
    expect(await revokeKey(stack.db, merchant.merchantId, merchant.apiKey, done)).toBe(true);
    expect(await slow.finish()).toMatchObject({ status: 401, body: { success: false } });
    expect(await sentOut(merchant)).toEqual([]);
  });

  it.each(payouts)('%s: is not sent after the key has only the scope collect', async (_what, path, body) => {
    const merchant = await shop();
    const slow = await begin(merchant, path, body());
    await stack.db.transaction((trx) =>
      setKeyScopes(trx, merchant.merchantId, {
        apiKey: merchant.apiKey,
        ...{ seen: ['read', 'collect', 'payout'], scopes: ['read', 'collect'] },
      }),
    );
    expect(await slow.finish()).toMatchObject({ status: 403, body: { code: 'SCOPE_REQUIRED' } });
    expect(await sentOut(merchant)).toEqual([]);
  });

  it('sends nothing after its merchant is suspended', async () => {
    const merchant = await shop();
    const slow = await begin(merchant, '/api/v1/momo/payout', transferBody());
    await setMerchant(stack.db, merchant.merchantId, { status: 'suspended' }, { environment: 'sandbox' });
    expect(await slow.finish()).toMatchObject({ status: 403, body: { code: 'ACCOUNT_SUSPENDED' } });
    expect(await sentOut(merchant)).toEqual([]);
  });

  it('does its work if nothing has changed', async () => {
    const merchant = await shop();
    const slow = await begin(merchant, '/api/v1/momo/payout', transferBody());
    expect(await slow.finish()).toMatchObject({ status: 200 });
    expect(await sentOut(merchant)).toHaveLength(1);
  });
});
