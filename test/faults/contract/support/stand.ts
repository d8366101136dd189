/** The test environment: one stack per rail, and its payments with a faulty provider. */
import type { PaymentState } from '../../../../src/domain/payment';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import type { Database } from '../../../../src/store/database';
import type { PaymentRow } from '../../../../src/store/tables';
import { startProxy, type Proxy } from '../../support/proxy';
import {
  simulatorControl,
  type Exchange,
  type Rule,
  type SimulatorControl,
} from '../../../support/rails/simulator-control';
import { call, type ApiAnswer } from '../../../support/merchant-client';
import { testTemporalAddress } from '../../../support/temporal';
import { startStack, type OwnStack, type TestMerchant } from '../../../support/stack';
import { connectEngine, type TestEngine } from '../../../support/workflows/temporal-client';
import type { Fate, Flow, RailContract } from '../rail-contract';
import { chargeEverything, fundFees } from './charged';
import type { Stage } from './rails';

/** How many times faster than real time both sides run. A kill and a restart take two of their minutes. */
export const timeScale = 40;

/** A rule without its customer. */
export type Fault = Omit<Rule, 'where'>;

export interface Begun {
  flow: Flow;
  customer: string;
  fate: Fate;
  merchant: TestMerchant;
  request: { path: string; body: object };
  /** Resolves when the API answers, possibly long after the fault. */
  answer: Promise<ApiAnswer>;
  /** The stored payment, as soon as it exists. */
  row(): Promise<PaymentRow>;
}

export interface ContractStage {
  contract: RailContract;
  stack: OwnStack;
  provider: SimulatorControl;
  engine: TestEngine;
  /** Between the API and Temporal. */
  temporal: Proxy;
  /** All merchants that must have their webhooks in the end. */
  merchants: TestMerchant[];
  createMerchant(): Promise<TestMerchant>;
  /** Everything that a payment needs, and its faults; `send` sends the request itself. */
  prepare(flow: Flow, fate: Fate, faults?: Fault[], merchant?: TestMerchant): Promise<Omit<Begun, 'answer'>>;
  send(prepared: Omit<Begun, 'answer'>): Begun;
  begin(flow: Flow, fate: Fate, faults?: Fault[], merchant?: TestMerchant): Promise<Begun>;
  /** Unused faults of this customer. */
  faultsLeft(begun: Pick<Begun, 'flow' | 'customer'>, call: string): Promise<number>;
  forgiveAll(): Promise<void>;
  /** The provider's and our messages about a payment, oldest first. */
  exchanges(callName: string, payment: PaymentRow): Promise<Exchange[]>;
  /**
   * Waits until this many are answered: our own query may settle the payment before the last one. There may be more: a
   * provider sends a notification again if our answer was late.
   */
  answeredNotifications(payment: PaymentRow, count: number): Promise<Exchange[]>;
  stop(): Promise<void>;
}

export async function startContractStage({ rail, contract, settings }: Stage): Promise<ContractStage> {
  const temporal = await startProxy(testTemporalAddress());
  const stack = await startStack({
    timeScale,
    env: settings,
    envOf: { api: { TEMPORAL_ADDRESS: temporal.via(testTemporalAddress()) } },
  });
  const engine = await connectEngine(stack);
  const provider = simulatorControl(stack.simulatorUrl, rail);
  const merchants: TestMerchant[] = [];
  const used = new Map<string, number>();

  async function createMerchant(): Promise<TestMerchant> {
    const merchant = await stack.createMerchant();
    merchants.push(merchant);
    await fundFees(stack.db, merchant.merchantId);
    return merchant;
  }
  await chargeEverything(stack.db);
  const everybodys = await createMerchant();

  function customerOf(flow: Flow, fate: Fate): string {
    const kind = `${flow.kind}:${fate}`;
    const n = used.get(kind) ?? 0;
    used.set(kind, n + 1);
    const customer = flow.customer(fate, n);
    if (customer === undefined) throw new Error(`${rail} has no further customer that ${fate}`);
    return customer;
  }

  async function prepare(
    flow: Flow,
    fate: Fate,
    faults: Fault[] = [],
    merchant = everybodys,
  ): Promise<Omit<Begun, 'answer'>> {
    const customer = customerOf(flow, fate);
    const request = await flow.request(stack, merchant, customer);
    for (const fault of faults) await provider.next({ ...fault, where: flow.where(customer) });
    const where = { rail: flow.rail ?? rail, kind: flow.kind, ...flow.row(customer) };
    const row = () =>
      waitFor(() => stack.db('payments').where(where).first(), {
        what: `the row of ${customer}`,
        timeoutMs: 30_000,
      });
    return { flow, customer, fate, merchant, request, row };
  }

  const send = (prepared: Omit<Begun, 'answer'>): Begun => {
    const { flow, fate, merchant, request } = prepared;
    const answer = call(stack, merchant, 'POST', request.path, request.body).then(async (reported) => {
      if (reported.status === 200) await flow.customerActs?.(stack, await prepared.row(), fate);
      return reported;
    });
    // Its user awaits it; a killed API must not end the test run.
    answer.catch(() => undefined);
    return { ...prepared, answer };
  };

  async function pendingRules(): Promise<(Rule & { provider: string })[]> {
    const response = await fetch(`${stack.simulatorUrl}/control/next`);
    return ((await response.json()) as { rules: (Rule & { provider: string })[] }).rules;
  }

  async function exchanges(callName: string, payment: PaymentRow): Promise<Exchange[]> {
    const names = [payment.payment_id, payment.callback_token, payment.provider_reference];
    return (await provider.exchanges(callName)).filter((exchange) => {
      const text = `${exchange.url} ${JSON.stringify(exchange.body)}`;
      return names.some((name) => name !== null && text.includes(name));
    });
  }

  return {
    contract,
    stack,
    provider,
    engine,
    temporal,
    merchants,
    createMerchant,
    prepare,
    send,
    begin: async (...args) => send(await prepare(...args)),
    async faultsLeft({ flow, customer }, callName) {
      const where = JSON.stringify(flow.where(customer));
      const left = (await pendingRules()).filter(
        (rule) => rule.call === callName && JSON.stringify(rule.where) === where,
      );
      return left.length;
    },
    async forgiveAll() {
      await fetch(`${stack.simulatorUrl}/control/reset`, { method: 'POST' });
    },
    exchanges,
    answeredNotifications(payment, count) {
      return waitFor(
        async () => {
          const sent = await exchanges('callback', payment);
          const heard = sent.filter(({ answer }) => answer !== undefined);
          return heard.length >= count && heard;
        },
        { what: `${String(count)} notifications about ${payment.payment_id}`, timeoutMs: 60_000 },
      );
    },
    async stop() {
      await engine.close();
      await stack.stop();
      await temporal.close();
    },
  };
}

/** A payment's minor units to or from the provider, one number per booking. */
export async function bookingsOf(db: Database, paymentId: string): Promise<bigint[]> {
  const rows = await db('ledger_postings as l')
    .join('ledger_entries as e', 'e.entry_id', 'l.entry_id')
    .join('ledger_accounts as a', 'a.account_id', 'l.account_id')
    .where({ 'e.payment_id': paymentId, 'a.class': 'clearing' })
    .select<{ amount: string }[]>('l.amount');
  return rows.map(({ amount }) => BigInt(amount));
}

/** The final states that were reported to the merchant, oldest first. */
export async function endingsReported(db: Database, paymentId: string): Promise<PaymentState[]> {
  const rows = await db('outbox').where({ payment_id: paymentId }).orderBy('webhook_id');
  const open: PaymentState[] = ['pending', 'queued', 'processing'];
  return rows.map(({ to_state: state }) => state).filter((state) => !open.includes(state));
}

/** Waits until a payment has failed, or a case asks whether it has. */
export function failedOrQueried(db: Database, paymentId: string, timeoutMs: number): Promise<unknown> {
  return waitFor(
    async () =>
      (await db('payments').where({ payment_id: paymentId, state: 'failed' }).first('payment_id')) ??
      (await db('cases').where({ payment_id: paymentId }).first('case_id')),
    { what: `payment ${paymentId} to fail`, timeoutMs },
  );
}
