/** One payment of each kind per rail, watched from where a merchant stands. */
import { setMerchant } from '../../../merchants/merchants';
import type { Database } from '../../../store/database';
import { step } from '../../services/progress';
import type { SandboxDescription } from '../sandbox-description';
import { verifyBooks } from './books';
import type { DemoContext, DemoRow, RailDemo, RailDemoResult } from './demo';
import { merchantApi } from './merchant-api';
import { stkDemo } from './stk';
import { webhookReceiver } from './webhook-receiver';

const railDemos: RailDemo[] = [stkDemo];

export interface DemoOptions {
  description: SandboxDescription;
  namespace: string;
  db: Database;
  env: Record<string, string>;
}

export interface DemoResult {
  rows: DemoRow[];
  notes: string[];
  faults: string[];
}

export function runDemo(options: DemoOptions): Promise<DemoResult> {
  return step('paying for the demo', () => demonstrate(options));
}

async function demonstrate({ description, namespace, db, env }: DemoOptions): Promise<DemoResult> {
  const [merchant] = description.merchants;
  if (merchant === undefined) throw new Error('the sandbox has no merchant');
  // The receiver outlives the demo, so that later payments of this merchant are announced in the terminal too.
  const webhooks = await webhookReceiver(merchant.webhook_secret);
  await setMerchant(db, merchant.merchant_id, { webhookUrl: webhooks.url }, { environment: 'sandbox' });

  const api = merchantApi(description.api_url, merchant);
  const context: DemoContext = {
    api,
    webhooks,
    merchant,
    simulatorUrl: description.simulator_url,
    workflowUrl: (workflowId) =>
      `${description.temporal_ui_url}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}`,
  };
  const faults: string[] = [];
  const results: RailDemoResult[] = [];
  const before = await api.walletKesCents();
  for (const demo of railDemos) {
    try {
      results.push(await demo.run(context));
    } catch (error) {
      faults.push(`${demo.rail}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  faults.push(...results.flatMap((result) => result.faults));

  const settled = results.reduce((sum, { settledKesCents }) => sum + settledKesCents, 0n);
  const risen = (await api.walletKesCents()) - before;
  if (risen !== settled) faults.push(`the wallet rose by ${kes(risen)}, but ${kes(settled)} was settled`);
  faults.push(...(await verifyBooks({ ...process.env, ...env })));
  webhooks.announce();
  return {
    rows: results.flatMap(({ rows }) => rows),
    notes: [`${merchant.name}'s wallet rose by ${kes(risen)}; what was settled: ${kes(settled)}.`],
    faults,
  };
}

function kes(cents: bigint): string {
  const text = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${text.slice(0, -2)}.${text.slice(-2)} KES`;
}
