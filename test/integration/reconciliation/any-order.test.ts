/** Whatever comes in whatever order: no line is left uncounted, nothing is booked twice, and suspense is the open orphans. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { createMerchant } from '../../../src/merchants/merchants';
import { railsOf } from '../../../src/rail-kit/context';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import { isSettled } from '../../../src/domain/payment';
import { reconcile } from '../../../src/reconciliation/reconcile';
import { cameIn } from '../../../src/reconciliation/statement';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';
import { expectClean } from '../../support/expect-clean';
import { box, deposit, moveAlong } from '../../support/verify/books-support';
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

/** A merchant whose customers were not seen to pay, and what the provider knows. */
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
    // Its customer pays twice.
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

/** Any part of what the provider knows, in any order, with lines that stand there twice. */
const bring = fc.array(n(9), { minLength: 1, maxLength: 8 }).map((which): Step => async ({ lines }) => {
  const written = which.flatMap((at) => lines[at] ?? []);
  return reconcile(cli.db, format, period(), file(written, `${randomUUID()}.json`));
});
const settle = n(2).map((at): Step => async ({ payments }) => {
  const payment = await getPaymentOrThrow(cli.db, payments[at] ?? '');
  if (!isSettled(payment.state)) await moveAlong(cli.context, payment.payment_id, 'succeeded');
});
const decisions = [
  ({ merchantId }: World) => ['claim', '--merchant', merchantId],
  ({ payments }: World) => ['claim', '--payment', payments[1] ?? ''],
  ({ payments }: World) => ['claim', '--payment', payments[2] ?? ''],
  ({ lines }: World) => ['returned', '--reference', lines[8]?.providerReference ?? ''],
];
/** What cannot be decided so is refused, and that is all. */
const decide = fc.tuple(n(6), n(3)).map(([at, how]): Step => async (world) => {
  const orphans = await orphansOf(world);
  const orphan = orphans[at % Math.max(1, orphans.length)];
  const [verb = '', ...options] = decisions[how]?.(world) ?? [];
  if (!orphan) return;
  const { code } = await cli.run('orphan', verb, orphan.orphan_id, ...options, '--reason', 'said so');
  expect([0, 1]).toContain(code);
});
const one = fc.oneof({ weight: 3, arbitrary: bring }, settle, { weight: 2, arbitrary: decide });
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: one },
    fc.constant<Step>(look),
    // Two at the same moment.
    fc.tuple(one, one).map(
      ([a, b]): Step =>
        (world) =>
          Promise.all([a(world), b(world)]),
    ),
  ),
  { minLength: 4, maxLength: 9 },
);

const orphansOf = ({ lines }: World) =>
  cli
    .db('orphans')
    .whereIn(
      'provider_reference',
      lines.map(({ providerReference }) => providerReference),
    )
    .orderBy('orphan_id');

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
  const orphans = await orphansOf(world);
  const mine = await cli.db('orphans').pluck('line_id');
  // Money that nobody explains has its orphan, and what is explained has none that is open.
  expect(lines.filter(({ outcome, line_id: id }) => outcome === 'theirs_only' && !mine.includes(id))).toEqual(
    [],
  );
  const agreed = lines.filter(({ outcome }) => outcome === 'agreed').map(({ line_id: id }) => id);
  expect(orphans.filter(({ state, line_id: id }) => state === 'open' && agreed.includes(id))).toEqual([]);
  // What a person gave to somebody else, or sent back, is no payment's by itself. The line that it went back with agrees.
  const others = orphans.filter(
    ({ state, payment_id: id }) => (state === 'claimed' || state === 'returned') && id === null,
  );
  expect(others.filter(({ line_id: id }) => agreed.includes(id))).toEqual([]);
  // A payment is told of by one line.
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
  const claimed = orphans
    .filter(({ state, merchant_id, payment_id }) => state === 'claimed' && merchant_id && !payment_id)
    .reduce((sum, orphan) => sum + cameIn(orphan), 0n);
  const wallet = await cli.db('ledger_accounts').where({ class: 'wallet', merchant_id: merchantId }).first();
  expect(BigInt(wallet?.balance ?? 0)).toBe(BigInt(settled.length) * 10_000n + claimed);
}

it('leaves nothing uncounted, books nothing twice, and keeps in suspense what is open', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (story) => {
      const world = await begin();
      for (const step of story) await step(world);
      await look();
      await check(world);
      const before = await orphansOf(world);
      await look();
      expect(await orphansOf(world)).toEqual(before);
    }),
    { numRuns: Number(process.env['MALIPO_TEST_RUNS'] ?? 10) },
  );
});
