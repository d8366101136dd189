/** In any order of statements and decisions: every line has a result, nothing is booked twice, and suspense is the open receipts. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { createMerchant } from '../../../src/merchants/merchants';
import { railsOf } from '../../../src/rail-kit/context';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import { isSettled } from '../../../src/domain/payment';
import { reconcile } from '../../../src/reconciliation/reconcile';
import { isIncoming } from '../../../src/reconciliation/statement';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';
import { expectClean } from '../../support/expect-clean';
import { box, deposit, transitionTo } from '../../support/verify/books-support';
import { file, format, line, period, type Written } from '../../support/reconciliation/statement-support';

let cli: TestCli;
beforeAll(async () => {
  cli = await createTestCli();
  const rails = cli.context.rails.all.map((rail) =>
    rail.name === 'loud' ? { ...rail, statement: format } : rail,
  );
  cli.session = { context: { ...cli.context, rails: railsOf(rails) } };
});
afterAll(() => cli.drop());

/** A merchant with payments that timed out, and the lines of the provider. */
interface World {
  merchantId: string;
  payments: string[];
  lines: Written[];
}
const back = (run: string) => `back-${run}`;

async function begin(): Promise<World> {
  const { merchant_id: merchantId } = await createMerchant(cli.db, box, {
    name: 'Duka',
    environment: 'sandbox',
  });
  const unseen = () => deposit(cli.context, { merchantId }, 'initiating', 'pending', 'timed_out');
  const payments = [await unseen(), await unseen(), await unseen()];
  const run = randomUUID();
  const [first = '', second = '', third = ''] = payments;
  const lines = [
    line(`ref-${first}`, { feeMinor: '7' }),
    line(`ref-${second}`),
    // The customer pays twice.
    line(`once-${run}`, { ourReference: third }),
    line(`twice-${run}`, { ourReference: third }),
    line(`ref-${first}`, { kind: 'fee', amountMinor: '30' }),
    line(`stranger-${run}`),
    line(`other-${run}`),
    line(`out-${run}`, { kind: 'payout', amountMinor: '400' }),
    line(back(run), { kind: 'payout' }),
    line(`ref-${second}`, { state: 'pending' }),
  ];
  return { merchantId, payments, lines };
}

type Step = (world: World) => Promise<unknown>;
const look = () => reconcile(cli.db, format, period());
const n = (max: number) => fc.nat({ max });

/** Any lines of the provider, in any order, some of them twice. */
const bring = fc.array(n(9), { minLength: 1, maxLength: 8 }).map((which): Step => async ({ lines }) => {
  const written = which.flatMap((at) => lines[at] ?? []);
  return reconcile(cli.db, format, period(), file(written, `${randomUUID()}.json`));
});
const settle = n(2).map((at): Step => async ({ payments }) => {
  const payment = await getPaymentOrThrow(cli.db, payments[at] ?? '');
  if (!isSettled(payment.state)) await transitionTo(cli.context, payment.payment_id, 'succeeded');
});
const decisions = [
  ({ merchantId }: World) => ['assign', '--merchant', merchantId],
  ({ payments }: World) => ['assign', '--payment', payments[1] ?? ''],
  ({ payments }: World) => ['assign', '--payment', payments[2] ?? ''],
  ({ lines }: World) => ['returned', '--reference', lines[8]?.providerReference ?? ''],
];
/** An invalid decision fails and changes nothing. */
const decide = fc.tuple(n(6), n(3)).map(([at, how]): Step => async (world) => {
  const unmatchedReceipts = await receiptsOf(world);
  const unmatched = unmatchedReceipts[at % Math.max(1, unmatchedReceipts.length)];
  const [verb = '', ...options] = decisions[how]?.(world) ?? [];
  if (!unmatched) return;
  const { code } = await cli.run('unmatched', verb, unmatched.receipt_id, ...options, '--reason', 'said so');
  expect([0, 1]).toContain(code);
});
const one = fc.oneof({ weight: 3, arbitrary: bring }, settle, { weight: 2, arbitrary: decide });
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: one },
    fc.constant<Step>(look),
    // Two steps at the same moment.
    fc.tuple(one, one).map(
      ([a, b]): Step =>
        (world) =>
          Promise.all([a(world), b(world)]),
    ),
  ),
  { minLength: 4, maxLength: 9 },
);

const receiptsOf = ({ lines }: World) =>
  cli
    .db('unmatched_receipts')
    .whereIn(
      'provider_reference',
      lines.map(({ providerReference }) => providerReference),
    )
    .orderBy('receipt_id');

async function check(world: World): Promise<void> {
  const { merchantId, payments } = world;
  await expectClean({ db: cli.db });
  const lines = await cli
    .db('statement_lines as l')
    .leftJoin('reconciliation_results as r', 'r.line_id', 'l.line_id')
    .select<{ line_id: string; outcome: string | null; payment_id: string | null; kind: string }[]>(
      'l.line_id',
      'l.kind',
      'r.outcome',
      'r.payment_id',
    );
  expect(lines.filter(({ outcome }) => outcome === null)).toEqual([]);
  const unmatchedReceipts = await receiptsOf(world);
  const mine = await cli.db('unmatched_receipts').pluck('line_id');
  // Each unexplained line has a receipt, and an explained line has no open receipt.
  expect(lines.filter(({ outcome, line_id: id }) => outcome === 'theirs_only' && !mine.includes(id))).toEqual(
    [],
  );
  const agreed = lines.filter(({ outcome }) => outcome === 'agreed').map(({ line_id: id }) => id);
  expect(
    unmatchedReceipts.filter(({ state, line_id: id }) => state === 'open' && agreed.includes(id)),
  ).toEqual([]);
  // A receipt that was assigned elsewhere or returned does not settle a payment. The line of the return agrees.
  const others = unmatchedReceipts.filter(
    ({ state, payment_id: id }) => (state === 'assigned' || state === 'returned') && id === null,
  );
  expect(others.filter(({ line_id: id }) => agreed.includes(id))).toEqual([]);
  // One line settles a payment.
  const tellers = lines
    .filter(({ outcome }) => outcome === 'agreed')
    .flatMap(({ payment_id: id }) => id ?? []);
  expect(tellers.filter((id, at) => tellers.indexOf(id) !== at)).toEqual([]);
  const settled = await cli
    .db('payments')
    .whereIn('payment_id', payments)
    .where({ state: 'succeeded' })
    .pluck('payment_id');
  const missing = await cli.db('reconciliation_results').where({ outcome: 'ours_only' }).pluck('payment_id');
  if (lines.length > 0)
    expect(settled.filter((id) => !tellers.includes(id) && !missing.includes(id))).toEqual([]);
  const claimed = unmatchedReceipts
    .filter(({ state, merchant_id, payment_id }) => state === 'assigned' && merchant_id && !payment_id)
    .reduce((sum, unmatched) => sum + isIncoming(unmatched), 0n);
  const wallet = await cli.db('ledger_accounts').where({ class: 'wallet', merchant_id: merchantId }).first();
  expect(BigInt(wallet?.balance ?? 0)).toBe(BigInt(settled.length) * 10_000n + claimed);
}

it('gives every line a result, books nothing twice, and keeps open receipts in suspense', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const world = await begin();
      for (const step of history) await step(world);
      await look();
      await check(world);
      const before = await receiptsOf(world);
      await look();
      expect(await receiptsOf(world)).toEqual(before);
    }),
    { numRuns: Number(process.env['MALIPO_TEST_RUNS'] ?? 10) },
  );
});
