/**
 * The drill of docs/restore.md: the database's disk and Temporal's are lost under load. A dump from meanwhile and the
 * binary log remain.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBackupTools } from '../../tools/sandbox/services/find-backup-tools';
import { waitFor } from '../../tools/sandbox/services/wait-for';
import * as momo from '../support/rails/momo/payments';
import { simulatorControl, type SimulatorControl } from '../support/rails/simulator-control';
import * as walletpay from '../support/rails/walletpay/payments';
import * as xb from '../support/rails/xb/payments';
import { call, stkPush, type ApiAnswer } from '../support/merchant-client';
import { ended } from '../support/payments/timeline';
import { startStack, type OwnStack, type TestMerchant } from '../support/stack';
import { backedUpMysql, type BackedUpMysql } from './support/backed-up-mysql';
import { everythingEndsWell, nothingIsOpen } from './support/ending-well';
import { malipo, malipoSays } from './support/malipo';
import { ownTemporal } from './support/own-services';
import { inParallel, sendUntilAccepted } from './support/patient-merchant';

const tools = findBackupTools();
const drill = tools ? describe : describe.skip;

/** A merchant's requests, one rail after the other; two of five are payouts. */
const asks: (() => { path: string; body: object })[] = [
  () => ({ path: '/api/v1/stk_push', body: stkPush() }),
  () => ({ path: '/api/v1/momo/payout', body: momo.transferBody() }),
  () => ({ path: '/api/v1/momo/deposit', body: momo.transferBody() }),
  () => ({ path: '/api/v1/walletpay/create_payout', body: walletpay.payoutRequest() }),
  () => ({ path: xb.path, body: xb.xbPush() }),
];
const requestsCount = 30;
const dayMs = 86_400_000;

drill('the disks of the database and of Temporal are lost', () => {
  let mysql: BackedUpMysql;
  let temporal: Awaited<ReturnType<typeof ownTemporal>>;
  let stack: OwnStack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  let folder: string;
  beforeAll(async () => {
    if (!tools) throw new Error('unreachable: this is skipped without them');
    [mysql, temporal] = await Promise.all([backedUpMysql(tools), ownTemporal()]);
    folder = await mkdtemp(join(tmpdir(), 'malipo-statements-'));
    stack = await startStack({
      timeScale: 20,
      database: mysql.database,
      temporalAddress: temporal.address,
    });
    merchant = await stack.createMerchant();
    await momo.fund(stack, merchant, 10_000_000n);
    await momo.fund(stack, merchant, 10_000_000n, { country: 'UGA', currency: 'UGX' });
    await walletpay.canPayOut(stack, merchant);
    provider = simulatorControl(stack.simulatorUrl, 'momo');
  });
  afterAll(async () => {
    await stack.stop();
    await Promise.all([mysql.end(), temporal.end(), rm(folder, { recursive: true })]);
  });

  async function loseEverything(): Promise<void> {
    await mysql.destroy();
    await Promise.all([temporal.kill(), stack.kill('api'), stack.kill('worker')]);
  }

  it('dump and binary log restore all committed data, and `malipo resume` resumes all payments in progress', async () => {
    await momo.setNetwork(provider, 'MTN_MOMO_UGA', 'PAYOUT', 'DELAYED');
    const queued = await momo.accepted(stack, merchant, 'payout', momo.transferBody(momo.places.uganda));
    const stopped = await stack.createMerchant('Stopped Shop');
    await momo.fund(stack, stopped, 1_000_000n);
    await malipo(stack, 'payouts', 'pause', '--merchant', stopped.merchantId, '--reason', 'looked into');
    const held = await momo.accepted(stack, stopped, 'payout', momo.transferBody());

    const answered: { path: string; body: object; key: string; reported: unknown }[] = [];
    const load = inParallel(requestsCount, 6, async (index) => {
      const asked = {
        ...(asks[index % asks.length] as () => { path: string; body: object })(),
        key: randomUUID(),
      };
      const { answers } = await sendUntilAccepted(stack, merchant, asked);
      answered.push({ ...asked, reported: answers.at(-1)?.body });
    });
    const until = (count: number) =>
      waitFor(async () => answered.length >= count, { what: `${count} payments`, timeoutMs: 120_000 });
    await until(8);
    const backup = await mysql.backUp();
    // During the backup, all may have been answered.
    await until(Math.min(answered.length + 10, requestsCount));
    const lost = [...answered];
    await loseEverything();

    // The network knows nothing of it.
    await momo.setNetwork(provider, 'MTN_MOMO_UGA', 'PAYOUT', 'OPERATIONAL');
    await mysql.restore(backup, 'last commit');
    await temporal.startEmpty();
    await Promise.all([stack.start('worker'), stack.start('api')]);
    await malipo(stack, 'resume');
    await load;
    await malipo(stack, 'payouts', 'resume', '--merchant', stopped.merchantId);
    for (const id of [queued, held]) await ended(stack.db, id, ['succeeded'], 90_000);

    await nothingIsOpen(stack.db, 120_000);
    for (const { path, body, key, reported } of lost) {
      const again = await call(stack, merchant, 'POST', path, body, { 'Idempotency-Key': key });
      expect(again.body).toEqual(reported);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    }
    // Each request created one payment, and each payout was submitted with one id.
    const made = await stack.db('payments').whereNot({ state: 'failed' });
    expect(made.length).toBe(requestsCount + 2);
    const paidOut = await provider.successes();
    const names = paidOut.filter(({ kind }) => kind === 'payout').map(({ reference }) => reference);
    expect(new Set(names).size).toBe(names.length);
    await everythingEndsWell(stack, { merchants: [merchant, stopped] });
    const books = await malipo(stack, 'verify', '--with-simulator');
    expect(books).toContain('checks passed');
  });

  it('a payment after the last restored data is not paid again: an operator decides', async () => {
    const backup = await mysql.backUp();
    const copiedAt = new Date().toISOString();
    const paidOutTo = async (): Promise<number> =>
      (await provider.successes()).filter(({ kind }) => kind === 'payout').length;
    const number = '+260763111789';
    const lost = {
      path: '/api/v1/momo/payout',
      body: momo.transferBody({ phone_number: number, amount: '31.40' }),
      key: randomUUID(),
    };
    const { answers } = await sendUntilAccepted(stack, merchant, lost);
    const [first] = answers.slice(-1);
    await momo.notifiedOf(merchant, momo.idOf(first as ApiAnswer), 'Success');
    const before = await paidOutTo();
    await loseEverything();

    await mysql.restore(backup, 'backup');
    await temporal.startEmpty();
    // In the copy the processes ran; it is not a minute old, as any other would be.
    await stack.db('processes').delete();
    const begun = await malipo(stack, 'restore', 'begin', '--to', copiedAt, '--reason', 'the log is lost');
    expect(begun).toContain('All payouts and refunds are paused');
    expect(begun).not.toContain('Temporal still runs');
    await Promise.all([stack.start('worker'), stack.start('api')]);
    await malipo(stack, 'resume');

    // Its key is lost, like its payment.
    const again = await sendUntilAccepted(stack, merchant, lost);
    const id = momo.idOf(again.answers.at(-1) as ApiAnswer);
    expect(id).not.toBe(momo.idOf(first as ApiAnswer));
    const other = await momo.accepted(stack, merchant, 'payout', momo.transferBody());
    await momo.shownAs(stack, merchant, id, { hold_reason: 'PAYOUTS_STOPPED' });

    expect(await malipoSays(stack, 'restore', 'end', '--note', 'all is well')).toMatchObject({
      code: 1,
      output: expect.stringContaining('do not cover the whole time') as unknown,
    });
    for (const rail of ['momo', 'walletpay']) await bring(rail);
    expect(await malipo(stack, 'restore', 'status')).toMatch(/pawapay +[0-9a-f-]{36} +payout +31.40 ZMW/);
    // An uploaded file of momo has one wallet only.
    const end = (note: string, ...more: string[]) => ['restore', 'end', '--note', note, ...more];
    expect((await malipoSays(stack, ...end('all is well', '--checked', 'momo'))).code).toBe(1);
    expect((await malipoSays(stack, ...end('all is well', '--with-unmatched'))).output).toContain(
      'statements of momo do not cover',
    );
    await malipo(stack, ...end('the merchant was called', '--with-unmatched', '--checked', 'momo'));

    await ended(stack.db, other, ['succeeded'], 90_000);
    await momo.shownAs(stack, merchant, id, { hold_reason: 'LOOKS_PAID' });
    expect(await malipo(stack, 'hold', 'list')).toContain(id);
    expect(await paidOutTo()).toBe(before + 1);
    const cancelled = await momo.post(stack, merchant, 'cancel_payout', { transaction_id: id });
    expect(cancelled.status).toBe(200);
    await nothingIsOpen(stack.db, 120_000);
    const { unmatched_receipts: unmatchedReceipts } = JSON.parse(
      await malipo(stack, 'unmatched', 'list', '--json'),
    ) as {
      unmatched_receipts: { receipt_id: string; amount: string }[];
    };
    const unmatched = unmatchedReceipts.find(({ amount }) => amount === '31.40');
    const owner = ['--merchant', merchant.merchantId, '--float', '--country', 'ZMB'];
    const because = ['--reason', 'paid after the backup'];
    await malipo(stack, 'unmatched', 'assign', String(unmatched?.receipt_id), ...owner, ...because);
    expect(await malipo(stack, 'verify', '--with-simulator')).toContain('bookings in between are lost');
  });

  /** The provider's payments, by its own statement; unmatched money makes the command fail. */
  async function bring(rail: string): Promise<void> {
    const statement = await fetch(`${stack.simulatorUrl}/control/statement?provider=${rail}`);
    const path = join(folder, rail);
    await writeFile(path, await statement.text());
    const day = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 10);
    const period = ['--from', day(-2 * dayMs), '--to', day(dayMs), '--date-order', 'dmy'];
    const { output } = await malipoSays(stack, 'reconcile', rail, ...period, '--statement', path);
    expect(output).not.toContain('cannot be read');
  }
});
