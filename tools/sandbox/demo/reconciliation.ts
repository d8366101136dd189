/** Kenya: the provider's statement and our books, with an unmatched payment, which is assigned to its merchant. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type DemoContext,
  minorOf,
  type UnmatchedReceipt,
  type PaymentResult,
  paymentResult,
  type RailDemo,
  type Reconciliation,
} from '../../../src/rail-kit/demo';

import { waitFor } from '../services/wait-for';

const rail = 'Reconciliation';
const [account, provider, currency] = ['stk', 'daraja', 'KES'] as const;
/** The simulator's fixed reference of the extra payment. */
const unknownReference = 'ORPHAN0001';
const open = 'open';
/** The final states of an unmatched receipt, also by the operator's own decision. */
const ends = ['assigned', 'returned', 'explained'];

export const reconciliationDemo: RailDemo = {
  rail,
  shows: 'a receipt without a payment, assigned',
  afterTheOthers: true,
  async run(context) {
    for (const state of ends) {
      // It exists once for all starts with the same data.
      if ((await receiptsIn(context, state)).length > 0) return [];
    }
    const [first, ...others] = await context.simulator.successes(account);
    if (first === undefined) throw new Error('there was no payment, so the statement is empty');
    // Times, not days, so that it works around midnight.
    const times = [first, ...others].map(({ at }) => Date.parse(at));
    const secondMs = 1_000;
    const begins = Math.floor(Math.min(...times) / secondMs) * secondMs;
    const period = { from: new Date(begins), to: new Date(Math.max(...times) + secondMs) };

    const statement = await context.simulator.statement(account, 'orphan');
    const brought = await inFile(statement, (file) =>
      context.operator.reconcile(account, period, ['--statement', file, '--date-order', 'dmy']),
    );
    const found = findResult(context, brought, first.amount);
    const [unmatched] = await receiptsIn(context, open);
    if (unmatched === undefined) throw new Error(`no unmatched receipt ${unknownReference} is open`);
    await context.operator.claim(unmatched.receipt_id, 'paid to the till directly');
    const after = await whenMatched(() => context.operator.reconcile(account, period, ['--kept']));
    return [found, await claimResult(context, unmatched, after)];
  },
};

/** A payment of the user may have reached the provider's statement before its own result. */
async function whenMatched(reconcile: () => Promise<Reconciliation>): Promise<Reconciliation> {
  let last: Reconciliation | undefined;
  const isMatched = async () => (last = await reconcile()).explained;
  await waitFor(isMatched, { what: 'matched lines', timeoutMs: 15_000, everyMs: 1_000 }).catch(
    () => undefined,
  );
  return last ?? reconcile();
}

function findResult(context: DemoContext, { items }: Reconciliation, amount: string): PaymentResult {
  const unmatchedReceipts = items.filter(
    ({ outcome, provider_reference: reference }) =>
      outcome === 'theirs_only' && reference === unknownReference,
  );
  const reported = unmatchedReceipts.map((unmatched) => `, ${unmatched.amount} ${unmatched.currency}`);
  return paymentResult(context, {
    rail,
    what: "an unmatched line of the provider's statement",
    workflowId: undefined,
    outcome: `${String(unmatchedReceipts.length)} unmatched receipt${reported.join('')}`,
    expected: `1 unmatched receipt, ${amount} ${currency}`,
    webhooks: [],
  });
}

async function claimResult(
  context: DemoContext,
  { receipt_id: id, amount }: UnmatchedReceipt,
  { explained }: Reconciliation,
): Promise<PaymentResult> {
  const isClaimed = (await receiptsIn(context, 'assigned')).some(({ receipt_id: claimed }) => claimed === id);
  return paymentResult(context, {
    rail,
    what: `unmatched receipt of ${amount} ${currency}, assigned to its merchant`,
    workflowId: undefined,
    outcome: `${isClaimed ? 'assigned' : open}, ${explained ? 'every line is matched' : 'not every line is matched'}`,
    expected: 'assigned, every line is matched',
    webhooks: [],
    gains: [{ account: 'wallet', currency, minor: minorOf(amount, currency) }],
  });
}

async function receiptsIn({ operator }: DemoContext, state: string): Promise<UnmatchedReceipt[]> {
  const unmatchedReceipts = await operator.unmatchedReceipts(provider, state);
  return unmatchedReceipts.filter(({ provider_reference: reference }) => reference === unknownReference);
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
