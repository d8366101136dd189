/** What the demo of one rail is given, and what it tells. */
import type { SandboxMerchant } from '../sandbox-merchants';
import type { MerchantApi } from './merchant-api';
import type { WebhookReceiver } from './webhook-receiver';

export interface DemoContext {
  api: MerchantApi;
  webhooks: WebhookReceiver;
  merchant: SandboxMerchant;
  simulatorUrl: string;
  /** Where an operator sees a workflow. */
  workflowUrl(workflowId: string): string;
}

export interface DemoRow {
  rail: string;
  what: string;
  outcome: string;
  webhook: string;
  link: string;
}

/** One per rail; a new rail adds a file beside this one and a line to the list in index.ts. */
export interface RailDemo {
  rail: string;
  run(context: DemoContext): Promise<RailDemoResult>;
}

export interface RailDemoResult {
  rows: DemoRow[];
  /** Everything that is not as it should be, in sentences. */
  faults: string[];
  /** What these payments must have added to the merchant's KES wallet, in cents. */
  settledKesCents: bigint;
}
