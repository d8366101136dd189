/** What the demo of one rail is given, and what it tells. */
import type { Currency } from '../../../src/domain/money';
import type { MerchantApi } from './merchant-api';
import type { Operator } from './operator';
import type { SimulatorControl } from './simulator-control';
import type { ReceivedWebhook, WebhookReceiver } from './webhook-receiver';

export interface DemoContext {
  api: MerchantApi;
  merchantId: string;
  webhooks: WebhookReceiver;
  operator: Operator;
  simulator: SimulatorControl;
  /** Where an operator sees a workflow. */
  workflowUrl(workflowId: string): string;
}

/** One per rail; a new rail adds a file beside this one and a line to the list in index.ts. */
export interface RailDemo {
  rail: string;
  /** True where it needs what the others bring. */
  afterTheOthers?: true;
  run(context: DemoContext): Promise<PaymentResult[]>;
}

export interface DemoRow {
  rail: string;
  what: string;
  outcome: string;
  webhook: string;
  link: string;
}

/** Minor units that a merchant's account must have gained, or with a minus lost. */
export interface Gain {
  account: 'wallet' | 'float';
  currency: Currency;
  minor: bigint;
}

export interface PaymentResult {
  row: DemoRow;
  /** Everything that is not as it should be, in sentences. */
  faults: string[];
  gains: Gain[];
}

interface PaymentStory {
  rail: string;
  what: string;
  /** Where the payment's workflow is found; undefined where none was begun. */
  workflowId: string | undefined;
  /** How it ended, and how it should have. */
  outcome: string;
  expected: string;
  webhooks: ReceivedWebhook[];
  /** What else is wrong with it. */
  faults?: (string | false)[];
  gains?: Gain[];
}

/** The end of one payment, compared with what it should have been. */
export function paymentResult({ workflowUrl }: DemoContext, story: PaymentStory): PaymentResult {
  const { rail, what, workflowId, outcome, expected, webhooks, faults = [], gains = [] } = story;
  const payment = `${rail}, ${what}`;
  const forged = webhooks.map(({ signatureFault }) => signatureFault).filter((fault) => fault !== undefined);
  const told = [
    outcome !== expected && `${outcome} instead of ${expected}`,
    ...forged.map((fault) => `the webhook's signature is wrong: ${fault}`),
    ...faults,
  ].filter((fault) => fault !== false);
  return {
    row: {
      rail,
      what,
      outcome,
      webhook: webhooks.length === 0 ? 'none' : forged.length === 0 ? 'verified' : 'NOT VERIFIED',
      link: workflowId === undefined ? 'none' : workflowUrl(workflowId),
    },
    faults: told.map((fault) => `${payment}: ${fault}`),
    gains,
  };
}
