/**
 * The meaning of NOT_FOUND for a payment: it was never received only if the provider has not reported it, and it may be
 * sent again.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { operationOf } from '../../../../src/rail-kit/rail';
import { createRails } from '../../../../src/rails';
import type { InboxRow, PaymentRow } from '../../../../src/store/tables';
import { ownTokens } from '../../../support/own-tokens';
import { silentLog } from '../../../support/silent-log';

let provider: Server;
let sent = 0;
let cancelledAs = '';
beforeAll(async () => {
  provider = createServer(({ method, url }, response) => {
    if (method === 'POST') sent += 1;
    if (url?.includes('fail-enqueued') === true) {
      const rejected = { status: 'REJECTED', failureReason: { failureCode: cancelledAs } };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(rejected));
      return;
    }
    response.setHeader('content-type', 'application/json').end('{"status":"NOT_FOUND"}');
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => provider.close(resolve)));

const minute = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * minute);

function payouts(signed: boolean, timeScale = 1) {
  const { port } = provider.address() as AddressInfo;
  const env = {
    MOMO_BASE_URL: `http://127.0.0.1:${String(port)}`,
    MOMO_TOKEN: 'token',
    MOMO_SIGNED_CALLBACKS: String(signed),
  };
  const settings = {
    environment: 'sandbox',
    publicUrl: 'https://pay.example',
    timezone: 'UTC',
    timeScale,
  };
  const own = { ...settings, env, log: silentLog, tokens: ownTokens(), observe: () => {} } as const;
  const [rail] = createRails({ ...own, environment: 'sandbox' }, ['momo']);
  if (!rail) throw new Error('no rail');
  return operationOf(rail, { kind: 'payout', provider: 'MTN_MOMO_ZMB' });
}

const found = (changes: Partial<PaymentRow>, signed = true) => {
  const row = { payment_id: 'p', state: 'pending', details: {}, created_at: ago(600) };
  const clock = { clock_ahead_ms: '0', accepted_ahead_ms: '0' };
  const payment = { ...row, ...clock, accepted_at: ago(16), ...changes } as unknown as PaymentRow;
  return payouts(signed).retrieveStatus(payment, { timeoutMs: 5_000, requestId: 'r' });
};
const reported = { received_there: 'yes' };
const unknownToProvider = { kind: 'open', unknownToProvider: true };
const neverReceived = { kind: 'failed', code: 'NOT_RECEIVED', neverReceived: true };
const nothing = { kind: 'open', text: 'NOT_FOUND' };

it.each<[string, Partial<PaymentRow>, object]>([
  ['was never answered for, a quarter of an hour later', {}, neverReceived],
  ['was never answered for, before that', { accepted_at: ago(14) }, nothing],
  ['was told of, minutes later', { details: reported, accepted_at: ago(3) }, unknownToProvider],
  ['was told of a moment ago', { details: reported, accepted_at: ago(1) }, nothing],
  ['was called under way', { state: 'processing', accepted_at: null }, unknownToProvider],
  ['waits to be sent, however long', { state: 'received', accepted_at: null }, nothing],
  ['is being sent', { state: 'initiating', accepted_at: null }, nothing],
])('of a payment that %s', async (_what, changes, providerResult) => {
  expect(await found(changes)).toMatchObject(providerResult);
  expect(payouts(true).neverReceivedCode).toBe(neverReceived.code);
});

it('without signed callbacks, only the provider’s own answers prove that it had a payment', async () => {
  expect(await found({ state: 'processing' }, false)).toMatchObject(neverReceived);
  expect(await found({ state: 'processing', details: reported }, false)).toMatchObject(unknownToProvider);
  const body = JSON.stringify({ payoutId: 'p', status: 'PROCESSING', amount: '1', currency: 'ZMW' });
  const notification = { body } as InboxRow;
  expect(payouts(true).readNotification(notification)).toMatchObject({ details: reported });
  expect(payouts(false).readNotification(notification)).not.toMatchObject({ details: reported });
});

it.each<[string, number, number, number]>([
  ['after a minute', 1, 60, 1],
  ['not after three', 1, 180, 0],
  ['where time goes fast, after the seconds that a lost answer takes', 40, 15, 1],
  ['where time goes fast, not after half a minute', 40, 30, 0],
])('is sent again %s', async (_when, timeScale, seconds, times) => {
  sent = 0;
  const created_at = new Date(Date.now() - seconds * 1_000);
  const row = {
    payment_id: 'p',
    merchant_id: 'm',
    kind: 'payout',
    rail: 'momo',
    currency: 'ZMW',
    details: {},
  };
  const amounts = { requested_minor: '100', instructed_minor: '100', instructed_currency: 'ZMW' };
  const place = { phone_number: '+260763456789', provider: 'MTN_MOMO_ZMB', clock_ahead_ms: '0' };
  const payment = { ...row, ...amounts, ...place, state: 'initiating', created_at } as unknown as PaymentRow;
  const { recover } = payouts(true, timeScale);
  expect(await recover?.(payment, { timeoutMs: 5_000, requestId: 'r' })).toMatchObject({ kind: 'unknown' });
  expect(sent).toBe(times);
});

it('is never "not received" while it may be sent again, however fast the clock', async () => {
  const accepted_at = new Date(Date.now() - 30_000);
  const row = { payment_id: 'p', state: 'pending', details: {}, accepted_at };
  const clock = { clock_ahead_ms: '0', accepted_ahead_ms: '0' };
  const payment = { ...row, ...clock, created_at: accepted_at } as unknown as PaymentRow;
  const found = await payouts(true, 100).retrieveStatus(payment, { timeoutMs: 5_000, requestId: 'r' });
  expect(found).toMatchObject(nothing);
});

it.each([
  ['NOT_FOUND', 'unknown'],
  ['INVALID_STATE', 'too_late'],
])('a cancellation that is rejected with %s is %s', async (code, means) => {
  cancelledAs = code;
  const payment = { payment_id: 'p', details: {} } as unknown as PaymentRow;
  expect(await payouts(true).cancel?.(payment, { timeoutMs: 5_000, requestId: 'r' })).toBe(means);
});
