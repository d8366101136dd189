/** The payment ends for which the shipped rails expect a notification. */
import { readSamples } from '../../../../src/payments/resolve/notifications/samples';
import { railsOf } from '../../../../src/rail-kit/context';
import { createRails } from '../../../../src/rails';
import type { PaymentRow } from '../../../../src/store/tables';
import { ownTokens } from '../../../support/own-tokens';
import { silentLog } from '../../../support/silent-log';
import { callbackStage } from '../notification-stage';

const { on, ended } = callbackStage();
const at = 'http://127.0.0.1:9';
const sandboxSettings = {
  ...{ MOMO_BASE_URL: at, MOMO_TOKEN: 'token' },
  ...{ CARDPROC_BASE_URL: at, CARDPROC_CONSUMER_KEY: 'key', CARDPROC_CONSUMER_SECRET: 'secret' },
};
const rails = railsOf(
  createRails(
    {
      ...{ environment: 'sandbox', publicUrl: 'https://pay.example', timezone: 'UTC', timeScale: 1 },
      ...{ env: sandboxSettings, log: silentLog, tokens: ownTokens(), observe: () => {} },
    },
    ['momo', 'cardproc'],
  ),
);

async function expectedOf(to: 'succeeded' | 'failed', changes: Partial<PaymentRow>): Promise<number> {
  const { db } = on.database;
  const from = (await db('payment_log').orderBy('log_id', 'desc').first('log_id'))?.log_id ?? '0';
  const paymentId = await ended(undefined, { to });
  await db('payments')
    .where({ payment_id: paymentId })
    .update({ ...changes, details: '{}' as never });
  const { samples } = await db.transaction((trx) =>
    readSamples(trx, rails, { from, inTimeMs: 120_000, limit: 100 }),
  );
  return samples.length;
}

it.each<[number, string, 'succeeded' | 'failed', Partial<PaymentRow>]>([
  [1, 'mobile money that arrived', 'succeeded', { rail: 'momo', provider: 'MTN_MOMO_ZMB' }],
  [1, 'mobile money that failed', 'failed', { rail: 'momo', result_code: 'INSUFFICIENT_BALANCE' }],
  [
    0,
    'mobile money whose provider never received it',
    'failed',
    { rail: 'momo', result_code: 'NOT_RECEIVED' },
  ],
  [0, 'a hosted checkout, where a browser looks like one', 'succeeded', { rail: 'cardproc' }],
])('%d expects %s', async (n, _what, to, changes) => {
  expect(await expectedOf(to, changes)).toBe(n);
});
