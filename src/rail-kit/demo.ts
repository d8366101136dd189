/** What the demo of one rail receives, and what it reports. */
import { randomBytes } from 'node:crypto';
import { parseAmount, type Currency } from '../domain/money';

export interface DemoResponse {
  status: number;
  body: Record<string, unknown>;
}

/** The public API, called as a merchant's server would call it. */
export interface MerchantApi {
  /** @throws an Error with the answer unless it is a 200. */
  post(path: string, body: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Returns every answer. */
  ask(path: string, body: Record<string, unknown>): Promise<DemoResponse>;
  /** @throws an Error with the answer unless it is a 200. */
  get(path: string): Promise<Record<string, unknown>>;
  /** The available KES wallet, in cents. */
  walletKesCents(): Promise<bigint>;
}

/** A payment in a provider's own books. */
export interface Success {
  /** Decimal text. */
  amount: string;
  /** ISO 8601. */
  at: string;
}

export interface SimulatorControl {
  /** @param path below `/control` @throws an Error with the simulator's reason. */
  post(path: string, body: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** The texts of the mails to an address, newest last. */
  mailsTo(address: string): Promise<string[]>;
  /** The payments in a provider's own books, in the order of its statement. */
  successes(provider: string): Promise<Success[]>;
  /** A provider's statement as a file, with the given fault in it. */
  statement(provider: string, fault: string): Promise<string>;
  /** Advances the providers' clock; every event that became due has happened when this resolves. */
  advance(ms: number): Promise<void>;
  /** Lets the providers' time run fast until the promise resolves, so that the demo never makes a user wait. */
  hurry<T>(awaited: Promise<T>): Promise<T>;
  /** Lets their time run fast until the condition is true. */
  until(isSo: () => Promise<boolean>): Promise<void>;
}

/** The merchant's available money, in minor units, by account: `KES wallet`, `ZMW float`. */
export type Balances = Record<string, bigint>;

export interface Float {
  rail: string;
  country?: string;
  currency: Currency;
  /** Decimal text. */
  amount: string;
}

export interface UnmatchedReceipt {
  receipt_id: string;
  provider_reference: string;
  /** Decimal text. */
  amount: string;
  currency: Currency;
}

export interface Reconciliation {
  /** True when no money is unexplained. */
  explained: boolean;
  /** The differences. */
  items: { outcome: string; provider_reference: string | null; amount: string; currency: Currency }[];
}

export interface Operator {
  /** `malipo float add` */
  addFloat(float: Float): Promise<void>;
  /** `malipo merchant set --permission` */
  permit(permission: string): Promise<void>;
  /** `malipo limit set`, of the merchant. @returns the limit's id. */
  limit(kind: string, currency: Currency, options: string[]): Promise<string>;
  /** `malipo limit remove` */
  unlimit(limitId: string): Promise<void>;
  /** `malipo hold release`, by a user of its own. */
  release(paymentId: string, note: string): Promise<void>;
  /** `malipo reconcile`, which ends with a failure while money is unexplained. */
  reconcile(rail: string, period: { from: Date; to: Date }, options: string[]): Promise<Reconciliation>;
  /** `malipo unmatched list` */
  unmatchedReceipts(provider: string, state: string): Promise<UnmatchedReceipt[]>;
  /** `malipo unmatched assign --merchant` */
  claim(unmatchedId: string, reason: string): Promise<void>;
  /** `malipo sandbox advance`, for one payment only: the demo does not change the time of any other payment. */
  advance(duration: string, paymentId: string): Promise<void>;
  /** `malipo payment show`. @returns the workflow id of the payment of any id. */
  workflowOf(id: string): Promise<string>;
  /** `malipo wallet show` and `malipo float show` */
  balances(): Promise<Balances>;
  /** `malipo verify`. @returns its findings, in sentences; empty when the books are right. */
  verify(options: { withSimulator: boolean }): Promise<string[]>;
}

export interface ReceivedWebhook {
  body: Record<string, unknown>;
  /** Undefined when the signature is right. */
  signatureFault: string | undefined;
}

export interface WebhookReceiver {
  url: string;
  /** The first webhook whose body fits. */
  next(what: string, fits: (body: Record<string, unknown>) => boolean): Promise<ReceivedWebhook>;
}

export interface DemoContext {
  api: MerchantApi;
  merchantId: string;
  webhooks: WebhookReceiver;
  operator: Operator;
  simulator: SimulatorControl;
  /** The page where an operator sees a workflow. */
  workflowUrl(workflowId: string): string;
}

/** One per rail, and some without a rail. */
export interface RailDemo {
  rail: string;
  /** What its payments show, in at most 50 characters. */
  shows: string;
  /** True where it needs the results of the others. */
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

/** Minor units that a merchant's account must have gained; negative for a loss. */
export interface Gain {
  account: 'wallet' | 'float';
  currency: Currency;
  minor: bigint;
}

export interface PaymentResult {
  row: DemoRow;
  /** Every difference from the expected result, in sentences. */
  faults: string[];
  gains: Gain[];
}

interface DemoPayment {
  rail: string;
  what: string;
  /** The workflow of the payment; undefined where none was started. */
  workflowId: string | undefined;
  /** The actual end and the expected end. */
  outcome: string;
  expected: string;
  webhooks: ReceivedWebhook[];
  /** Its other faults. */
  faults?: (string | false)[];
  gains?: Gain[];
}

/** The end of one payment, compared with the expected end. */
export function paymentResult({ workflowUrl }: DemoContext, history: DemoPayment): PaymentResult {
  const { rail, what, workflowId, outcome, expected, webhooks, faults = [], gains = [] } = history;
  const payment = `${rail}, ${what}`;
  const forged = webhooks.map(({ signatureFault }) => signatureFault).filter((fault) => fault !== undefined);
  const reported = [
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
    faults: reported.map((fault) => `${payment}: ${fault}`),
    gains,
  };
}

/** An amount as the API shows it, a JSON number or decimal text, in minor units. */
export function minorOf(amount: unknown, currency: Currency): bigint {
  const minor = parseAmount(String(amount), currency);
  if (minor === undefined) throw new Error(`not an amount: ${JSON.stringify(amount)}`);
  return minor;
}

/** A new reference for each start: the same request again within seconds would be refused as a duplicate. */
export function newReference(): string {
  return `DEMO-${randomBytes(3).toString('hex')}`;
}
