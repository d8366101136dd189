/** Kenya: the provider's statement beside our books, with a payment that we know nothing of, which is given to its owner. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type DemoContext,
  minorOf,
  type Orphan,
  type PaymentResult,
  paymentResult,
  type RailDemo,
  type Reconciliation,
} from '../../../src/rail-kit/demo';

const rail = 'Reconciliation';
const [account, provider, currency] = ['stk', 'daraja', 'KES'] as const;
/** What the simulator calls the payment that it makes up: always the same. */
const stranger = 'ORPHAN0001';
const open = 'open';
/** What becomes of an orphan in the end, be it by the operator's own hand. */
const ends = ['claimed', 'returned', 'explained'];

export const reconciliationDemo: RailDemo = {
  rail,
  afterTheOthers: true,
  async run(context) {
    for (const state of ends) {
      // It is once there for all starts on the same data.
      if ((await strangers(context, state)).length > 0) return [];
    }
    const [first, ...others] = await context.simulator.successes(account);
    if (first === undefined) throw new Error('nobody has paid, and the statement is empty');
    // Moments, not days: it is the same around midnight.
    const times = [first, ...others].map(({ at }) => Date.parse(at));
    const secondMs = 1_000;
    const begins = Math.floor(Math.min(...times) / secondMs) * secondMs;
    const period = { from: new Date(begins), to: new Date(Math.max(...times) + secondMs) };

    const statement = await context.simulator.statement(account, 'orphan');
    const brought = await inFile(statement, (file) =>
      context.operator.reconcile(account, period, ['--statement', file, '--date-order', 'dmy']),
    );
    const found = findResult(context, brought, first.amount);
    const [orphan] = await strangers(context, open);
    if (orphan === undefined) throw new Error(`no orphan ${stranger} is open`);
    await context.operator.claim(orphan.orphan_id, 'paid to the till directly');
    const after = await context.operator.reconcile(account, period, ['--kept']);
    return [found, await claimResult(context, orphan, after)];
  },
};

function findResult(context: DemoContext, { items }: Reconciliation, amount: string): PaymentResult {
  const orphans = items.filter(
    ({ outcome, provider_reference: reference }) => outcome === 'theirs_only' && reference === stranger,
  );
  const told = orphans.map((orphan) => `, ${orphan.amount} ${orphan.currency}`);
  return paymentResult(context, {
    rail,
    what: "a line of the provider's statement that no payment explains",
    workflowId: undefined,
    outcome: `${String(orphans.length)} orphan${told.join('')}`,
    expected: `1 orphan, ${amount} ${currency}`,
    webhooks: [],
  });
}

async function claimResult(
  context: DemoContext,
  { orphan_id: id, amount }: Orphan,
  { explained }: Reconciliation,
): Promise<PaymentResult> {
  const isClaimed = (await strangers(context, 'claimed')).some(({ orphan_id: claimed }) => claimed === id);
  return paymentResult(context, {
    rail,
    what: `orphan of ${amount} ${currency}, claimed for its merchant`,
    workflowId: undefined,
    outcome: `${isClaimed ? 'claimed' : open}, ${explained ? 'every line is explained' : 'not every line is'}`,
    expected: 'claimed, every line is explained',
    webhooks: [],
    gains: [{ account: 'wallet', currency, minor: minorOf(amount, currency) }],
  });
}

async function strangers({ operator }: DemoContext, state: string): Promise<Orphan[]> {
  const orphans = await operator.orphans(provider, state);
  return orphans.filter(({ provider_reference: reference }) => reference === stranger);
}

async function inFile<T>(content: string, use: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'malipo-statement-'));
  try {
    const path = join(folder, `${account}.csv`);
    await writeFile(path, content);
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
