/** While a large statement is stored, no other process decides about the lines of that provider. */
import { createMerchant } from '../../../src/merchants/merchants';
import { railsOf } from '../../../src/rail-kit/context';
import { reconcile } from '../../../src/reconciliation/reconcile';
import { withProviderLock } from '../../../src/reconciliation/provider-lock';
import { openDatabase } from '../../../src/store/database';
import { file, format, line, period } from '../../support/reconciliation/statement-support';
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
