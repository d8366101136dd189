/**
 * Several payments over a few accounts, by the pure core alone: its decisions, states, moves and fees. It is lived through
 * as on the database (live.ts), and very much faster.
 */
import fc from 'fast-check';
import type { Finding } from '../../../src/domain/outcome';
import { entrancesOf, exits, isFinal, isSettled, type PaymentState } from '../../../src/domain/payment';
import { feeOf, type FeeTerms } from '../../../src/fees/schedules';
import { decide, wantsAnswer, type Facts } from '../../../src/payments/resolve/decide';
import { creditedOf, debitedFor } from '../../../src/payments/transition/credit';
import { feeGivenBack } from '../../../src/payments/transition/fees';
import { moveFor, type Decision } from '../../../src/payments/transition/outcome-decision';
import { paidAgainDetail } from '../../../src/payments/transition/warning-details';
import type { PaymentRow } from '../../../src/store/tables';
import { facts } from '../../../test/support/payments/evidence';
import {
  beginning,
  deepFrozen,
  expectAddedUp,
  leftToRefund,
  merchants,
  moved,
  post,
  refundedOf,
  Refused,
  type Account,
  type Line,
  type Memory,
  type Merchant,
  type Told,
} from './memory';
import { acceptanceOf, findingOf, type Step } from './operations';

export interface Rail {
  facts: Partial<Facts>;
  collection: FeeTerms;
  payout: FeeTerms;
}

export interface Lived {
  refused: number;
  states: Set<PaymentState>;
}

/** @throws with the number of the step after which something was wrong. */
export function liveInMemory(rail: Rail, steps: readonly Step[]): Lived {
  let memory = beginning;
  const lived: Lived = { refused: 0, states: new Set() };
  for (const [index, step] of steps.entries()) {
    try {
      memory = deepFrozen(does[step.do](memory, step as never, { ...rail, index }));
      expectAddedUp(memory);
    } catch (error) {
      // All that was there before is frozen: what was refused has changed nothing of it, or would have thrown.
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
    const balances = post(memory.balances, moved(source, target, BigInt(amount)));
    const funded = { ...memory.funded };
    funded[source] = (funded[source] ?? 0n) - BigInt(amount);
    funded[target] = (funded[target] ?? 0n) + BigInt(amount);
    return { ...memory, balances, funded, transfers: memory.transfers + 1 };
  },

  /** That an entry is posted once is the database's to know. */
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
        : post(memory.balances, moved(`${own} ${merchant}`, `${own}_reserved ${merchant}`, held));
    const row = {
      ...{
        payment_id: String(index),
        kind,
        state: 'received',
        currency: 'KES',
        requested_minor: String(minor),
      },
      ...{ instructed_currency: 'KES', instructed_minor: String(minor), confirmed_minor: null, is_final: 0 },
      ...{ credited_minor: null, credited_currency: null, given_back_minor: '0', refunded_minor: '0' },
      ...{
        parent_id: kind === 'refund' ? deposit?.row.payment_id : null,
        fee_minor: fee ? String(fee) : null,
        refund_debited_minor: '0',
      },
      ...{ provider_reference: null, provider_receipt: null, failure_code: null, details: {} },
    } as Partial<PaymentRow> as PaymentRow;
    const told: Told = { row, merchant, notices: [], tentative: undefined, held, credits: 0 };
    return { ...memory, balances, payments: [told, ...memory.payments] };
  },

  send(memory, { n, answer }, around) {
    const told = paymentOf(memory, n);
    if (told.row.state !== 'received') throw new Refused();
    const acceptance = acceptanceOf(answer, `ref-${told.row.payment_id}`);
    if (acceptance.kind === 'not_sent') return memory;
    const sent = entered(memory, told, { state: 'initiating' }, around);
    const reference = 'providerReference' in acceptance ? acceptance.providerReference : null;
    const to = ({ accepted: 'pending', queued: 'queued', refused: 'failed', unknown: 'pending' } as const)[
      acceptance.kind
    ];
    const state = to === 'queued' && told.row.kind === 'deposit' ? 'pending' : to;
    return entered(sent, paymentOf(sent, n), { state, provider_reference: reference }, around);
  },

  tell(memory, { n, said }, { index }) {
    const told = paymentOf(memory, n);
    const notice = { inboxId: String(index), finding: findingOf(said, told.row), msAgo: 0 };
    return replaced(memory, told, { ...told, notices: [...told.notices, notice] });
  },

  look(memory, { n, said, cause }, around) {
    const told = paymentOf(memory, n);
    const { row } = told;
    // Nobody looks at what no provider has heard of.
    if (row.state === 'received') throw new Refused();
    const known = deepFrozen<Facts>({
      ...factsOf(told, around),
      refundedMinor: refundedOf(memory, row),
      cause,
    });
    const answer: Finding | undefined = wantsAnswer(known) ? findingOf(said, row) : undefined;
    const decision = decide(deepFrozen({ ...known, answer }));
    const read = new Set(decision.read.map(({ inboxId }) => inboxId));
    const notices = told.notices.filter(({ inboxId }) => !read.has(inboxId));
    const tentative = decision.remember ?? told.tentative;
    const looked = { ...told, notices, tentative: tentative === '' ? undefined : tentative };
    const after = replaced(memory, told, looked);
    return decision.outcome
      ? decided(after, looked, decision.outcome, { ...around, refunded: known.refundedMinor })
      : after;
  },

  move(memory, { n, to }) {
    const { row } = paymentOf(memory, n);
    // Legal steps are taken by those who know why; of others both tables say the same.
    if (entrancesOf(to).includes(row.state) !== exits[row.state].includes(to))
      throw new Error(`nobody knows whether ${row.state} may become ${to}`);
    throw new Refused();
  },

  hold_again(memory, { n }) {
    paymentOf(memory, n);
    throw new Refused();
  },
};

function paymentOf({ payments }: Memory, n: number): Told {
  const found = payments[n % Math.max(1, payments.length)];
  if (!found) throw new Refused();
  return found;
}

function replaced(memory: Memory, before: Told, after: Told): Memory {
  return {
    ...memory,
    payments: memory.payments.map((one) => (one.row.payment_id === before.row.payment_id ? after : one)),
  };
}

function factsOf({ row, notices, tentative }: Told, rail: Rail): Facts {
  return facts({
    ...rail.facts,
    // What was paid out late has been given back already: every rail has a person look at it.
    ...(row.kind !== 'deposit' && { whenSuccessIsLate: 'open_case' as const }),
    state: row.state,
    instructedMinor: BigInt(row.instructed_minor),
    confirmedMinor: row.confirmed_minor === null ? undefined : BigInt(row.confirmed_minor),
    givenBackMinor: BigInt(row.given_back_minor),
    wasPaidAgain: row.details[paidAgainDetail] !== undefined,
    receipt: row.provider_receipt ?? undefined,
    isNamed: row.provider_reference !== null,
    failureCode: row.failure_code ?? undefined,
    notices: [...notices],
    tentative: tentative === undefined ? undefined : { code: tentative, msAgo: 60_000 },
  });
}

function decided(
  memory: Memory,
  told: Told,
  outcome: NonNullable<Decision['outcome']>,
  { refunded, ...around }: Around & { refunded: bigint },
): Memory {
  if (
    'givenBackMinor' in outcome &&
    outcome.givenBackMinor + refunded > BigInt(told.row.confirmed_minor ?? 0)
  )
    throw new Error('more went back than had come');
  const { changes, to } = moveFor(told.row, outcome);
  return entered(memory, told, { ...changes, state: to }, around);
}

/** What entering a state does: the row as it is then, and its entries. */
function entered(
  memory: Memory,
  told: Told,
  changes: Partial<PaymentRow> & { state: PaymentState },
  { collection }: Around,
): Memory {
  const { row: before, merchant } = told;
  const { state } = changes;
  if (!exits[before.state].includes(state)) throw new Error(`went from ${before.state} to ${state}`);
  if (isSettled(before.state) && isFinal(state) && !isSettled(state))
    throw new Error(`a success became ${state}`);
  const row: PaymentRow = { ...before, ...changes, is_final: isFinal(state) ? 1 : 0 };
  const isCredit = row.kind === 'deposit' && state === 'succeeded' && !isSettled(before.state);
  if (isCredit) row.fee_minor = String(feeOf(collection, creditedOf(row).amountMinor));
  const lines = row.kind === 'deposit' ? linesOfDeposit(before, row, merchant) : linesOfHold(told, row);
  const held = row.kind !== 'deposit' && isFinal(state) && state !== 'timed_out' ? 0n : told.held;
  return replaced({ ...memory, balances: post(memory.balances, lines) }, told, {
    ...told,
    ...{ row, held, credits: told.credits + (isCredit ? 1 : 0) },
  });
}

function linesOfDeposit(before: PaymentRow, row: PaymentRow, merchant: Merchant): Line[] {
  const wallet = `wallet ${merchant}` as const;
  if (!isSettled(row.state)) return [];
  const fee = BigInt(row.fee_minor ?? 0);
  if (!isSettled(before.state))
    return [...moved('clearing', wallet, creditedOf(row).amountMinor), ...moved(wallet, 'fees', fee)];
  const [now, earlier] = [BigInt(row.given_back_minor), BigInt(before.given_back_minor)];
  return [
    ...moved('fees', wallet, feeGivenBack(row, now) - feeGivenBack(row, earlier), true),
    ...moved(wallet, 'clearing', debitedFor(row, now) - debitedFor(row, earlier), true),
  ];
}

function linesOfHold({ merchant, held, row: before }: Told, row: PaymentRow): Line[] {
  const own = row.kind === 'payout' ? 'float' : 'wallet';
  const [from, reserved] = [`${own} ${merchant}`, `${own}_reserved ${merchant}`] as const;
  const [asked, fee] = [BigInt(row.requested_minor), BigInt(row.fee_minor ?? 0)];
  switch (row.state) {
    case 'succeeded':
      return [...moved(reserved, 'clearing', held - fee), ...moved(reserved, 'fees', fee)];
    case 'failed':
    case 'cancelled':
      return moved(reserved, from, held);
    case 'returned':
      if (before.state !== 'succeeded') throw new Error('what never went out came back');
      return [...moved('clearing', from, asked), ...moved('fees', from, fee)];
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

/** How this rail's provider is to be taken, and what it costs. */
export const anyRail: fc.Arbitrary<Rail> = fc.record({
  facts: fc.record({
    notificationsAreProof: fc.boolean(),
    watchedAfterSuccess: fc.boolean(),
    isContested: fc.boolean(),
    whenSilent: fc.constantFrom<Facts['whenSilent'][]>('time_out', 'wait'),
    whenSuccessIsLate: fc.constantFrom<Facts['whenSuccessIsLate'][]>('correct', 'open_case'),
    whenAmountDiffers: fc.constantFrom<Facts['whenAmountDiffers'][]>('settle_and_open_case', 'open_case'),
  }),
  collection: terms('collection'),
  payout: terms('payout'),
});
