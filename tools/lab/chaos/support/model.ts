/** The valid results of every request, by the providers' books, under any faults. */
import { isFinal, isSettled } from '../../../../src/domain/payment';
import { wasNeverTaken } from '../../../../src/payments/read/creation-errors';
import type { PaymentRow } from '../../../../src/store/tables';
import { faultsOfBooks, faultsOfTrial, promptsOf, timesSubmitted } from '../../crash/support/judge';
import { simulatorControl } from '../../../../test/support/rails/simulator-control';
import type { TestMerchant } from '../../../../test/support/stack';
import { faultsOfUnpaid } from './legal-ends';
import { providerNames } from '../../../sandbox/simulated-providers';
import type { Shopped } from './shoppers';
import { faultsOfReportedStatus } from './reported-status';
import type { World } from './world';

const kindInBooks = { deposit: undefined, payout: 'payout', refund: 'refund' } as const;

/** Every payment that a provider has booked, as `rail kind reference`. */
async function bookedBy({ stack }: World): Promise<Set<string>> {
  const booked = new Set<string>();
  for (const rail of providerNames)
    for (const { kind = '', reference } of await simulatorControl(stack.simulatorUrl, rail).successes())
      booked.add(`${rail} ${kind} ${reference}`);
  return booked;
}

const nameInBooks = ({ rail, kind, provider_reference: reference }: PaymentRow): string =>
  `${rail} ${kindInBooks[kind] ?? ''} ${String(reference)}`;

/** Payments that their provider has booked, and that ended here without it: a later check finds this. */
export async function notSeenYet(world: World): Promise<PaymentRow[]> {
  const booked = await bookedBy(world);
  const payments = await world.stack.db('payments');
  return payments.filter((payment) => booked.has(nameInBooks(payment)) && !isSettled(payment.state));
}

/**
 * @param isAtRest whether every payment has ended. If not, final payments must still be right, and no request may have
 * had two effects.
 * @returns what is wrong, line by line.
 */
export async function judgeAll(
  world: World,
  shopped: readonly Shopped[],
  { isAtRest }: { isAtRest: boolean },
): Promise<string[]> {
  const faults: string[] = [];
  for (const one of shopped) faults.push(...(await faultsOfShopped(world, one, isAtRest)));
  const [booked, prompts] = [await bookedBy(world), await promptsOf(world)];
  const unknown = await unknownOf(world);
  const unreported = new Set(await world.stack.db('outbox').where({ state: 'pending' }).pluck('payment_id'));
  for (const merchant of world.merchants) {
    const payments = await world.stack.db('payments').where({ merchant_id: merchant.merchantId });
    const histories = historiesOf(shopped, merchant);
    for (const payment of payments) {
      const { payment_id: id, state } = payment;
      const times = timesSubmitted(prompts, payment);
      if (times !== undefined && times > 1)
        faults.push(`the payer of ${id} was prompted ${String(times)} times`);
      if (!isFinal(state)) continue;
      const isBooked = booked.has(nameInBooks(payment));
      faults.push(
        ...faultsOfEnd(payment, { isBooked, isAsked: unknown.has(id), history: histories.get(id) }),
      );
      // No webhook reports a payment that was withdrawn.
      if (payment.failure_code === 'NOT_STARTED') continue;
      if (!unreported.has(id))
        faults.push(...(await faultsOfTrial({ stack: world.stack, merchant }, payment)));
      faults.push(...(await faultsOfReportedStatus(world, merchant, payment)));
    }
  }
  if (isAtRest) faults.push(...(await faultsOfForeign(world, booked, unknown)));
  faults.push(...(await faultsOfBooks({ stack: world.stack })));
  return faults;
}

/** The answer to the merchant, which a repeated request gets again. */
async function faultsOfShopped(
  world: World,
  { operation, history, id, refused, wrong }: Shopped,
  isAtRest: boolean,
): Promise<string[]> {
  if (wrong !== undefined) return [`${operation}: ${wrong}`];
  if (!history) return [];
  const living = await history.living();
  if (id === undefined) {
    const isNothing = living.length === 0;
    return isNothing ? [] : [`${operation}: ${refused ?? ''}, but there is ${living.join(', ')}`];
  }
  const isAnswered = living.join() === id || (living.length === 0 && (await isRefusedLater(world, id)));
  if (!isAnswered) {
    const lives = living.join(', ') || `nothing (${await fateOf(world, id)})`;
    return [`${operation}: was answered ${id}, but there is ${lives}`];
  }
  const again = await history.ask().catch((error: unknown) => String(error));
  const isSame = again === id || (again === undefined && !isAtRest);
  return isSame ? [] : [`${operation}: a repeated request led from ${id} to ${String(again)}`];
}

/** The database's rows of a payment, for the analysis. */
async function fateOf({ stack: { db } }: World, id: string): Promise<string> {
  const payment = await db('payments').where({ payment_id: id }).first();
  if (!payment) return 'no such payment';
  const attempts = await db('attempts').where({ payment_id: id }).orderBy('n');
  const tries = attempts.map(({ operation, state, detail }) => `${operation} ${state}: ${detail ?? ''}`);
  const log = await db('payment_log').where({ payment_id: id }).orderBy('log_id');
  const transitions = log.map(({ to_state, cause }) => `${to_state} by ${cause}`);
  const webhooks = await db('outbox').where({ payment_id: id }).pluck('to_state');
  const { state, failure_code: code, answered_at: answered } = payment;
  const wasAnswered = answered ? 'answered before its workflow began' : 'not answered before';
  return [state, code, wasAnswered, ...tries, ...transitions, `webhooks: ${webhooks.join(' ')}`].join('; ');
}

/**
 * Its merchant was answered before the submission or its answer, and the provider then rejected it: a webhook reports
 * that.
 */
async function isRefusedLater({ stack: { db } }: World, id: string): Promise<boolean> {
  const payment = await db('payments').where({ payment_id: id }).first();
  if (!payment || !wasNeverTaken(payment)) return false;
  const reported = await db('outbox')
    .where({ payment_id: id, to_state: 'failed', state: 'delivered' })
    .first();
  return reported !== undefined;
}

type Reported = Shopped & Required<Pick<Shopped, 'history' | 'id'>>;
const isReported = (one: Shopped): one is Reported => one.history !== undefined && one.id !== undefined;

/** By the id in the merchant's answer. */
function historiesOf(shopped: readonly Shopped[], merchant: TestMerchant): Map<string, Reported> {
  return new Map(
    shopped
      .filter(isReported)
      .filter((one) => one.merchant === merchant)
      .map((one) => [one.id, one]),
  );
}

/** Payments with an unknown submission and an open case. */
async function unknownOf({ stack: { db } }: World): Promise<Set<string>> {
  const open = await db('cases')
    .where({ reason: 'submission_unknown' })
    .whereNull('closed_at')
    .pluck('payment_id');
  return new Set(open.flatMap((id) => id ?? []));
}

interface Seen {
  isBooked: boolean;
  /** A case asks for the result of its submission. */
  isAsked: boolean;
  history: Reported | undefined;
}

function faultsOfEnd(payment: PaymentRow, { isBooked, isAsked, history }: Seen): string[] {
  const { payment_id: id, state, provider_reference: reference } = payment;
  if (isSettled(state)) {
    const ends = history?.history.ends ?? [];
    const isRefused = ends.length > 0 && ends.every((end) => !isSettled(end));
    if (isRefused) return [`${id} is ${state}, and its customer has declined`];
    return isBooked ? [] : [`${id} is ${state}, and its provider has not booked it`];
  }
  if (isBooked) return [`${id} is ${state}, and its provider has booked it`];
  // It may have been paid, and no source here shows it: it needs a case.
  if (state === 'timed_out' && reference === null)
    return isAsked ? [] : [`${id} is ${state} without a reference, and has no case`];
  return history ? faultsOfUnpaid(payment, history) : [];
}

/** A provider's bookings without a payment: as many as there are cases about unknown submissions. */
async function faultsOfForeign(
  { stack: { db } }: World,
  booked: ReadonlySet<string>,
  unknown: ReadonlySet<string>,
): Promise<string[]> {
  const payments: PaymentRow[] = await db('payments');
  const ours = new Set(payments.map(nameInBooks));
  const foreign = [...booked].filter((name) => !ours.has(name));
  return providerNames.flatMap((rail) => {
    const of = foreign.filter((name) => name.startsWith(`${rail} `));
    const asked = payments.filter((payment) => payment.rail === rail && unknown.has(payment.payment_id));
    return of.length <= asked.length
      ? []
      : [
          `${rail} has booked payments that we do not know, and ${String(asked.length)} cases are open: ${of.join(', ')}`,
        ];
  });
}
