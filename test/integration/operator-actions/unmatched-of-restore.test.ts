/** A payout is on hold because it may have been sent before the restore, and a statement line proves that it was. */
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { openAccount, type AccountKey } from '../../../src/ledger/accounts';
import { placeHold } from '../../../src/ledger/holds';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { createMerchant } from '../../../src/merchants/merchants';
import { submitPayment } from '../../../src/payments/submit/submit-payment';
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

/** A created payout with its amount reserved, on hold because payouts are paused. */
async function heldBack(): Promise<string> {
  const [from, to] = [await openAccount(cli.db, float), await openAccount(cli.db, reserved)];
  const details = JSON.stringify({ country: 'KEN', on_hold: 'PAYOUTS_STOPPED' }) as never;
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
  const unmatched = await cli
    .db('unmatched_receipts')
    .where({ provider_reference: theirs.providerReference })
    .first();
  return unmatched?.receipt_id ?? '';
}

const held = async () => [await heldIn(cli.db, float), await heldIn(cli.db, reserved)];
const claim = (unmatched: string, paymentId: string) =>
  cli.run('unmatched', 'assign', unmatched, '--payment', paymentId, '--reason', 'both name 0712 345678');

async function expectPaid(paymentId: string, unmatched: string): Promise<void> {
  const { provider_reference: reference } =
    (await cli.db('unmatched_receipts').where({ receipt_id: unmatched }).first()) ?? {};
  expect(await getPaymentOrThrow(cli.db, paymentId)).toMatchObject({
    ...{ state: 'succeeded', is_final: 1, provider_reference: reference },
  });
  expect(
    await cli.db('payment_log').where({ payment_id: paymentId }).orderBy('log_id').pluck('to_state'),
  ).toEqual(['initiating', 'succeeded']);
  expect(await cli.db('outbox').where({ payment_id: paymentId })).toHaveLength(1);
  expect(await cli.db('unmatched_receipts').where({ receipt_id: unmatched }).pluck('state')).toEqual([
    'assigned',
  ]);
  expect(cli.engine.signalled).toContain(paymentId);
  // The worker submits again and finds nothing to send. The provider of this test accepts no call.
  expect(await submitPayment(cli.context, paymentId)).toMatchObject({ kind: 'done' });
}

it('a payout that is only on hold cannot be assigned a line', async () => {
  const [paymentId, unmatched] = [await heldBack(), await paidWithoutUs()];
  const { code, err } = await claim(unmatched, paymentId);
  expect([code, err]).toEqual([1, expect.stringContaining('is not on hold because it may have been sent')]);
  expect(await getPaymentOrThrow(cli.db, paymentId)).toMatchObject({ state: 'received' });
  await cli.run('unmatched', 'assign', unmatched, '--bank', '--reason', 'ours');
});

it('a payout that is on hold since a restore is paid by its line, from the reserve, once, and a webhook is written', async () => {
  const paymentId = await heldBack();
  const [free, aside] = await held();
  const begun = ['--to', new Date(Date.now() - 60_000).toISOString(), '--reason', 'both disks of db1'];
  expect((await cli.run('restore', 'begin', ...begun)).code).toBe(0);
  const unmatched = await paidWithoutUs();
  expect(await claim(unmatched, paymentId)).toMatchObject({ code: 0 });
  await expectPaid(paymentId, unmatched);
  expect(await held()).toEqual([free, (aside ?? 0n) - 10_000n]);
  const again = await claim(await paidWithoutUs(), paymentId);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('it was paid before')]);
});

it('a payout on hold as a possible repetition is paid by the line that it resembles', async () => {
  const [paymentId, unmatched] = [await heldBack(), await paidWithoutUs()];
  await cli.db('payout_holds').insert({
    ...{ payment_id: paymentId, reason: 'looks_paid', limit_id: null, until_at: null },
    ...{ held_at: new Date(), released_by: null, released_at: null, note: null },
  });
  expect(await claim(unmatched, paymentId)).toMatchObject({ code: 0 });
  await expectPaid(paymentId, unmatched);
  const hold = await cli.db('payout_holds').where({ payment_id: paymentId }).first();
  expect(hold).toMatchObject({ note: expect.stringContaining(`receipt ${unmatched}`) as unknown });
  expect(hold?.released_at).not.toBeNull();
});
