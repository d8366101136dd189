/** While a large statement is stored, no other process decides about the lines of that provider. */
import { createMerchant } from '../../../src/merchants/merchants';
import { railsOf } from '../../../src/rail-kit/context';
import { reconcile } from '../../../src/reconciliation/reconcile';
import { withProviderLock } from '../../../src/reconciliation/provider-lock';
import { withdrawStatement } from '../../../src/reconciliation/withdraw-statement';
import { openDatabase } from '../../../src/store/database';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import {
  file,
  format,
  line,
  period,
  waitingForProviderLock,
} from '../../support/reconciliation/statement-support';
import { box, deposit } from '../../support/verify/books-support';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
beforeAll(async () => {
  cli = await createTestCli();
});
afterAll(() => cli.drop());

it('the command fails with a sentence about the lock, and nothing is done', async () => {
  const merchant = await createMerchant(cli.db, box, { name: 'Duka', environment: 'sandbox' });
  const asked = { merchantId: merchant.merchant_id };
  const paymentId = await deposit(cli.context, asked, 'initiating', 'pending', 'timed_out');
  await reconcile(cli.db, format, period(), file([line('stranger')]));
  const { receipt_id: id = '' } = (await cli.db('unmatched_receipts').first()) ?? {};
  const rails = railsOf(cli.context.rails.all.map((rail) => ({ ...rail, statement: format })));
  const impatient = openDatabase(cli.url, { poolMax: 1 });
  try {
    await impatient.raw('SET SESSION innodb_lock_wait_timeout = 1');
    cli.session = { context: { ...cli.context, rails, db: impatient } };
    await withProviderLock(cli.db, 'loudpay', async () => {
      for (const command of [
        ['unmatched', 'assign', id, '--bank', '--reason', 'ours'],
        ['unmatched', 'assign', id, '--payment', paymentId, '--reason', 'theirs'],
        ['reconcile', 'loud', '--kept', '--from', '2026-01-01', '--to', '2026-01-02'],
      ]) {
        const { code, err } = await cli.run(...command);
        expect([code, err]).toEqual([
          1,
          expect.stringMatching(/^Another process is storing or comparing a statement of loudpay/),
        ]);
      }
    });
    expect(await cli.db('unmatched_receipts').pluck('state')).toEqual(['open']);
    const [ended, begun] = await cli.db('audit_log').orderBy('seq', 'desc').limit(2);
    expect([begun?.action, ended?.action]).toEqual(['reconcile', 'reconcile.failed']);
    expect(await cli.run('unmatched', 'assign', id, '--bank', '--reason', 'ours')).toMatchObject({ code: 0 });
  } finally {
    await impatient.destroy();
  }
});

it('a withdrawal is done although the comparison after it meets the lock', async () => {
  await reconcile(cli.db, format, period(), file([line('mistaken')], 'mistaken.json'));
  const { statement_id: id = '' } =
    (await cli
      .db('provider_statements')
      .where({ withdrawn_no: 0 })
      .orderBy('statement_id', 'desc')
      .first()) ?? {};
  const impatient = openDatabase(cli.url, { poolMax: 1 });
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let other: Promise<void> | undefined;
  try {
    await impatient.raw('SET SESSION innodb_lock_wait_timeout = 1');
    const by = { by: 'amina', approvedBy: 'brian', reason: 'the wrong file' };
    const done = await withdrawStatement(impatient, format, id, by, async () => {
      // It gets the lock when the withdrawal is committed.
      other = withProviderLock(cli.db, format.provider, () => released);
      await waitFor(async () => (await waitingForProviderLock(cli.db)) > 0, {
        what: 'the other run to wait for the lock',
        timeoutMs: 10_000,
      });
    });
    expect(done?.statement.statement_id).toBe(id);
    expect(done?.uncompared).toEqual({ from: done?.statement.covers_from, to: done?.statement.covers_to });
  } finally {
    release();
    await other;
    await impatient.destroy();
  }
  expect(await cli.db('provider_statements').where({ statement_id: id }).pluck('withdrawn_by')).toEqual([
    'amina',
  ]);
});
