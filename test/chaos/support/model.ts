/** What may have come of everything that was asked for, by what the providers have in their books, and no matter what broke. */
import { isSettled } from '../../../src/domain/payment';
import type { PaymentRow } from '../../../src/store/tables';
import { faultsOfBooks, faultsOfStory, timesAsked } from '../../crash/support/judge';
import { simulatorControl } from '../../rails/simulator-control';
import type { TestMerchant } from '../../support/stack';
import type { Shopped } from './shoppers';
import type { World } from './world';

const kindInBooks = { deposit: undefined, payout: 'payout', refund: 'refund' } as const;
const rails = ['stk', 'momo', 'xb', 'walletpay', 'cardproc'];

/** Every payment that a provider has booked, as `rail kind reference`. */
async function bookedBy({ stack }: World): Promise<Set<string>> {
  const booked = new Set<string>();
  for (const rail of rails)
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

/** @returns what is wrong, line by line. */
export async function judgeAll(world: World, shopped: readonly Shopped[]): Promise<string[]> {
  const faults: string[] = [];
  for (const one of shopped) faults.push(...(await faultsOfShopped(world, one)));
  const booked = await bookedBy(world);
  for (const merchant of world.merchants) {
    const lane = { stack: world.stack, merchant };
    const payments = await world.stack.db('payments').where({ merchant_id: merchant.merchantId });
    const decided = decisionsOf(shopped, merchant);
    for (const payment of payments) {
      const times = await timesAsked(lane, payment);
      if (times !== undefined && times > 1)
        faults.push(`the payer of ${payment.payment_id} was asked ${String(times)} times`);
      faults.push(...(await faultsOfEnd(world, payment, booked.has(nameInBooks(payment)), decided)));
      const isWithdrawn = payment.failure_code === 'NOT_STARTED';
      if (!isWithdrawn) faults.push(...(await faultsOfStory(lane, payment)));
    }
  }
  faults.push(...(await faultsOfBooks({ stack: world.stack })));
  return faults;
}

/** What the merchant was told, and is told again. */
async function faultsOfShopped(world: World, { operation, story, id, refused }: Shopped): Promise<string[]> {
  if (!story) return [];
  const living = await story.living();
  if (id === undefined) {
    const isNothing = living.length === 0;
    return isNothing ? [] : [`${operation}: ${refused ?? ''}, and there lives ${living.join(', ')}`];
  }
  const isAnswered = living.join() === id || (living.length === 0 && (await isRefusedLater(world, id)));
  if (!isAnswered)
    return [`${operation}: was told of ${id}, and there lives ${living.join(', ') || 'nothing'}`];
  const again = await story.ask().catch((error: unknown) => String(error));
  return again === id ? [] : [`${operation}: a repeated request led from ${id} to ${String(again)}`];
}

/** Its merchant was answered before its provider could be asked, which refused it then. */
async function isRefusedLater({ stack: { db } }: World, id: string): Promise<boolean> {
  const payment = await db('payments').where({ payment_id: id, state: 'failed' }).first('answered_at');
  return payment?.answered_at instanceof Date;
}

/** Of payments whose customer was to refuse: that they must not succeed. */
function decisionsOf(shopped: readonly Shopped[], merchant: TestMerchant): Set<string> {
  return new Set(
    shopped
      .filter((one) => one.merchant === merchant && one.story?.ends.every((end) => !isSettled(end)) === true)
      .flatMap(({ id = '', story }) => (story?.ends.length ? [id] : [])),
  );
}

async function faultsOfEnd(
  { stack: { db } }: World,
  payment: PaymentRow,
  isBooked: boolean,
  refusedByCustomer: ReadonlySet<string>,
): Promise<string[]> {
  const { payment_id: id, state, provider_reference: reference } = payment;
  if (isSettled(state)) {
    if (refusedByCustomer.has(id)) return [`${id} is ${state}, and its customer has refused`];
    return isBooked ? [] : [`${id} is ${state}, and its provider has not booked it`];
  }
  if (isBooked) return [`${id} is ${state}, and its provider has booked it`];
  // It may have been paid, and nobody here can know: a person is asked, and does not go without.
  if (state === 'timed_out' && reference === null) {
    const open = await db('cases')
      .where({ payment_id: id, reason: 'instruction_unknown' })
      .whereNull('closed_at');
    return open.length === 1 ? [] : [`${id} is ${state} without a reference, and nobody is asked`];
  }
  return [];
}
