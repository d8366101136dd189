/** One user alone against the running product: which payouts a developer and an owner cannot send. */
import type { MerchantRole } from '../../../src/users/roles';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { expectClean } from '../../support/expect-clean';
import { call as callApi, type ApiAnswer } from '../../support/merchant-client';
import { asOurs } from '../../support/own-rows';
import { ended } from '../../support/payments/timeline';
import { call, sessionOf } from '../../support/portal/portal-support';
import { floatOf, fund, transferBody } from '../../support/rails/momo/payments';
import {
  floatOf as walletpayFloatOf,
  canPayOut,
  payoutRequest,
} from '../../support/rails/walletpay/payments';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';
import { createPerson } from '../../support/users/users-support';
import { startPortalProcess, type PortalProcess } from './portal-process';

describe('one user alone', () => {
  let test: TestDatabase;
  let stack: Stack;
  let portal: PortalProcess;
  beforeAll(async () => {
    test = await createTestDatabase();
    stack = await startStack({ timeScale: 20, database: test });
    portal = await startPortalProcess({ ...stack.env, MALIPO_APPROVER_STANDING_HOURS: '24' });
  });
  afterAll(async () => {
    await portal.stop();
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
  });

  let persons = 0;
  async function signedIn({ merchantId }: TestMerchant, role: MerchantRole, days = 2) {
    persons += 1;
    const person = await createPerson(stack.db, `alone${String(persons)}@duka.example`, { merchantId, role });
    await test.db.raw(
      `UPDATE memberships SET accepted_at = accepted_at - INTERVAL ${String(days)} DAY,
         decides_since = decides_since - INTERVAL ${String(days)} DAY WHERE user_id = ?`,
      [person.userId],
    );
    await asOurs(stack.db, 'memberships', `${merchantId}|${person.userId}`);
    const token = await sessionOf({ db: stack.db, test }, person);
    const base = `/m/${merchantId}`;
    return {
      ...person,
      post: (path: string, form: Record<string, string> = {}) =>
        call(portal, { method: 'POST', path: path.startsWith(base) ? path : `${base}${path}`, token, form }),
    };
  }
  async function aShop() {
    const shop = await stack.createMerchant('Alone');
    await fund(stack, shop, 10_000n);
    await canPayOut(stack, shop, 10_000n);
    return shop;
  }
  const floats = async (shop: TestMerchant) => [
    await floatOf(stack, shop),
    await walletpayFloatOf(stack, shop),
  ];
  const full = { free: 10_000n, reserved: 0n };
  const wentOut = async ({ merchantId }: TestMerchant) =>
    stack
      .db('payments')
      .where({ merchant_id: merchantId })
      .whereIn('kind', ['payout', 'refund'])
      .pluck('kind');
  const aPayout = { float: 'momo ZMW ZMB', recipient: '+260763000789', amount: '5.00', reference: 'MINE' };

  it('cannot send payouts on any rail as a developer with a new key', async () => {
    const shop = await aShop();
    const [dev] = [await signedIn(shop, 'developer'), await signedIn(shop, 'owner')];
    const newest =
      (await stack.db('api_keys').where({ merchant_id: shop.merchantId }).first())?.api_key ?? '';
    const form = { name: 'mine', newest };
    expect((await dev.post('/developers/keys', { ...form, scopes: 'collect,payout' })).status).toBe(422);
    const made = await dev.post('/developers/keys', { ...form, scopes: 'collect' });
    const mine = {
      apiKey: /pk_test_\w+/.exec(made.text)?.[0] ?? '',
      apiSecret: /sk_test_\w+/.exec(made.text)?.[0] ?? '',
    };
    const more = { key: mine.apiKey, before: 'read,collect', scopes: 'collect,payout' };
    expect((await dev.post('/developers/keys/scopes', more)).status).toBe(422);
    const send = (path: string, body: unknown) => callApi(stack, mine, 'POST', `/api/v1/${path}`, body);
    const rows = { order_id: 'MINE', payouts: [transferBody()] };
    const entries: [string, unknown][] = [
      ['momo/payout', transferBody()],
      ['momo/bulk_payout', rows],
      ['momo/refund', { transaction_id: '01890a5d-ac96-774b-bcce-b302099a8057' }],
      ['momo/cancel_payout', { transaction_id: '01890a5d-ac96-774b-bcce-b302099a8057' }],
      ['walletpay/create_payout', payoutRequest()],
      ['walletpay/bulk_payout', { order_id: 'MINE', payouts: [payoutRequest()] }],
      ['walletpay/refund', { walletpay_order_id: 'x' }],
      ['create_voucher', { email: 'me@example.org', amount: '5.00', currency: 'KES' }],
    ];
    for (const [path, body] of entries) {
      const { status, body: reported }: ApiAnswer = await send(path, body);
      expect([path, status, reported.code, reported['required_scope']]).toEqual([
        path,
        403,
        'SCOPE_REQUIRED',
        'payout',
      ]);
    }
    // Also with keys in the body, and with an idempotency key.
    const inBody = { ...payoutRequest(), api_key: mine.apiKey, api_secret: mine.apiSecret };
    const posted = await callApi(stack, undefined, 'POST', '/api/v1/walletpay/create_payout', inBody, {
      'Idempotency-Key': 'mine',
    });
    expect([posted.status, posted.body.code]).toEqual([403, 'SCOPE_REQUIRED']);
    expect((await send('momo/deposit', transferBody())).status).toBe(200);
    expect((await dev.post('/developers/keys/revoke', { key: mine.apiKey })).status).toBe(303);
    expect((await send('momo/deposit', transferBody())).status).toBe(401);
    expect([await wentOut(shop), await floats(shop)]).toEqual([[], [full, full]]);
  });

  it('cannot send an own list as an owner who takes the role from the others, before or after creating it', async () => {
    const shop = await aShop();
    const [owner, finance] = [await signedIn(shop, 'owner'), await signedIn(shop, 'finance')];
    const demote = (role: string) => owner.post('/team/role', { user: finance.userId, role });
    const approve = (path: string) => owner.post(`${path}/approve`);
    const make = async () => (await owner.post('/payouts/one', { ...aPayout, message: '' })).to;
    const before = await make();
    expect((await approve(before)).status).toBe(422);
    await demote('viewer');
    const demoted = await approve(before);
    expect([demoted.status, demoted.text.includes('You cannot approve payouts that you created.')]).toEqual([
      422,
      true,
    ]);
    const asked = await make();
    expect((await approve(asked)).status).toBe(422);
    expect((await owner.post(`${asked}/ask`)).to).toBe(`${asked}?done=asked`);
    expect((await approve(asked)).status).toBe(422);
    await owner.post('/team/remove', { user: finance.userId, sure: '1' });
    expect((await approve(await make())).status).toBe(422);
    // A member who was added for this cannot decide today.
    const friend = await signedIn(shop, 'finance', 0);
    const early = await friend.post(`${asked}/approve`);
    expect([early.status, early.text.includes('is too new')]).toEqual([422, true]);
    expect([await wentOut(shop), await floats(shop)]).toEqual([[], [full, full]]);
    const reported = await stack.db('mails').where({ recipient: finance.email, kind: 'portal-change' });
    expect(reported).toHaveLength(2);
    // After a day, the second user can decide.
    await test.db.raw(
      'UPDATE memberships SET decides_since = decides_since - INTERVAL 1 DAY WHERE user_id = ?',
      [friend.userId],
    );
    await asOurs(stack.db, 'memberships', `${shop.merchantId}|${friend.userId}`);
    expect((await friend.post(`${asked}/approve`)).to).toBe(`${asked}?done=sent`);
    const [sent] = await stack.db('payments').where({ merchant_id: shop.merchantId, kind: 'payout' });
    await ended(stack.db, sent?.payment_id ?? '', ['succeeded']);
  });

  it('as the only member confirms the own list after the role is a day old', async () => {
    const shop = await aShop();
    const owner = await signedIn(shop, 'owner', 0);
    const path = (await owner.post('/payouts/one', { ...aPayout, message: '' })).to;
    const early = await owner.post(`${path}/approve`);
    expect([early.status, early.text.includes('is too new')]).toEqual([422, true]);
    await test.db.raw(
      'UPDATE memberships SET decides_since = decides_since - INTERVAL 1 DAY WHERE user_id = ?',
      [owner.userId],
    );
    await asOurs(stack.db, 'memberships', `${shop.merchantId}|${owner.userId}`);
    // A later member can decide only after the same time.
    await signedIn(shop, 'finance', 0);
    expect((await owner.post(`${path}/approve`)).to).toBe(`${path}?done=sent`);
    const [sent] = await stack.db('payments').where({ merchant_id: shop.merchantId, kind: 'payout' });
    await ended(stack.db, sent?.payment_id ?? '', ['succeeded']);
  });

  it('who is removed while another user approves: the list is either sent or ended', async () => {
    const shop = await aShop();
    const [owner, maker, other] = [
      await signedIn(shop, 'owner'),
      await signedIn(shop, 'finance'),
      await signedIn(shop, 'finance'),
    ];
    const path = (await maker.post('/payouts/one', { ...aPayout, message: '' })).to;
    await maker.post(`${path}/ask`);
    const [, approved] = await Promise.all([
      owner.post('/team/remove', { user: maker.userId, sure: '1' }),
      other.post(`${path}/approve`),
    ]);
    const batchId = path.split('/').at(-1) ?? '';
    const batch = await stack.db('payout_batches').where({ batch_id: batchId }).first();
    const isSent = approved.to === `${path}?done=sent`;
    expect([batch?.state, (await wentOut(shop)).length]).toEqual(isSent ? ['sent', 1] : ['rejected', 0]);
    expect(batch?.ended_why).toBe(isSent ? null : 'maker_removed');
    await waitFor(
      async () => {
        const open = await stack.db('payments').where({ merchant_id: shop.merchantId, is_final: 0 });
        return open.length === 0 ? true : undefined;
      },
      { what: 'what was sent to end', timeoutMs: 60_000 },
    );
  });
});
