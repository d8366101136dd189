/**
 * The drill of docs/restore.md: the database's disk and Temporal's are lost under load. What is left is a dump that was
 * taken meanwhile, and the binary log.
 */
import { randomUUID } from 'node:crypto';
import { findBackupTools } from '../../src/ops/services/find-backup-tools';
import { waitFor } from '../../src/ops/services/wait-for';
import * as momo from '../rails/momo/payment-story';
import { simulatorControl, type SimulatorControl } from '../rails/simulator-control';
import * as walletpay from '../rails/walletpay/payment-story';
import * as xb from '../rails/xb/payment-story';
import { call, stkPush } from '../support/merchant-client';
import { ended } from '../support/payment-story';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { backedUpMysql, type BackedUpMysql } from './support/backed-up-mysql';
import { everythingEndsWell, nothingIsOpen } from './support/ending-well';
import { malipo } from './support/malipo';
import { ownTemporal } from './support/own-services';
import { inParallel, sendUntilAccepted } from './support/patient-merchant';

jest.setTimeout(300_000);

const tools = findBackupTools();
const drill = tools ? describe : describe.skip;

/** What a merchant asks for, one rail after the other, two of five to be paid out. */
const asks: (() => { path: string; body: object })[] = [
  () => ({ path: '/api/v1/stk_push', body: stkPush() }),
  () => ({ path: '/api/v1/momo/payout', body: momo.transferBody() }),
  () => ({ path: '/api/v1/momo/deposit', body: momo.transferBody() }),
  () => ({ path: '/api/v1/walletpay/create_payout', body: walletpay.payoutRequest() }),
  () => ({ path: xb.path, body: xb.xbPush() }),
];
const requestsCount = 40;

drill('the disks of the database and of Temporal are lost', () => {
  let mysql: BackedUpMysql;
  let temporal: Awaited<ReturnType<typeof ownTemporal>>;
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    if (!tools) throw new Error('unreachable: this is skipped without them');
    [mysql, temporal] = await Promise.all([backedUpMysql(tools), ownTemporal()]);
    stack = await startStack({
      timeScale: 20,
      database: mysql.database,
      temporalAddress: temporal.address,
    });
    merchant = await stack.createMerchant();
    await momo.fund(stack, merchant, 10_000_000n);
    await momo.fund(stack, merchant, 10_000_000n, { country: 'UGA', currency: 'UGX' });
    await walletpay.mayPayOut(stack, merchant);
    provider = simulatorControl(stack.simulatorUrl, 'momo');
  });
  afterAll(async () => {
    await stack.stop();
    await Promise.all([mysql.end(), temporal.end()]);
  });

  async function loseEverything(): Promise<void> {
    await mysql.destroy();
    await Promise.all([temporal.kill(), stack.kill('api'), stack.kill('worker')]);
  }

  it('dump and binary log bring back all that was committed, and `malipo resume` all that was under way', async () => {
    await momo.setNetwork(provider, 'MTN_MOMO_UGA', 'PAYOUT', 'DELAYED');
    const queued = await momo.accepted(stack, merchant, 'payout', momo.transferBody(momo.places.uganda));
    const stopped = await stack.createMerchant('Stopped Shop');
    await momo.fund(stack, stopped, 1_000_000n);
    await malipo(stack, 'stop', 'payouts', '--merchant', stopped.merchantId, '--reason', 'looked into');
    const held = await momo.accepted(stack, stopped, 'payout', momo.transferBody());

    const answered: { path: string; body: object; key: string; told: unknown }[] = [];
    const load = inParallel(requestsCount, 6, async (index) => {
      const asked = {
        ...(asks[index % asks.length] as () => { path: string; body: object })(),
        key: randomUUID(),
      };
      const { answers } = await sendUntilAccepted(stack, merchant, asked);
      answered.push({ ...asked, told: answers.at(-1)?.body });
    });
    const until = (count: number) =>
      waitFor(async () => answered.length >= count, { what: `${count} payments`, timeoutMs: 120_000 });
    await until(8);
    const backup = await mysql.backUp();
    await until(answered.length + 10);
    const lost = [...answered];
    await loseEverything();

    // The network does not know of any of it.
    await momo.setNetwork(provider, 'MTN_MOMO_UGA', 'PAYOUT', 'OPERATIONAL');
    await mysql.restore(backup, 'last commit');
    await temporal.startEmpty();
    await Promise.all([stack.start('worker'), stack.start('api')]);
    await malipo(stack, 'resume');
    await load;
    await malipo(stack, 'start', 'payouts', '--merchant', stopped.merchantId);
    for (const id of [queued, held]) await ended(stack.db, id, ['succeeded'], 90_000);

    await nothingIsOpen(stack.db, 120_000);
    for (const { path, body, key, told } of lost) {
      const again = await call(stack, merchant, 'POST', path, body, { 'Idempotency-Key': key });
      expect(again.body).toEqual(told);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    }
    // Each request made one payment, and each payout was instructed under one name.
    const made = await stack.db('payments').whereNot({ state: 'failed' });
    expect(made.length).toBe(requestsCount + 2);
    const paidOut = await provider.successes();
    const names = paidOut.filter(({ kind }) => kind === 'payout').map(({ reference }) => reference);
    expect(new Set(names).size).toBe(names.length);
    await everythingEndsWell(stack, { merchants: [merchant, stopped] });
    const books = await malipo(stack, 'verify', '--with-simulator');
    expect(books).toContain('promises are kept');
  });
});
