/** Collections: started, decided by their scenario, and reported by webhook at every change. */
import { randomUUID } from 'node:crypto';
import { decimalOf } from '../../books';
import { drawOnce, unused } from '../../identifiers';
import type { ProviderContext } from '../../provider';
import { openSteps, splitAfter } from '../../steps';
import { newInvoiceId, newReceipt } from './identifiers';
import type { CollectionRequest } from './requests';
import {
  reportsTheEnd,
  type Change,
  type InvoiceName,
  type Scenario,
  type State,
  type Step,
} from './scenarios';
import type { XbSettings } from './settings';
import { webhookOf } from './webhook';

export interface Invoice extends CollectionRequest {
  /** The id of the invoice's transaction. */
  id: string;
  invoiceId: string;
  customerId: string;
  state: State;
  chargesCents: number;
  netCents: number;
  retryCount: number;
  /** The network's receipt, once paid. */
  receipt?: string;
  failedReason?: string;
  failedCode?: string;
  createdAt: number;
  updatedAt: number;
  shortBy: number;
  /** The one name in answers, if they do not have both. */
  namedBy?: InvoiceName;
  challengeInHeader?: true;
  /** Its scenario no longer applies. */
  isDecided?: true;
}

/** Results that the control API can set, whatever was reported before. */
export const decisions = {
  pay: { state: 'COMPLETE' },
  fail: { state: 'FAILED', failedReason: 'insufficient balance', failedCode: '1' },
  cancel: { state: 'FAILED', failedReason: 'Request cancelled by user', failedCode: '1032' },
} as const satisfies Record<string, Change>;
export type Decision = keyof typeof decisions;

export interface Invoices {
  start(request: CollectionRequest, scenario: Scenario): Promise<Invoice>;
  find(invoiceId: string): Invoice | undefined;
  /** Names need not be unique. */
  named(apiRef: string): Invoice[];
  /** The status call knows at once; the webhook follows. */
  decide(invoice: Invoice, decision: Decision): Invoice;
}

const CHARGE_PERCENT = 3;
const MINUTE = 60_000;
/** A failed webhook is retried five times, with growing delays. */
const RETRY_AFTER_MS = [5, 20, 40, 80, 160].map((minutes) => minutes * MINUTE);
const FAILURES_IN_A_ROW_MAX = 20;

export function openInvoices(context: ProviderContext, settings: XbSettings): Invoices {
  const { journal, clock, schedule, faults, callbacks, books } = context;
  const invoices = journal.collection<Invoice>('xb.invoices');
  const receipts = new Set([...invoices.values()].flatMap(({ receipt }) => receipt ?? []));
  const endpoint = journal.collection<{ failures: number }>('xb.endpoint');
  callbacks.behave({
    retryAfterMs: RETRY_AFTER_MS,
    onTried(delivered) {
      const failures = delivered ? 0 : (endpoint.get('failures')?.failures ?? 0) + 1;
      const isAbandoned = failures > FAILURES_IN_A_ROW_MAX;
      if (isAbandoned) faults.add({ provider: 'xb', call: 'callback', behave: 'switched_off', times: 1 });
      endpoint.put('failures', { failures: isAbandoned ? 0 : failures });
    },
  });

  const change = (invoice: Invoice, { state, ...rest }: Change): Invoice => {
    const changed = { ...invoice, ...rest, state, updatedAt: clock.callersNow() };
    const settled = state === 'COMPLETE' ? pay(changed) : changed;
    invoices.put(invoice.invoiceId, settled);
    return settled;
  };
  const pay = (invoice: Invoice): Invoice => {
    const { invoiceId, currency, phone, updatedAt, customerPays } = invoice;
    const valueCents = invoice.valueCents - invoice.shortBy * 100;
    const chargesCents = Math.round((valueCents * CHARGE_PERCENT) / 100);
    const netCents = customerPays ? valueCents : valueCents - chargesCents;
    const receipt = drawOnce(receipts, () => newReceipt(updatedAt, currency));
    const amount = decimalOf(BigInt(valueCents));
    books.book({ provider: 'xb', reference: invoiceId, receipt, amount, currency, phone });
    return { ...invoice, valueCents, chargesCents, netCents, receipt };
  };
  const perform = async (invoiceId: string, { becomes, notifies = [] }: Step): Promise<void> => {
    const before = invoices.get(invoiceId);
    if (!before || (before.isDecided && becomes)) return;
    const invoice = becomes ? change(before, becomes) : before;
    for (const state of notifies) await notify(invoice, state);
  };
  const notify = async (invoice: Invoice, state: State): Promise<void> => {
    if (settings.webhookUrl === undefined) return;
    const { callback, alternatives } = webhookOf(invoice, state, settings, settings.webhookUrl);
    await callbacks.send(callback, { phone_number: invoice.phone }, invoice.invoiceId, alternatives);
  };
  const steps = openSteps(schedule, 'xb.step', perform);

  return {
    async start(request, scenario) {
      const createdAt = clock.callersNow();
      const invoice: Invoice = {
        ...request,
        id: randomUUID(),
        invoiceId: unused(newInvoiceId, (candidate) => invoices.get(candidate) !== undefined),
        customerId: newInvoiceId(),
        state: 'PENDING',
        chargesCents: 0,
        netCents: request.valueCents,
        retryCount: 0,
        createdAt,
        updatedAt: createdAt,
        shortBy: scenario.shortBy ?? 0,
        ...(scenario.namedBy && { namedBy: scenario.namedBy }),
        ...(scenario.challengeInHeader && { challengeInHeader: true }),
      };
      const { invoiceId } = invoice;
      invoices.put(invoiceId, invoice);
      const facts = { phone_number: request.phone };
      const overtakes = faults.take('xb', 'callback', facts, ['reorder']) !== undefined;
      const [before, after] = overtakes ? splitAfter(scenario.steps, reportsTheEnd) : [[], scenario.steps];
      for (const step of before) await perform(invoiceId, step);
      steps.plan(invoiceId, clock.now(), after);
      return invoice;
    },
    find: (invoiceId) => invoices.get(invoiceId),
    named: (apiRef) => [...invoices.values()].filter((invoice) => invoice.apiRef === apiRef),
    decide(invoice, decision) {
      const decided = change({ ...invoice, isDecided: true }, decisions[decision]);
      steps.plan(invoice.invoiceId, clock.now(), [{ afterMs: 0, notifies: [decided.state] }]);
      return decided;
    },
  };
}
