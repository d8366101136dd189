/** One payment of each kind per rail, from a merchant's point of view. */
import { formatAmount, type Currency } from '../../../src/domain/money';
import { setMerchant } from '../../../src/merchants/merchants';
import { railSandboxes } from '../../../src/rails/sandbox';
import { overriding } from '../../../src/secret-files';
import type { Database } from '../../../src/store/database';
import { step } from '../services/progress';
import type { SandboxDescription } from '../sandbox-description';
import type { SandboxMerchant } from '../sandbox-merchants';
import { controlsDemo } from './controls';
import type {
  Balances,
  DemoContext,
  DemoRow,
  Gain,
  PaymentResult,
  RailDemo,
} from '../../../src/rail-kit/demo';
import { merchantApi } from './merchant-api';
import { operator } from './operator';
import { reconciliationDemo } from './reconciliation';
import { simulatorControl } from './simulator-control';
import { voucherDemo } from './voucher';
import { webhookReceiver } from './webhook-receiver';
import { waitFor } from '../services/wait-for';

/** How long the books may differ from the providers' while payments of the user end. */
const settling = { timeoutMs: 15_000, everyMs: 1_000 };

const railDemos: RailDemo[] = [
  ...Object.values(railSandboxes).map(({ demo }) => demo),
  voucherDemo,
  controlsDemo,
  reconciliationDemo,
];

export interface DemoOptions {
  /** Nobody else uses it: its sums are the demo's. */
  merchant: SandboxMerchant;
  description: SandboxDescription;
  namespace: string;
  db: Database;
  env: Record<string, string>;
  /** False if the database may contain payments of an earlier simulator, whose books are gone. */
  withSimulatorsBooks: boolean;
}

/** One line for the terminal. */
export interface DemoLine {
  rail: string;
  shows: string;
  isRight: boolean;
}

export interface DemoResult {
  merchant: string;
  lines: DemoLine[];
  rows: DemoRow[];
  /** What the merchant's accounts gained. */
  moves: string[];
  notes: string[];
  faults: string[];
}

export function runDemo(options: DemoOptions): Promise<DemoResult> {
  return step('paying on every rail', () => demonstrate(options));
}

async function demonstrate(options: DemoOptions): Promise<DemoResult> {
  const { merchant, description, namespace, db, env, withSimulatorsBooks } = options;
  const webhooks = await webhookReceiver(merchant.webhook_secret);
  const addresses = { webhookUrl: webhooks.url, callbackUrl: webhooks.url };
  await setMerchant(db, merchant.merchant_id, addresses, { environment: 'sandbox' });

  const api = merchantApi(description.api_url, merchant);
  const context: DemoContext = {
    api,
    merchantId: merchant.merchant_id,
    webhooks,
    operator: operator(overriding(process.env, env), merchant.merchant_id),
    simulator: simulatorControl(description.simulator_url),
    workflowUrl: (workflowId) =>
      `${description.temporal_ui_url}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}`,
  };
  const before = await context.operator.balances();
  const { results, lines, faults } = await payOnEveryRail(context);
  const after = await context.operator.balances();
  faults.push(...(await faultsOfBalances(context, before, after, results)));
  faults.push(...(await verified(context, withSimulatorsBooks)));
  return {
    merchant: merchant.name,
    lines,
    rows: results.map(({ row }) => row),
    moves: movesOf(before, after),
    notes: [`The books were verified${withSimulatorsBooks ? ", and compared with the providers' own" : ''}.`],
    faults,
  };
}

/** As many at once as possible. An error of one is shown, and the others continue. */
async function payOnEveryRail(
  context: DemoContext,
): Promise<{ results: PaymentResult[]; lines: DemoLine[]; faults: string[] }> {
  const results: PaymentResult[] = [];
  const faults: string[] = [];
  const wrong = new Set<string>();
  const attempt = async (demo: RailDemo) => {
    try {
      const own = await demo.run(context);
      results.push(...own);
      if (own.some((result) => result.faults.length > 0)) wrong.add(demo.rail);
    } catch (error) {
      wrong.add(demo.rail);
      faults.push(`${demo.rail}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  await Promise.all(railDemos.filter((demo) => demo.afterTheOthers !== true).map(attempt));
  for (const demo of railDemos.filter((later) => later.afterTheOthers === true)) await attempt(demo);
  const order = railDemos.map(({ rail }) => rail);
  results.sort((a, b) => order.indexOf(a.row.rail) - order.indexOf(b.row.rail));
  const lines = railDemos.map(({ rail, shows }) => ({ rail, shows, isRight: !wrong.has(rail) }));
  return { results, lines, faults: [...faults, ...results.flatMap((result) => result.faults)] };
}

/** A payment of the user is between two states for a moment, and the providers' books are then ahead of ours. */
async function verified({ operator }: DemoContext, withSimulator: boolean): Promise<string[]> {
  let faults: string[] = [];
  await waitFor(
    async () => {
      faults = await operator.verify({ withSimulator });
      return faults.length === 0;
    },
    { what: 'right books', ...settling },
  ).catch(() => undefined);
  return faults;
}

async function faultsOfBalances(
  { api }: DemoContext,
  before: Balances,
  after: Balances,
  results: PaymentResult[],
): Promise<string[]> {
  const expected = { ...before };
  for (const { account, currency, minor } of results.flatMap(({ gains }) => gains)) {
    const name = `${currency} ${account}` satisfies `${Currency} ${Gain['account']}`;
    expected[name] = (expected[name] ?? 0n) + minor;
  }
  const faults = accountsOf(expected, after)
    .filter((account) => (expected[account] ?? 0n) !== (after[account] ?? 0n))
    .map(
      (account) =>
        `the ${account} has ${shown(after[account] ?? 0n, account)} instead of ${shown(expected[account] ?? 0n, account)}`,
    );
  const reported = await api.walletKesCents();
  if (reported !== (after['KES wallet'] ?? 0n))
    faults.push(`query_balance returns ${shown(reported, 'KES wallet')} for the KES wallet`);
  return faults;
}

/** `KES wallet +1250.00` for each account that changed. */
function movesOf(before: Balances, after: Balances): string[] {
  return accountsOf(before, after)
    .map((account) => ({ account, minor: (after[account] ?? 0n) - (before[account] ?? 0n) }))
    .filter(({ minor }) => minor !== 0n)
    .map(({ account, minor }) => `${account} ${minor > 0n ? '+' : ''}${shown(minor, account)}`);
}

function accountsOf(...balances: Balances[]): string[] {
  return [...new Set(balances.flatMap((some) => Object.keys(some)))].sort();
}

function shown(minor: bigint, account: string): string {
  return formatAmount(minor, account.slice(0, 3) as Currency);
}
