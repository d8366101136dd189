/** A payout that waits because it may have been paid before the database was restored, and the line that proves it was. */
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { openAccount, type AccountKey } from '../../../src/ledger/accounts';
import { placeHold } from '../../../src/ledger/holds';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { createMerchant } from '../../../src/merchants/merchants';
import { initiate } from '../../../src/payments/submit/initiate';
import { railsOf } from '../../../src/rail-kit/context';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import { reconcile } from '../../../src/reconciliation/reconcile';
import { heldIn } from '../ledger/books';
import { file, format, line, period } from '../../support/reconciliation/statement-support';
import { expectClean } from '../../support/expect-clean';
import { box, insertPayment } from '../../support/verify/books-support';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
let merchantId: string;
let float: AccountKey;
let reserved: AccountKey;
beforeAll(async () => {
  cli = await createTestCli();
  ({ merchant_id: merchantId } = await createMerchant(cli.db, box, { name: 'Duka', environment: 'sandbox' }));
  const rails = cli.context.rails.all.map((rail) =>
    rail.name === 'loud' ? { ...rail, statement: format } : rail,
  );
  const withDeadline = (_: number, work: () => Promise<unknown>) => work();
  const client = { withDeadline, workflow: { count: () => Promise.resolve({ count: 0 }) } };
  cli.session = {
    context: { ...cli.context, rails: railsOf(rails) },
    client: client as unknown as Client,
  };
  const of = { merchantId, rail: 'loud', country: 'KEN', currency: 'KES' } as const;
  float = { class: 'float', ...of };
  reserved = { class: 'float_reserved', ...of };
  const from = { class: 'bank', currency: 'KES' } as const;
  const funded = { amountMinor: 50_000n, reason: 'funded', whenShort: 'FLOAT_INSUFFICIENT' as const };
  await transferByHand(cli.db, { from, to: float, ...funded });
});
afterEach(async () => {
  await expectClean({ db: cli.db });
});
afterAll(() => cli.drop());

/** Accepted, with its amount set aside, and held back. */
async function heldBack(): Promise<string> {
  const [from, to] = [await openAccount(cli.db, float), await openAccount(cli.db, reserved)];
  const details = JSON.stringify({ country: 'KEN', held_back: 'PAYOUTS_STOPPED' }) as never;
  return cli.db.transaction(async (trx) => {
    const { payment_id: paymentId } = await insertPayment(trx, {
      ...{ merchantId, kind: 'payout', with: { details, provider_reference: null } },
    });
    const amountMinor = 10_000n;
    await placeHold(trx, {
      ...{ paymentId, from, reserved: to, amountMinor, whenShort: 'FLOAT_INSUFFICIENT' },
    });
    return paymentId;
  });
}

async function paidWithoutUs(): Promise<string> {
  const theirs = line(randomUUID(), { kind: 'payout' });
  await reconcile(cli.db, format, period(), file([theirs], `${randomUUID()}.json`));
  const orphan = await cli.db('orphans').where({ provider_reference: theirs.providerReference }).first();
  return orphan?.orphan_id ?? '';
}

const held = async () => [await heldIn(cli.db, float), await heldIn(cli.db, reserved)];
const claim = (orphan: string, paymentId: string) =>
  cli.run('orphan', 'claim', orphan, '--payment', paymentId, '--reason', 'both name 0712 345678');

async function expectPaid(paymentId: string, orphan: string): Promise<void> {
  const { provider_reference: reference } =
    (await cli.db('orphans').where({ orphan_id: orphan }).first()) ?? {};
  expect(await getPaymentOrThrow(cli.db, paymentId)).toMatchObject({
    ...{ state: 'succeeded', is_final: 1, provider_reference: reference },
  });
  expect(
    await cli.db('payment_log').where({ payment_id: paymentId }).orderBy('log_id').pluck('to_state'),
  ).toEqual(['initiating', 'succeeded']);
  expect(await cli.db('outbox').where({ payment_id: paymentId })).toHaveLength(1);
  expect(await cli.db('orphans').where({ orphan_id: orphan }).pluck('state')).toEqual(['claimed']);
  expect(cli.engine.woken).toContain(paymentId);
  // The worker that had it wait asks again, and finds that nothing is left to be sent: the provider here takes no call.
  expect(await initiate(cli.context, paymentId)).toMatchObject({ kind: 'done' });
}

it('a payout that only waits is not paid by any line', async () => {
  const [paymentId, orphan] = [await heldBack(), await paidWithoutUs()];
  const { code, err } = await claim(orphan, paymentId);
  expect([code, err]).toEqual([1, expect.stringContaining('does not wait because it may have been')]);
  expect(await getPaymentOrThrow(cli.db, paymentId)).toMatchObject({ state: 'received' });
  await cli.run('orphan', 'claim', orphan, '--bank', '--reason', 'ours');
});

it('what waited in the copy is paid by the line of it: from what was set aside, once, and told', async () => {
  const paymentId = await heldBack();
  const [free, aside] = await held();
  const begun = ['--to', new Date(Date.now() - 60_000).toISOString(), '--reason', 'both disks of db1'];
  expect((await cli.run('restore', 'begin', ...begun)).code).toBe(0);
  const orphan = await paidWithoutUs();
  expect(await claim(orphan, paymentId)).toMatchObject({ code: 0 });
  await expectPaid(paymentId, orphan);
  expect(await held()).toEqual([free, (aside ?? 0n) - 10_000n]);
  const again = await claim(await paidWithoutUs(), paymentId);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('it was paid before')]);
});

it('what its merchant asked for anew, and looks paid, is paid by the line that it looks like', async () => {
  const [paymentId, orphan] = [await heldBack(), await paidWithoutUs()];
  await cli.db('payout_holds').insert({
    ...{ payment_id: paymentId, reason: 'looks_paid', limit_id: null, until_at: null },
    ...{ held_at: new Date(), released_by: null, released_at: null, note: null },
  });
  expect(await claim(orphan, paymentId)).toMatchObject({ code: 0 });
  await expectPaid(paymentId, orphan);
  const hold = await cli.db('payout_holds').where({ payment_id: paymentId }).first();
  expect(hold).toMatchObject({ note: expect.stringContaining(`orphan ${orphan}`) as unknown });
  expect(hold?.released_at).not.toBeNull();
});
