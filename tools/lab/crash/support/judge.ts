/** What must be true after a trial, whatever was interrupted. */
import { setTimeout as delay } from 'node:timers/promises';
import { exits, isFinal, paymentStates, type PaymentState } from '../../../../src/domain/payment';
import { verify } from '../../../../src/verify/verify';
import type { OutboxRow, PaymentRow } from '../../../../src/store/tables';
import { isCopyOf } from '../../../../test/faults/support/ending-well';
import { simulatorControl } from '../../../../test/support/rails/simulator-control';
import { railsOfEnv } from '../../../../test/support/expect-clean';
import type { Trial } from '../operations/operation';
import type { TestRig } from './test-rig';

export interface Verdict {
  faults: string[];
  /** The states of the operation's payments. */
  ends: string[];
}

/** Providers that would prompt a payer twice, and the payment's field in their simulator's journal. */
const askedOnce = ['stk', 'xb'];
/** Answers that a provider gives without processing the request. */
const refusedUnheard = new Set([401, 404, 429]);

export interface Judged {
  /** The id in the operation's answer. */
  reported: string;
  /** A process was ended: without that, no result may be lost, and no case opened. */
  isInterrupted: boolean;
}

export async function judge(
  rig: TestRig,
  history: Trial,
  { reported, isInterrupted }: Judged,
): Promise<Verdict> {
  const faults: string[] = [];
  const living = await history.living();
  if (living.length !== 1 || living[0] !== reported)
    faults.push(`was answered ${reported}, and there is: ${living.join(', ') || 'nothing'}`);
  const payments = await paymentsOf(rig, living);
  for (const payment of payments) faults.push(...(await faultsOf(rig, history, payment, isInterrupted)));
  faults.push(...(await faultsOfBooks(rig)));
  return { faults, ends: await Promise.all(payments.map((payment) => endOf(rig, payment))) };
}

/** One payment, or those of a bulk; a voucher has none. */
function paymentsOf({ stack: { db } }: TestRig, ids: string[]): Promise<PaymentRow[]> {
  return db('payments')
    .whereIn('payment_id', ids)
    .orWhereIn('payment_id', db('bulk_rows').whereIn('bulk_id', ids).select('payment_id'));
}

/** Its open cases. */
async function askedOf({ stack: { db } }: TestRig, payment: PaymentRow): Promise<string[]> {
  return db('cases').where({ payment_id: payment.payment_id }).whereNull('closed_at').pluck('reason');
}

async function endOf(rig: TestRig, payment: PaymentRow): Promise<string> {
  const asked = await askedOf(rig, payment);
  return `${payment.state}${asked.map((reason) => ` (case: ${reason})`).join('')}`;
}

/**
 * The one case that a process's death may leave: the attempt was stored and the process died before sending it, or the
 * answer was lost and the provider sends no notification.
 */
function isPersonsToSay(history: Trial, { state, provider_reference }: PaymentRow, heard?: number): boolean {
  const isUnheard = heard === 0 || (heard === 1 && history.isNeverReported === true);
  return state === 'timed_out' && provider_reference === null && isUnheard;
}

/**
 * A payment that the provider never received may end like this at a provider that drops repeats, once it is too late to
 * send it again.
 */
async function isNeverReceived({ stack }: TestRig, payment: PaymentRow): Promise<boolean> {
  const { rail, payment_id: id, state, result_code } = payment;
  if (rail !== 'momo' || state !== 'failed' || result_code !== 'NOT_RECEIVED') return false;
  const asked = await simulatorControl(stack.simulatorUrl, rail).exchanges('initiate');
  return !asked.some(({ body, answer }) => JSON.stringify(body).includes(id) && answer?.status === 200);
}

async function faultsOf(
  rig: TestRig,
  history: Trial,
  payment: PaymentRow,
  isInterrupted: boolean,
): Promise<string[]> {
  const { payment_id: id, state } = payment;
  const faults: string[] = [];
  const rails = askedOnce.filter((rail) => rail === payment.rail);
  const heard = timesSubmitted(await promptsOf(rig, rails), payment);
  const asked = await askedOf(rig, payment);
  if (isInterrupted && isPersonsToSay(history, payment, heard)) {
    if (asked.join() !== 'submission_unknown')
      faults.push(`payment ${id} is unknown, with cases: ${asked.join() || 'none'}`);
  } else {
    const isUnsent = isInterrupted && (await isNeverReceived(rig, payment));
    if (!history.ends.includes(state) && !isUnsent) faults.push(`payment ${id} is ${state}`);
    if (asked.length > 0) faults.push(`payment ${id} is ${state}, with cases: ${asked.join()}`);
  }
  if (heard !== undefined && heard > 1) faults.push(`the payer of ${id} was prompted ${heard} times`);
  return [...faults, ...(await faultsOfTrial(rig, payment))];
}

/** The prompts that such providers were asked for, by rail: the text of each received request. */
export type Prompts = ReadonlyMap<string, readonly string[]>;

export async function promptsOf({ stack }: Pick<TestRig, 'stack'>, rails = askedOnce): Promise<Prompts> {
  const prompts = new Map<string, string[]>();
  for (const rail of rails) {
    const asked = await simulatorControl(stack.simulatorUrl, rail).exchanges('initiate');
    const heard = asked.filter(({ answer }) => !refusedUnheard.has(answer?.status ?? 0));
    prompts.set(
      rail,
      heard.map(({ body }) => JSON.stringify(body)),
    );
  }
  return prompts;
}

/** How often the provider was asked for a prompt; undefined for one that drops repeats. */
export function timesSubmitted(
  prompts: Prompts,
  { rail, callback_token: token }: PaymentRow,
): number | undefined {
  return prompts.get(rail)?.filter((text) => text.includes(token ?? 'no token')).length;
}

const reachable = new Map(paymentStates.map((state) => [state, reachableFrom(state)]));

function reachableFrom(state: PaymentState, found = new Set<PaymentState>()): Set<PaymentState> {
  for (const next of exits[state]) {
    if (found.has(next)) continue;
    found.add(next);
    reachableFrom(next, found);
  }
  return found;
}

/** The merchant got true reports, once each, in a possible order, and received them all. */
export async function faultsOfTrial(
  { stack: { db }, merchant }: Pick<TestRig, 'stack' | 'merchant'>,
  { payment_id: id, state, rail }: PaymentRow,
): Promise<string[]> {
  const rows: OutboxRow[] = await db('outbox').where({ payment_id: id }).orderBy('webhook_id');
  const reported = rows.map(({ to_state }) => to_state);
  const faults = reported.flatMap((to, n) => {
    const before = reported[n - 1];
    return before === undefined || reachable.get(before)?.has(to)
      ? []
      : [`was reported ${before}, then ${to}`];
  });
  const isReported = rail !== 'cardproc' || rows.length > 0;
  if (isReported && isFinal(state) && reported.at(-1) !== state)
    faults.push(`is ${state}, and was reported ${reported.join(', ') || 'nothing'}`);
  for (const row of rows) {
    const copies = merchant.receiver.received.filter(
      ({ headers }) => headers['webhook-id'] === row.webhook_id,
    );
    // A status that a later one has replaced need not arrive: the same check applies to the later one.
    const isReplaced =
      row.state === 'superseded' &&
      rows.some((later) => later.webhook_id === row.superseded_by && later.webhook_id > row.webhook_id);
    if (isReplaced) continue;
    if (row.state !== 'delivered') faults.push(`webhook ${row.webhook_id} is ${row.state}`);
    else if (copies.length === 0) faults.push(`webhook ${row.webhook_id} never came`);
    if (copies.some((copy) => !isCopyOf(row, copy)))
      faults.push(`webhook ${row.webhook_id} came in two versions`);
  }
  return faults.map((fault) => `payment ${id} ${fault}`);
}

/** Rows that are just being written are checked again: a violation stays. */
const looks = 4;
const pauseMs = 400;

/** Everything that `malipo verify` finds, including the provider's books. */
export async function faultsOfBooks({ stack }: Pick<TestRig, 'stack'>): Promise<string[]> {
  const rails = railsOfEnv(stack.env);
  for (let check = 1; ; check += 1) {
    const report = await verify(stack.db, rails, { simulatorUrl: stack.simulatorUrl });
    const broken = report.checks.filter(({ violations }) => violations.length > 0);
    if (broken.length === 0) return [];
    if (check === looks)
      return broken.map(({ id, violations }) => `verify ${id}: ${JSON.stringify(violations).slice(0, 600)}`);
    await delay(pauseMs);
  }
}
