/** What may have come of everything that was asked for, by what the providers have in their books, and no matter what broke. */
import { isFinal, isSettled } from '../../../../src/domain/payment';
import { wasNeverTaken } from '../../../../src/payments/read/refusals';
import type { PaymentRow } from '../../../../src/store/tables';
import { faultsOfBooks, faultsOfStory, promptsOf, timesAsked } from '../../crash/support/judge';
import { simulatorControl } from '../../../../test/support/rails/simulator-control';
import type { TestMerchant } from '../../../../test/support/stack';
import { faultsOfUnpaid } from './legal-ends';
import { providerNames } from '../../../sandbox/simulated-providers';
import type { Shopped } from './shoppers';
import { faultsOfToldStatus } from './told-status';
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

/** Those that their provider has booked, and that ended here without it: a later look finds that out. */
export async function notSeenYet(world: World): Promise<PaymentRow[]> {
  const booked = await bookedBy(world);
  const payments = await world.stack.db('payments');
  return payments.filter((payment) => booked.has(nameInBooks(payment)) && !isSettled(payment.state));
}

/**
 * @param isAtRest whether all has come to its end. Where not, that is another matter: what has ended must be right all
 *   the same, and no request may have done anything twice.
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
  const untold = new Set(await world.stack.db('outbox').where({ state: 'pending' }).pluck('payment_id'));
  for (const merchant of world.merchants) {
    const payments = await world.stack.db('payments').where({ merchant_id: merchant.merchantId });
    const stories = storiesOf(shopped, merchant);
    for (const payment of payments) {
      const { payment_id: id, state } = payment;
      const times = timesAsked(prompts, payment);
      if (times !== undefined && times > 1)
        faults.push(`the payer of ${id} was asked ${String(times)} times`);
      if (!isFinal(state)) continue;
      const isBooked = booked.has(nameInBooks(payment));
      faults.push(...faultsOfEnd(payment, { isBooked, isAsked: unknown.has(id), story: stories.get(id) }));
      // Nobody was told of what was withdrawn.
      if (payment.failure_code === 'NOT_STARTED') continue;
      if (!untold.has(id)) faults.push(...(await faultsOfStory({ stack: world.stack, merchant }, payment)));
      faults.push(...(await faultsOfToldStatus(world, merchant, payment)));
    }
  }
  if (isAtRest) faults.push(...(await faultsOfForeign(world, booked, unknown)));
  faults.push(...(await faultsOfBooks({ stack: world.stack })));
  return faults;
}

/** What the merchant was told, and is told again. */
async function faultsOfShopped(
  world: World,
  { operation, story, id, refused, wrong }: Shopped,
  isAtRest: boolean,
): Promise<string[]> {
  if (wrong !== undefined) return [`${operation}: ${wrong}`];
  if (!story) return [];
  const living = await story.living();
  if (id === undefined) {
    const isNothing = living.length === 0;
    return isNothing ? [] : [`${operation}: ${refused ?? ''}, and there lives ${living.join(', ')}`];
  }
  const isAnswered = living.join() === id || (living.length === 0 && (await isRefusedLater(world, id)));
  if (!isAnswered) {
    const lives = living.join(', ') || `nothing (${await fateOf(world, id)})`;
    return [`${operation}: was told of ${id}, and there lives ${lives}`];
  }
  const again = await story.ask().catch((error: unknown) => String(error));
  const isSame = again === id || (again === undefined && !isAtRest);
  return isSame ? [] : [`${operation}: a repeated request led from ${id} to ${String(again)}`];
}

/** What the database has of a payment, for whoever has to find out what went wrong. */
async function fateOf({ stack: { db } }: World, id: string): Promise<string> {
  const payment = await db('payments').where({ payment_id: id }).first();
  if (!payment) return 'no such payment';
  const attempts = await db('attempts').where({ payment_id: id }).orderBy('n');
  const tries = attempts.map(({ operation, state, detail }) => `${operation} ${state}: ${detail ?? ''}`);
  const log = await db('payment_log').where({ payment_id: id }).orderBy('log_id');
  const moves = log.map(({ to_state, cause }) => `${to_state} by ${cause}`);
  const webhooks = await db('outbox').where({ payment_id: id }).pluck('to_state');
  const { state, failure_code: code, answered_at: answered } = payment;
  const wasAnswered = answered ? 'answered before its workflow began' : 'not answered before';
  return [state, code, wasAnswered, ...tries, ...moves, `webhooks: ${webhooks.join(' ')}`].join('; ');
}

/** Its merchant was answered before its provider was asked, or had answered, which refused it then: as a webhook tells. */
async function isRefusedLater({ stack: { db } }: World, id: string): Promise<boolean> {
  const payment = await db('payments').where({ payment_id: id }).first();
  if (!payment || !wasNeverTaken(payment)) return false;
  const told = await db('outbox').where({ payment_id: id, to_state: 'failed', state: 'delivered' }).first();
  return told !== undefined;
}

type Told = Shopped & Required<Pick<Shopped, 'story' | 'id'>>;
const isTold = (one: Shopped): one is Told => one.story !== undefined && one.id !== undefined;

/** By the id that the merchant was told. */
function storiesOf(shopped: readonly Shopped[], merchant: TestMerchant): Map<string, Told> {
  return new Map(
    shopped
      .filter(isTold)
      .filter((one) => one.merchant === merchant)
      .map((one) => [one.id, one]),
  );
}

/** Payments whose instruction nobody knows the fate of, and that a person is asked about. */
async function unknownOf({ stack: { db } }: World): Promise<Set<string>> {
  const open = await db('cases')
    .where({ reason: 'instruction_unknown' })
    .whereNull('closed_at')
    .pluck('payment_id');
  return new Set(open.flatMap((id) => id ?? []));
}

interface Seen {
  isBooked: boolean;
  /** A person is asked what became of its instruction. */
  isAsked: boolean;
  story: Told | undefined;
}

function faultsOfEnd(payment: PaymentRow, { isBooked, isAsked, story }: Seen): string[] {
  const { payment_id: id, state, provider_reference: reference } = payment;
  if (isSettled(state)) {
    const ends = story?.story.ends ?? [];
    const isRefused = ends.length > 0 && ends.every((end) => !isSettled(end));
    if (isRefused) return [`${id} is ${state}, and its customer has refused`];
    return isBooked ? [] : [`${id} is ${state}, and its provider has not booked it`];
  }
  if (isBooked) return [`${id} is ${state}, and its provider has booked it`];
  // It may have been paid, and nobody here can know: a person is asked, and does not go without.
  if (state === 'timed_out' && reference === null)
    return isAsked ? [] : [`${id} is ${state} without a reference, and nobody is asked`];
  return story ? faultsOfUnpaid(payment, story) : [];
}

/** What a provider has booked, and belongs to no payment: as many as there are whose fate a person is asked. */
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
          `${rail} has booked what is nobody's, and ${String(asked.length)} are asked about: ${of.join(', ')}`,
        ];
  });
}
