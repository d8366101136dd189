/** One payment of each kind per rail, watched from where a merchant stands. */
import { formatAmount, type Currency } from '../../../src/domain/money';
import { setMerchant } from '../../../src/merchants/merchants';
import { railSandboxes } from '../../../src/rails/sandbox';
import { overriding } from '../../../src/secret-files';
import type { Database } from '../../../src/store/database';
import { step } from '../services/progress';
import type { SandboxDescription } from '../sandbox-description';
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

const railDemos: RailDemo[] = [
  ...Object.values(railSandboxes).map(({ demo }) => demo),
  voucherDemo,
  controlsDemo,
  reconciliationDemo,
];

export interface DemoOptions {
  description: SandboxDescription;
  namespace: string;
  db: Database;
  env: Record<string, string>;
  /** False where the database may know payments of an earlier simulator, whose books are gone. */
  withSimulatorsBooks: boolean;
}

export interface DemoResult {
  rows: DemoRow[];
  notes: string[];
  faults: string[];
}

export function runDemo(options: DemoOptions): Promise<DemoResult> {
  return step('paying for the demo', () => demonstrate(options));
}

async function demonstrate(options: DemoOptions): Promise<DemoResult> {
  const { description, namespace, db, env, withSimulatorsBooks } = options;
  const [merchant] = description.merchants;
  if (merchant === undefined) throw new Error('the sandbox has no merchant');
  // The receiver outlives the demo, so that later payments of this merchant are announced in the terminal too.
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
  const { results, faults } = await payOnEveryRail(context);
  const after = await context.operator.balances();
  faults.push(...(await faultsOfBalances(context, before, after, results)));
  faults.push(...(await context.operator.verify({ withSimulator: withSimulatorsBooks })));
  webhooks.announce();
  return {
    rows: results.map(({ row }) => row),
    notes: [
      `${merchant.name}: ${movesOf(before, after).join(', ')}.`,
      `The books were verified${withSimulatorsBooks ? ", and compared with the providers' own" : ''}.`,
      'Thirty days passed for the payout that nobody claimed, and for nothing else: the sandbox has the real time.',
    ],
    faults,
  };
}

/** As many at once as can be. One that breaks down is told, and the others are shown all the same. */
async function payOnEveryRail(context: DemoContext): Promise<{ results: PaymentResult[]; faults: string[] }> {
  const results: PaymentResult[] = [];
  const faults: string[] = [];
  const attempt = async (demo: RailDemo) => {
    try {
      results.push(...(await demo.run(context)));
    } catch (error) {
      faults.push(`${demo.rail}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  await Promise.all(railDemos.filter((demo) => demo.afterTheOthers !== true).map(attempt));
  for (const demo of railDemos.filter((later) => later.afterTheOthers === true)) await attempt(demo);
  const order = railDemos.map(({ rail }) => rail);
  results.sort((a, b) => order.indexOf(a.row.rail) - order.indexOf(b.row.rail));
  return { results, faults: [...faults, ...results.flatMap((result) => result.faults)] };
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
        `the ${account} holds ${shown(after[account] ?? 0n, account)} instead of ${shown(expected[account] ?? 0n, account)}`,
    );
  const told = await api.walletKesCents();
  if (told !== (after['KES wallet'] ?? 0n))
    faults.push(`query_balance tells ${shown(told, 'KES wallet')} of the KES wallet`);
  return faults;
}

/** `KES wallet +1250.00` for each account that moved. */
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
