/**
 * Several payments over a few accounts, in the pure core alone: its decisions, states, transitions and fees. It runs
 * the same steps as on the database (live.ts), and much faster.
 */
import fc from 'fast-check';
import type { ProviderResult } from '../../../src/domain/outcome';
import { entrancesOf, exits, isFinal, isSettled, type PaymentState } from '../../../src/domain/payment';
import { feeOf, type FeeTerms } from '../../../src/fees/schedules';
import { decide, wantsAnswer, type Facts } from '../../../src/payments/resolve/decide';
import { creditedOf, debitedFor } from '../../../src/payments/transition/credit';
import { feeReturned } from '../../../src/payments/transition/fees';
import { transitionFor, type Decision } from '../../../src/payments/transition/outcome-decision';
import { paidAgainDetail } from '../../../src/payments/transition/warning-details';
import type { PaymentRow } from '../../../src/store/tables';
import { facts } from '../../../test/support/payments/evidence';
import {
  beginning,
  deepFrozen,
  expectAddedUp,
  leftToRefund,
  merchants,
  transferred,
  post,
  refundedOf,
  Refused,
  type Account,
  type Line,
  type Memory,
  type Merchant,
  type Reported,
} from './memory';
import { creationTimeOf, providerResultOf, type Step } from './operations';

export interface Rail {
  facts: Partial<Facts>;
  collection: FeeTerms;
  payout: FeeTerms;
}

export interface Lived {
  refused: number;
  states: Set<PaymentState>;
}

/** @throws with the number of the step after which an invariant failed. */
export function liveInMemory(rail: Rail, steps: readonly Step[]): Lived {
  let memory = beginning;
  const lived: Lived = { refused: 0, states: new Set() };
  for (const [index, step] of steps.entries()) {
    try {
      memory = deepFrozen(does[step.do](memory, step as never, { ...rail, index }));
      expectAddedUp(memory);
    } catch (error) {
      // All earlier values are frozen: a rejected step has changed none of them, or would have thrown.
      if (error instanceof Refused) lived.refused += 1;
      else throw new Error(`step ${index + 1}, ${JSON.stringify(step)}: ${String(error)}`, { cause: error });
    }
  }
  for (const { row } of memory.payments) lived.states.add(row.state);
  return lived;
}

type Around = Rail & { index: number };
type Doing = {
  [Name in Step['do']]: (memory: Memory, step: Extract<Step, { do: Name }>, around: Around) => Memory;
};

const places: readonly Account[] = [
  'bank',
  ...merchants.flatMap((one) => [`wallet ${one}`, `float ${one}`] as const),
];

const does: Doing = {
  transfer(memory, { from, to, amount }) {
    const [source, target] = [places[from % places.length], places[to % places.length]];
    if (!source || !target || source === target) throw new Refused();
    const balances = post(memory.balances, transferred(source, target, BigInt(amount)));
    const funded = { ...memory.funded };
    funded[source] = (funded[source] ?? 0n) - BigInt(amount);
    funded[target] = (funded[target] ?? 0n) + BigInt(amount);
    return { ...memory, balances, funded, transfers: memory.transfers + 1 };
  },

  /** Only the database knows that an entry is posted once. */
  transfer_again() {
    throw new Refused();
  },

  accept(memory, { kind, merchant, amount, of }, { payout, index }) {
    const minor = BigInt(amount);
    const fee = kind === 'payout' ? feeOf(payout, minor) : 0n;
    const deposits = memory.payments.filter((one) => one.merchant === merchant && one.row.kind === 'deposit');
    const deposit = deposits[of % Math.max(1, deposits.length)];
    if (kind === 'refund' && (!deposit || minor > leftToRefund(memory, deposit.row))) throw new Refused();
    const own = kind === 'payout' ? 'float' : 'wallet';
    const held = kind === 'deposit' ? 0n : minor + fee;
    const balances =
      kind === 'deposit'
        ? memory.balances
        : post(memory.balances, transferred(`${own} ${merchant}`, `${own}_reserved ${merchant}`, held));
    const row = {
      ...{
        payment_id: String(index),
        kind,
        state: 'received',
        currency: 'KES',
        requested_minor: String(minor),
      },
      ...{ instructed_currency: 'KES', instructed_minor: String(minor), confirmed_minor: null, is_final: 0 },
      ...{ credited_minor: null, credited_currency: null, returned_minor: '0', refunded_minor: '0' },
      ...{
        parent_id: kind === 'refund' ? deposit?.row.payment_id : null,
        fee_minor: fee ? String(fee) : null,
        refund_debited_minor: '0',
      },
      ...{ provider_reference: null, provider_receipt: null, failure_code: null, details: {} },
    } as Partial<PaymentRow> as PaymentRow;
    const reported: Reported = { row, merchant, providerEvents: [], tentative: undefined, held, credits: 0 };
    return { ...memory, balances, payments: [reported, ...memory.payments] };
  },

  send(memory, { n, answer }, around) {
    const reported = paymentOf(memory, n);
    if (reported.row.state !== 'received') throw new Refused();
    const submissionResult = creationTimeOf(answer, `ref-${reported.row.payment_id}`);
    if (submissionResult.kind === 'not_sent') return memory;
    const sent = entered(memory, reported, { state: 'initiating' }, around);
    const reference = 'providerReference' in submissionResult ? submissionResult.providerReference : null;
    const to = ({ accepted: 'pending', queued: 'queued', refused: 'failed', unknown: 'pending' } as const)[
      submissionResult.kind
    ];
    const state = to === 'queued' && reported.row.kind === 'deposit' ? 'pending' : to;
    return entered(sent, paymentOf(sent, n), { state, provider_reference: reference }, around);
  },

  notify(memory, { n, statusText }, { index }) {
    const reported = paymentOf(memory, n);
    const providerEvent = {
      inboxId: String(index),
      providerResult: providerResultOf(statusText, reported.row),
      msAgo: 0,
    };
    return replaced(memory, reported, {
      ...reported,
      providerEvents: [...reported.providerEvents, providerEvent],
    });
  },

  check(memory, { n, statusText, cause }, around) {
    const reported = paymentOf(memory, n);
    const { row } = reported;
    // No check is made for a payment that no provider has received.
    if (row.state === 'received') throw new Refused();
    const known = deepFrozen<Facts>({
      ...factsOf(reported, around),
      refundedMinor: refundedOf(memory, row),
      cause,
    });
    const answer: ProviderResult | undefined = wantsAnswer(known)
      ? providerResultOf(statusText, row)
      : undefined;
    const decision = decide(deepFrozen({ ...known, answer }));
    const read = new Set(decision.read.map(({ inboxId }) => inboxId));
    const providerEvents = reported.providerEvents.filter(({ inboxId }) => !read.has(inboxId));
    const tentative = decision.remember ?? reported.tentative;
    const checked = { ...reported, providerEvents, tentative: tentative === '' ? undefined : tentative };
    const after = replaced(memory, reported, checked);
    return decision.outcome
      ? decided(after, checked, decision.outcome, { ...around, refunded: known.refundedMinor })
      : after;
  },

  transition(memory, { n, to }) {
    const { row } = paymentOf(memory, n);
    // Other code makes legal transitions; for the others both tables must agree.
    if (entrancesOf(to).includes(row.state) !== exits[row.state].includes(to))
      throw new Error(`the tables disagree whether ${row.state} may become ${to}`);
    throw new Refused();
  },

  hold_again(memory, { n }) {
    paymentOf(memory, n);
    throw new Refused();
  },
};

function paymentOf({ payments }: Memory, n: number): Reported {
  const found = payments[n % Math.max(1, payments.length)];
  if (!found) throw new Refused();
  return found;
}

function replaced(memory: Memory, before: Reported, after: Reported): Memory {
  return {
    ...memory,
    payments: memory.payments.map((one) => (one.row.payment_id === before.row.payment_id ? after : one)),
  };
}

function factsOf({ row, providerEvents, tentative }: Reported, rail: Rail): Facts {
  return facts({
    ...rail.facts,
    // A late paid payout was already released: every rail opens a case for it.
    ...(row.kind !== 'deposit' && { whenSuccessIsLate: 'open_case' as const }),
    state: row.state,
    instructedMinor: BigInt(row.instructed_minor),
    confirmedMinor: row.confirmed_minor === null ? undefined : BigInt(row.confirmed_minor),
    returnedMinor: BigInt(row.returned_minor),
    wasPaidAgain: row.details[paidAgainDetail] !== undefined,
    receipt: row.provider_receipt ?? undefined,
    isNamed: row.provider_reference !== null,
    failureCode: row.failure_code ?? undefined,
    providerEvents: [...providerEvents],
    tentative: tentative === undefined ? undefined : { code: tentative, msAgo: 60_000 },
  });
}

function decided(
  memory: Memory,
  reported: Reported,
  outcome: NonNullable<Decision['outcome']>,
  { refunded, ...around }: Around & { refunded: bigint },
): Memory {
  const { row } = reported;
  const now = 'returnedMinor' in outcome ? outcome.returnedMinor : 0n;
  // A refund of ours may succeed after the provider returned the same money. What the provider then pays again makes
  // that excess smaller, and is booked.
  if (now > BigInt(row.returned_minor) && now + refunded > BigInt(row.confirmed_minor ?? 0))
    throw new Error('more was returned than received');
  const { changes, to } = transitionFor(row, outcome);
  return entered(memory, reported, { ...changes, state: to }, around);
}

/** The effect of entering a state: the row then, and its entries. */
function entered(
  memory: Memory,
  reported: Reported,
  changes: Partial<PaymentRow> & { state: PaymentState },
  { collection }: Around,
): Memory {
  const { row: before, merchant } = reported;
  const { state } = changes;
  if (!exits[before.state].includes(state)) throw new Error(`went from ${before.state} to ${state}`);
  if (isSettled(before.state) && isFinal(state) && !isSettled(state))
    throw new Error(`a success became ${state}`);
  const row: PaymentRow = { ...before, ...changes, is_final: isFinal(state) ? 1 : 0 };
  const isCredit = row.kind === 'deposit' && state === 'succeeded' && !isSettled(before.state);
  if (isCredit) row.fee_minor = String(feeOf(collection, creditedOf(row).amountMinor));
  const lines = row.kind === 'deposit' ? linesOfDeposit(before, row, merchant) : linesOfHold(reported, row);
  const held = row.kind !== 'deposit' && isFinal(state) && state !== 'timed_out' ? 0n : reported.held;
  return replaced({ ...memory, balances: post(memory.balances, lines) }, reported, {
    ...reported,
    ...{ row, held, credits: reported.credits + (isCredit ? 1 : 0) },
  });
}

function linesOfDeposit(before: PaymentRow, row: PaymentRow, merchant: Merchant): Line[] {
  const wallet = `wallet ${merchant}` as const;
  if (!isSettled(row.state)) return [];
  const fee = BigInt(row.fee_minor ?? 0);
  if (!isSettled(before.state))
    return [
      ...transferred('clearing', wallet, creditedOf(row).amountMinor),
      ...transferred(wallet, 'fees', fee),
    ];
  const [now, earlier] = [BigInt(row.returned_minor), BigInt(before.returned_minor)];
  return [
    ...transferred('fees', wallet, feeReturned(row, now) - feeReturned(row, earlier), true),
    ...transferred(wallet, 'clearing', debitedFor(row, now) - debitedFor(row, earlier), true),
  ];
}

function linesOfHold({ merchant, held, row: before }: Reported, row: PaymentRow): Line[] {
  const own = row.kind === 'payout' ? 'float' : 'wallet';
  const [from, reserved] = [`${own} ${merchant}`, `${own}_reserved ${merchant}`] as const;
  const [asked, fee] = [BigInt(row.requested_minor), BigInt(row.fee_minor ?? 0)];
  switch (row.state) {
    case 'succeeded':
      return [...transferred(reserved, 'clearing', held - fee), ...transferred(reserved, 'fees', fee)];
    case 'failed':
    case 'cancelled':
      return transferred(reserved, from, held);
    case 'returned':
      if (before.state !== 'succeeded') throw new Error('money that was never sent was returned');
      return [...transferred('clearing', from, asked), ...transferred('fees', from, fee)];
    default:
      return [];
  }
}

const terms = (operation: FeeTerms['operation']): fc.Arbitrary<FeeTerms> =>
  fc.record({
    operation: fc.constant(operation),
    fixed: fc.nat(50).map(String),
    per_million: fc.nat(operation === 'collection' ? 1_000_000 : 100_000),
    minimum: fc.option(fc.nat(100).map(String)),
    maximum: fc.option(fc.integer({ min: 100, max: 1_000 }).map(String)),
  });

/** How this rail's provider behaves, and its fees. */
export const anyRail: fc.Arbitrary<Rail> = fc.record({
  facts: fc.record({
    notificationsAreTrusted: fc.boolean(),
    watchedAfterSuccess: fc.boolean(),
    isDisputed: fc.boolean(),
    onTimeout: fc.constantFrom<Facts['onTimeout'][]>('time_out', 'wait'),
    whenSuccessIsLate: fc.constantFrom<Facts['whenSuccessIsLate'][]>('correct', 'open_case'),
    whenAmountDiffers: fc.constantFrom<Facts['whenAmountDiffers'][]>('settle_and_open_case', 'open_case'),
  }),
  collection: terms('collection'),
  payout: terms('payout'),
});
