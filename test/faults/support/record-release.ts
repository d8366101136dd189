/**
 * Records the data of a release: a database with payments of every kind in every open state, as a crash of all
 * processes leaves it, and the provider's own records.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { call, stkPush } from '../../support/merchant-client';
import { createTestDatabase } from '../../support/database';
import { ended } from '../../support/payments/timeline';
import * as cardproc from '../../support/rails/cardproc/payments';
import * as momo from '../../support/rails/momo/payments';
import { resetRules, simulatorControl } from '../../support/rails/simulator-control';
import * as stk from '../../support/rails/stk/payments';
import * as walletpay from '../../support/rails/walletpay/payments';
import * as xb from '../../support/rails/xb/payments';
import { startStack } from '../../support/stack';
import * as vouchers from '../../support/vouchers/vouchers';
import { connectEngine } from '../../support/workflows/temporal-client';
import { schemaOf } from '../../support/store/schema-of';
import { malipo } from './malipo';
import { dumpRows } from './release-rows';

/** The keys that encrypt the recorded merchants' secrets. They are in the repository: no other database may use them. */
export const fixtureKeys = `fixture:${Buffer.alloc(32, 'fixture').toString('base64')}`;
const second = 1_000;
/** Longer than the recording takes: the crash interrupts these calls. */
const hangs = { behave: 'delay', ms: 600 * second, times: 9 };

/** @throws an Error if the release has data: it stands for stored data, and stays as it is. */
export async function recordRelease(folder: string): Promise<void> {
  const file = (name: string) => join(folder, name);
  if (existsSync(file('rows.sql'))) throw new Error(`${folder} is recorded already`);
  const database = await createTestDatabase();
  const stack = await startStack({ timeScale: 1, database, env: { MALIPO_SECRET_KEYS: fixtureKeys } });
  const engine = await connectEngine(stack);
  try {
    const { db } = stack;
    const provider = (rail: string) => simulatorControl(stack.simulatorUrl, rail);
    const merchant = await stack.createMerchant('Duka la Amina');
    const paused = await stack.createMerchant('Paused Shop');
    for (const owner of [merchant, paused]) await momo.fund(stack, owner, 1_000_000n);
    await momo.fund(stack, merchant, 10_000_000n, { country: 'UGA', currency: 'UGX' });
    await walletpay.canPayOut(stack, merchant);
    await vouchers.fund(stack, merchant, 500_000n);

    // Finished, or watched for further events.
    const paid = await momo.accepted(stack, merchant, 'deposit', momo.transferBody());
    const paidOut = await momo.accepted(stack, merchant, 'payout', momo.transferBody());
    const unclaimed = await walletpay.newPayout(stack, merchant, {
      recipient_email: 'unclaimed@example.org',
    });
    const walletPaidOut = await walletpay.newPayout(stack, merchant);
    const { payment_id: xbPaid } = await xb.accepted(stack, merchant);
    const pushed = await stk.accepted(stack, merchant, { phone_number: '254719100600' });
    await provider('stk').decide(pushed.provider_reference ?? '', 'pay');
    const late = await stk.accepted(stack, merchant, { phone_number: '254700000703' });
    await provider('momo').advance(60 * second);
    for (const id of [paid, paidOut, walletPaidOut, xbPaid, pushed.payment_id])
      await ended(db, id, ['succeeded']);
    await ended(db, unclaimed, ['queued']);
    await engine.advance(late, 300 * second);
    await ended(db, late.payment_id, ['timed_out']);
    const refunded = await momo.accepted(stack, merchant, 'refund', { transaction_id: paid, amount: '5.50' });
    await provider('momo').advance(60 * second);
    await ended(db, refunded, ['succeeded']);
    const card = await cardproc.accepted(stack, merchant);
    await cardproc.customer(provider('cardproc'), card, 'pay_card');
    await ended(db, card.payment_id, ['succeeded']);
    const [order, disputed, other] = [
      await walletpay.paidOrder(stack, merchant, provider('walletpay')),
      await walletpay.paidOrder(stack, merchant, provider('walletpay')),
      await walletpay.paidOrder(stack, merchant, provider('walletpay')),
    ];
    await provider('walletpay').notify(`disputes/${disputed.captureId}`, { action: 'open' });
    await waitFor(() => db('cases').where({ payment_id: disputed.id }).first('case_id'), {
      what: 'the dispute',
      timeoutMs: 30_000,
    });
    const voucher = await vouchers.create(stack, merchant, { email: 'redeems@example.org' });
    expect(voucher.status).toBe(200);
    await vouchers.redeem(stack, merchant, await vouchers.codeMailedTo(stack, 'redeems@example.org'));

    // Open.
    await vouchers.create(stack, merchant, { email: 'keeps@example.org' });
    await vouchers.codeMailedTo(stack, 'keeps@example.org');
    await momo.setNetwork(provider('momo'), 'MTN_MOMO_UGA', 'PAYOUT', 'DELAYED');
    const queued = await momo.accepted(stack, merchant, 'payout', momo.transferBody(momo.places.uganda));
    await ended(db, queued, ['queued']);
    await malipo(stack, 'payouts', 'pause', '--merchant', paused.merchantId, '--reason', 'looked into');
    await momo.accepted(stack, paused, 'payout', momo.transferBody());
    const waiting = await stk.accepted(stack, merchant, { phone_number: '254719101600' });
    await walletpay.newOrder(stack, merchant);
    await walletpay.newRefund(stack, merchant, order, '5.21');
    await walletpay.newPayout(stack, merchant);
    await cardproc.accepted(stack, merchant);

    // A webhook that its merchant's server refuses.
    merchant.receiver.answerWith((_request, response) => {
      response.statusCode = 500;
      response.end();
    });
    const refused = await stk.accepted(stack, merchant, { phone_number: '254719102600' });
    await provider('stk').decide(refused.provider_reference ?? '', 'pay');
    await ended(db, refused.payment_id, ['succeeded']);

    // The provider's notifications are lost, and no poll is due before the crash.
    for (const rail of ['momo', 'xb'])
      await provider(rail).next({ call: 'callback', behave: 'drop', times: 99 });
    await xb.accepted(stack, merchant);
    const underWay = await momo.accepted(stack, merchant, 'payout', momo.transferBody());
    await waitFor(
      async () => {
        await engine.checkNow(await getPaymentOrThrow(db, underWay));
        return (await getPaymentOrThrow(db, underWay)).state === 'processing';
      },
      { what: 'a payout that the provider reports as under way', timeoutMs: 30_000 },
    );
    await momo.accepted(stack, merchant, 'deposit', momo.transferBody());
    await momo.accepted(stack, merchant, 'payout', momo.transferBody());
    await momo.accepted(stack, merchant, 'refund', { transaction_id: paid, amount: '1.00' });

    // The crash interrupts each call to a provider.
    const asked = (path: string, body: object) => {
      void call(stack, merchant, 'POST', `/api/v1/${path}`, body).catch(() => undefined);
    };
    const until = (what: string, state: 'received' | 'initiating', count: number) =>
      waitFor(async () => (await db('payments').where({ state, is_final: 0 })).length >= count, {
        what,
        timeoutMs: 60_000,
      });
    for (const rail of ['stk', 'momo', 'walletpay', 'xb'])
      await provider(rail).next({ call: 'initiate', ...hangs });
    asked('stk_push', stkPush());
    asked('momo/deposit', momo.transferBody());
    asked('momo/payout', momo.transferBody());
    asked('momo/refund', { transaction_id: paid, amount: '2.00' });
    asked('xb/stk_push', xb.xbPush());
    await until('calls that hang', 'initiating', 5);
    await stack.kill('worker');
    const held = (await db('payments').where({ state: 'received', is_final: 0 })).length;
    asked('stk_push', stkPush());
    asked('momo/deposit', momo.transferBody());
    asked('momo/payout', momo.transferBody());
    asked('walletpay/refund', { transaction_id: other.id, amount: '1.00' });
    await until('payments without a worker', 'received', held + 4);
    await provider('stk').decide(waiting.provider_reference ?? '', 'pay');
    await waitFor(
      () => db('inbox').where({ payment_id: waiting.payment_id, state: 'new' }).first('inbox_id'),
      {
        what: 'an event that no worker has processed',
        timeoutMs: 30_000,
      },
    );
    await resetRules(stack.simulatorUrl);
    await Promise.all([stack.kill('api'), stack.kill('simulator')]);

    mkdirSync(folder, { recursive: true });
    writeFileSync(file('rows.sql'), await dumpRows(database.adminUrl));
    const { tables, triggers, routines } = await schemaOf(db);
    writeFileSync(file('schema.json'), `${JSON.stringify({ tables, triggers, routines }, null, 1)}\n`);
    const journal = 'journal.jsonl';
    const records = readFileSync(join(stack.folder, 'simulator', journal), 'utf8').split('\n');
    // The simulator makes new keys, and sends their public parts to whoever asks.
    const withoutKeys = records.filter((record) => !record.includes('PRIVATE KEY'));
    writeFileSync(file(journal), withoutKeys.join('\n'));
  } finally {
    await engine.close();
    await stack.stop();
  }
}
