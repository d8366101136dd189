/** What must be true when a trial is over, whatever was interrupted. */
import { setTimeout as delay } from 'node:timers/promises';
import { exits, isFinal, paymentStates, type PaymentState } from '../../../../src/domain/payment';
import { verify } from '../../../../src/verify/verify';
import type { OutboxRow, PaymentRow } from '../../../../src/store/tables';
import { isCopyOf } from '../../../../test/faults/support/ending-well';
import { simulatorControl } from '../../../../test/support/rails/simulator-control';
import { railsOfEnv } from '../../../../test/support/expect-clean';
import type { Story } from '../operations/operation';
import type { Lane } from './lane';

export interface Verdict {
  faults: string[];
  /** The states of the operation's payments. */
  ends: string[];
}

/** Providers that would ask a payer twice, and the field by which their simulator's journal names a payment. */
const askedOnce = ['stk', 'xb'];
/** What the provider answers without having looked at what it was asked for. */
const refusedUnheard = new Set([401, 404, 429]);

export interface Judged {
  /** The id that the operation was answered with. */
  told: string;
  /** A process was ended: without that nobody loses anything, and nobody is asked. */
  isInterrupted: boolean;
}

export async function judge(lane: Lane, story: Story, { told, isInterrupted }: Judged): Promise<Verdict> {
  const faults: string[] = [];
  const living = await story.living();
  if (living.length !== 1 || living[0] !== told)
    faults.push(`was answered ${told}, and there lives: ${living.join(', ') || 'nothing'}`);
  const payments = await paymentsOf(lane, living);
  for (const payment of payments) faults.push(...(await faultsOf(lane, story, payment, isInterrupted)));
  faults.push(...(await faultsOfBooks(lane)));
  return { faults, ends: await Promise.all(payments.map((payment) => endOf(lane, payment))) };
}

/** One payment, or those of a bulk; a voucher has none. */
function paymentsOf({ stack: { db } }: Lane, ids: string[]): Promise<PaymentRow[]> {
  return db('payments')
    .whereIn('payment_id', ids)
    .orWhereIn('payment_id', db('bulk_rows').whereIn('bulk_id', ids).select('payment_id'));
}

/** What a person is asked about it. */
async function askedOf({ stack: { db } }: Lane, payment: PaymentRow): Promise<string[]> {
  return db('cases').where({ payment_id: payment.payment_id }).whereNull('closed_at').pluck('reason');
}

async function endOf(lane: Lane, payment: PaymentRow): Promise<string> {
  const asked = await askedOf(lane, payment);
  return `${payment.state}${asked.map((reason) => ` (a person is asked: ${reason})`).join('')}`;
}

/**
 * The one question that one death can leave to a person: the instruction was written down, and it died before it was sent,
 * or its answer did and the provider tells nothing by itself.
 */
function isPersonsToSay(story: Story, { state, provider_reference }: PaymentRow, heard?: number): boolean {
  const isUnheard = heard === 0 || (heard === 1 && story.isNeverTold === true);
  return state === 'timed_out' && provider_reference === null && isUnheard;
}

/** What the provider never heard of may end as that where it drops repeats, once it is too late to send it again. */
async function isNeverReceived({ stack }: Lane, payment: PaymentRow): Promise<boolean> {
  const { rail, payment_id: id, state, result_code } = payment;
  if (rail !== 'momo' || state !== 'failed' || result_code !== 'NOT_RECEIVED') return false;
  const asked = await simulatorControl(stack.simulatorUrl, rail).exchanges('initiate');
  return !asked.some(({ body, answer }) => JSON.stringify(body).includes(id) && answer?.status === 200);
}

async function faultsOf(
  lane: Lane,
  story: Story,
  payment: PaymentRow,
  isInterrupted: boolean,
): Promise<string[]> {
  const { payment_id: id, state } = payment;
  const faults: string[] = [];
  const rails = askedOnce.filter((rail) => rail === payment.rail);
  const heard = timesAsked(await promptsOf(lane, rails), payment);
  const asked = await askedOf(lane, payment);
  if (isInterrupted && isPersonsToSay(story, payment, heard)) {
    if (asked.join() !== 'instruction_unknown')
      faults.push(`of ${id} nobody knows, and a person is asked: ${asked.join() || 'nothing'}`);
  } else {
    const isUnsent = isInterrupted && (await isNeverReceived(lane, payment));
    if (!story.ends.includes(state) && !isUnsent) faults.push(`payment ${id} is ${state}`);
    if (asked.length > 0) faults.push(`payment ${id} is ${state}, and a person is asked: ${asked.join()}`);
  }
  if (heard !== undefined && heard > 1) faults.push(`the payer of ${id} was asked ${heard} times`);
  return [...faults, ...(await faultsOfStory(lane, payment))];
}

/** What the providers that would ask a payer twice were told to ask, by rail: the text of each request that they heard. */
export type Prompts = ReadonlyMap<string, readonly string[]>;

export async function promptsOf({ stack }: Pick<Lane, 'stack'>, rails = askedOnce): Promise<Prompts> {
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

/** How often the provider was told to ask; undefined for one that drops repeats by itself. */
export function timesAsked(
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

/** The merchant was told what is true, once each, in an order in which it can have happened; and has it in hand. */
export async function faultsOfStory(
  { stack: { db }, merchant }: Pick<Lane, 'stack' | 'merchant'>,
  { payment_id: id, state, rail }: PaymentRow,
): Promise<string[]> {
  const rows: OutboxRow[] = await db('outbox').where({ payment_id: id }).orderBy('webhook_id');
  const told = rows.map(({ to_state }) => to_state);
  const faults = told.flatMap((to, n) => {
    const before = told[n - 1];
    return before === undefined || reachable.get(before)?.has(to) ? [] : [`was told ${before}, then ${to}`];
  });
  const isTold = rail !== 'cardproc' || rows.length > 0;
  if (isTold && isFinal(state) && told.at(-1) !== state)
    faults.push(`is ${state}, and was told ${told.join(', ') || 'nothing'}`);
  for (const row of rows) {
    const copies = merchant.receiver.received.filter(
      ({ headers }) => headers['webhook-id'] === row.webhook_id,
    );
    // A status that a later one has replaced need not arrive: the later one is held to the same.
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

/** What is just being written is looked at again: a violation stays. */
const looks = 4;
const pauseMs = 400;

/** All that `malipo verify` finds, the provider's books included. */
export async function faultsOfBooks({ stack }: Pick<Lane, 'stack'>): Promise<string[]> {
  const rails = railsOfEnv(stack.env);
  for (let look = 1; ; look += 1) {
    const report = await verify(stack.db, rails, { simulatorUrl: stack.simulatorUrl });
    const broken = report.checks.filter(({ violations }) => violations.length > 0);
    if (broken.length === 0) return [];
    if (look === looks)
      return broken.map(({ id, violations }) => `verify ${id}: ${JSON.stringify(violations).slice(0, 600)}`);
    await delay(pauseMs);
  }
}
