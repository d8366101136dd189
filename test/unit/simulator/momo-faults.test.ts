import { startTestBench, type TestBench } from '../../support/simulator/bench';
import {
  bearer,
  depositFields,
  payoutFields,
  redirectFields,
  type MomoClient,
} from '../../support/simulator/momo-client';

const SUCCESS = '260763456789';

let bench: TestBench;
let momo: MomoClient;
beforeEach(async () => {
  bench = await startTestBench();
  momo = bench.momo;
});
afterEach(() => bench.stop());

const reported = () => bench.receiver.received.map(({ body }) => body['status']);

describe('POST /control/next', () => {
  it.each(['drop', '500', 'html', '429', '503', 'expired_token'])(
    'submission with %s: nothing happened',
    async (behave) => {
      await momo.next({ call: 'initiate', behave });
      const fields = depositFields(SUCCESS);
      await momo.send('deposits', fields).catch(() => undefined);
      expect((await momo.status('deposits', String(fields['depositId']))).body.status).toBe('NOT_FOUND');
    },
  );

  it.each(['act_then_500', 'act_then_drop'])('submission with %s: it happened', async (behave) => {
    await momo.next({ call: 'initiate', behave, where: { operation: 'PAYOUT', phone_number: SUCCESS } });
    await momo.deposit(SUCCESS);
    const fields = payoutFields(SUCCESS);
    await momo.send('payouts', fields).catch(() => undefined);
    await momo.advance(3_000);
    expect(await momo.stateOf('payouts', String(fields['payoutId']))).toBe('COMPLETED');
  });

  it.each([
    ['status', 'GET', 'deposits/5b1c9d0e-3f5a-4c41-9a57-2d1f0a6f7e11'],
    ['conf', 'GET', 'active-conf'],
    ['availability', 'GET', 'availability'],
    ['balances', 'GET', 'wallet-balances'],
    ['keys', 'GET', 'public-key/http'],
    ['predict', 'POST', 'predict-provider'],
    ['cancel', 'POST', 'payouts/fail-enqueued/5b1c9d0e-3f5a-4c41-9a57-2d1f0a6f7e11'],
    ['resend', 'POST', 'deposits/resend-callback/5b1c9d0e-3f5a-4c41-9a57-2d1f0a6f7e11'],
  ])('applies a fault to %s once', async (call, method, path) => {
    await momo.next({ call, behave: '503' });
    const ask = () => momo.call(`/v2/${path}`, { method, headers: bearer });
    expect((await ask()).status).toBe(503);
    expect((await ask()).status).not.toBe(503);
  });

  it('answers a rate limit and a wrong token as the provider does', async () => {
    await momo.next({ call: 'initiate', behave: 429 });
    await momo.next({ call: 'initiate', behave: 'expired_token' });
    expect(await momo.send('deposits', depositFields(SUCCESS))).toMatchObject({
      status: 429,
      body: { failureReason: { failureCode: 'TOO_MANY_REQUESTS' } },
    });
    expect(await momo.send('deposits', depositFields(SUCCESS))).toMatchObject({
      status: 403,
      body: { failureReason: { failureCode: 'AUTHENTICATION_ERROR' } },
    });
  });

  it('drops, delays, repeats and advances notifications', async () => {
    await momo.next({ call: 'callback', behave: 'drop' });
    await momo.deposit(SUCCESS);
    await momo.advance(3_000);
    expect(reported()).toEqual([]);
    await momo.next({ call: 'callback', behave: 'delay', ms: 60_000, where: { provider: 'MTN_MOMO_ZMB' } });
    await momo.deposit(SUCCESS);
    await momo.advance(50_000);
    expect(reported()).toEqual([]);
    await momo.advance(15_000);
    expect(reported()).toHaveLength(1);
    await momo.next({ call: 'callback', behave: 'duplicate' });
    await momo.deposit(SUCCESS);
    await momo.advance(3_000);
    expect(reported()).toHaveLength(11);
    await momo.next({ call: 'callback', behave: 'reorder' });
    await momo.deposit(SUCCESS);
    expect(reported()).toHaveLength(12);
    await momo.advance(3_000);
    expect(reported()).toHaveLength(12);
  });

  it('reports a failure, with a valid signature, before it reports the payment', async () => {
    await momo.next({ call: 'callback', behave: 'contradict', where: { operation: 'DEPOSIT' } });
    await momo.deposit(SUCCESS);
    await momo.advance(3_000);
    expect(reported()).toEqual(['FAILED', 'COMPLETED']);
    const signed = bench.receiver.received.map(({ headers }) => headers['signature'] !== undefined);
    expect(signed).toEqual([true, true]);
  });

  it('sends nothing while notifications are switched off, not even retries', async () => {
    bench.receiver.answerWith(500);
    await momo.deposit(SUCCESS);
    await momo.advance(3_000);
    const { length } = reported();
    await momo.next({ call: 'callback', behave: 'switched_off' });
    await momo.deposit(SUCCESS);
    await momo.advance(3_600_000);
    expect(reported()).toHaveLength(length);
  });
});

describe('/control/momo refuses', () => {
  const id = '5b1c9d0e-3f5a-4c41-9a57-2d1f0a6f7e11';
  it.each([
    ['providers/NOBODY', { operation: 'PAYOUT', status: 'CLOSED' }, 404, 'There is no provider NOBODY'],
    [
      'providers/MPESA_KEN',
      { operation: 'GIFT', status: 'CLOSED' },
      400,
      'operation must be one of: DEPOSIT, PAYOUT, REFUND',
    ],
    [
      'providers/MPESA_KEN',
      { operation: 'PAYOUT', status: 'LATE' },
      400,
      'status must be one of: OPERATIONAL, DELAYED, CLOSED',
    ],
    [`authorisations/${id}`, { action: 'abandon' }, 400, 'action must be one of: pay, decline'],
    [`authorisations/${id}`, { action: 'pay' }, 404, `There is no deposit ${id}`],
    [
      'wallets',
      { country: 'ZMB', currency: 'KES', balance: '1.00' },
      400,
      'There is no wallet of that country and currency',
    ],
    [
      'wallets',
      { country: 'ZMB', currency: 'ZMW', balance: 1 },
      400,
      'balance must be a string with two decimals, such as "10.00"',
    ],
    [
      'account',
      { signed_requests_only: true },
      409,
      'Set MOMO_REQUEST_PUBLIC_KEY first: no signature could be verified without it',
    ],
    ['account', { signature_encoding: 'pem' }, 400, 'signature_encoding must be one of: der, raw'],
    ['account', { signed_callbacks: 'no' }, 400, 'signed_callbacks must be true or false'],
    [
      'account',
      { signed: true },
      400,
      'A field must be one of: signed_requests_only, signed_callbacks, signature_encoding',
    ],
  ])('%s %j: %i %s', async (path, body, status, error) => {
    expect(await momo.control(path, body)).toMatchObject({ status, body: { success: false, error } });
  });

  it('a decision before the page is open, and a second decision', async () => {
    const deposit = await momo.accepted('deposits', redirectFields('https://merchant.example'));
    expect((await momo.decide(deposit, 'pay')).status).toBe(409);
    await momo.advance(3_000);
    expect((await momo.decide(deposit, 'pay')).status).toBe(200);
    expect((await momo.decide(deposit, 'decline')).status).toBe(409);
  });
});

it('a restart with the same state keeps everything', async () => {
  await momo.control('wallets', { country: 'ZMB', currency: 'ZMW', balance: '150.00' });
  await momo.switchProvider('MTN_MOMO_ZMB', 'PAYOUT', 'DELAYED');
  const enqueued = await momo.payout(SUCCESS);
  const late = await momo.deposit('260763000711');
  const redirect = await momo.accepted('deposits', redirectFields('https://merchant.example'));
  const lost = depositFields('260763000756');
  await expect(momo.send('deposits', lost)).rejects.toThrow('fetch failed');
  await momo.advance(3_000);
  const refund = await momo.refund(late, { amount: '10', currency: 'ZMW' });

  await bench.restart();
  momo = bench.momo;
  expect(await momo.books()).toEqual({ ZMW: { successes: 1, amount: '25.50' } });
  const wallets = await momo.get('wallet-balances?country=ZMB');
  expect(wallets.body).toMatchObject({ balances: [{ balance: '65.50' }] });
  expect(await momo.accepted('deposits', lost)).toBe(lost['depositId']);
  expect((await momo.send('refunds', { refundId: refund, depositId: late })).body['status']).toBe(
    'DUPLICATE_IGNORED',
  );
  const second = { refundId: '5b1c9d0e-3f5a-4c41-9a57-2d1f0a6f7e11', depositId: late };
  expect((await momo.send('refunds', second)).body).toMatchObject({
    failureReason: { failureCode: 'REFUND_IN_PROGRESS' },
  });
  expect((await momo.decide(redirect, 'pay')).status).toBe(200);
  await momo.switchProvider('MTN_MOMO_ZMB', 'PAYOUT', 'OPERATIONAL');
  await momo.advance(120_000);
  expect(await momo.stateOf('payouts', enqueued)).toBe('COMPLETED');
  expect(await momo.stateOf('refunds', refund)).toBe('COMPLETED');
  const ids = bench.receiver.received.map(
    ({ body }) => body['depositId'] ?? body['payoutId'] ?? body['refundId'],
  );
  expect(ids.sort()).toEqual([redirect, redirect, enqueued, refund, late, lost['depositId']].sort());
});
