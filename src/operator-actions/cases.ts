import Joi from 'joi';
import { accountReasons, closeAllOf, closeCase } from '../controls/cases';
import { cutText } from '../domain/cut-text';
import { PaymentError } from '../domain/errors';
import { formatAmount, type Currency } from '../domain/money';
import { PAYOUT_RETURNED, entrancesOf, isSettled, notGone, type PaymentState } from '../domain/payment';
import { getPaymentOrThrow } from '../payments/read/payments';
import {
  disputedAccounts,
  disputeReasons,
  holdAfterClosing,
  lockDisputed,
} from '../payments/transition/disputed-funds';
import type { Transition } from '../payments/transition/transition';
import type { PaymentsContext } from '../rail-kit/context';
import type { Transaction } from '../store/database';
import type { PaymentRow } from '../store/tables';
import { inTransaction } from '../store/transaction';
import { defineAction, type ActionScope, type Change } from './action';
import { ActionError, InputError } from './errors';
import { amount, id, note, readBy, reference, numberId } from './fields';
import { applyManualTransition } from './manual-transition';
import { paymentNames } from './names';
import { oneOf, readAmount } from './read';
import { signalAll, type Signalled } from './workflows';

export const verdicts = ['paid', 'failed', 'returned'] as const;
type Verdict = (typeof verdicts)[number];

interface Decision {
  caseId: string;
  by: string;
  note: string;
  verdict?: Verdict;
  /** Decimal text, with the verdict `paid`. */
  amount?: string;
  /** The provider's reference, with the verdict `paid`, if we do not have it. */
  reference?: string;
  /** Runs at the end of the transaction, with the amount that the decision moves. */
  alongside: (trx: Transaction, money: AmountChanges | undefined) => Promise<void>;
}

/** The minor units that a decision books, returns or releases. */
interface AmountChanges {
  currency: Currency;
  amountMinor: bigint;
}

const verdictStates: Record<Verdict, PaymentState> = {
  paid: 'succeeded',
  failed: 'failed',
  returned: 'returned',
};

/**
 * Closes a case and, if the operator decides so, changes the state of its payment, in one transaction.
 * @returns the changed payment, or undefined if only the case was closed.
 */
export async function decideCase(
  context: PaymentsContext,
  decision: Decision,
): Promise<PaymentRow | undefined> {
  const { caseId, by, note, verdict } = decision;
  if (verdict === undefined) {
    await closeOnly(context, decision);
    return undefined;
  }
  const payment = await paymentOfCase(context, caseId);
  const transition = transitionOf(payment, verdictStates[verdict], decision);
  await refuseAnothers(context, payment, decision.reference);
  return applyManualTransition(context, payment, {
    transition,
    decided: `case ${caseId} was decided: ${verdict}`,
    besides: (trx) => closeCase(trx, caseId, by, `${verdict}: ${note}`),
    last: async (trx) => decision.alongside(trx, amountChangesOf(payment, transition)),
  });
}

/** A deposit moves the confirmed amount. A payout or refund moves the whole submitted amount. */
function amountChangesOf(
  { kind, instructed_currency, instructed_minor }: PaymentRow,
  { changes }: Transition,
): AmountChanges {
  const confirmed = kind === 'deposit' ? changes?.confirmed_minor : undefined;
  return { currency: instructed_currency, amountMinor: BigInt(confirmed ?? instructed_minor) };
}

/** Closes the case without a decision about the payment. A reserve that only this case needed is released. */
async function closeOnly({ db }: PaymentsContext, { caseId, by, note, alongside }: Decision): Promise<void> {
  const about = await db('cases').where({ case_id: caseId }).first('payment_id', 'reason');
  const payment = about?.payment_id ? await getPaymentOrThrow(db, about.payment_id) : undefined;
  const isDisputed = disputeReasons.some((reason) => reason === about?.reason);
  const disputedFunds = payment && (await disputedAccounts(db, payment, isDisputed));
  await inTransaction(db, async (trx) => {
    if (disputedFunds) await lockDisputed(trx, disputedFunds);
    const held = disputedFunds && (await heldFor(trx, disputedFunds.paymentId));
    await closeCase(trx, caseId, by, note);
    if (disputedFunds) await holdAfterClosing(trx, disputedFunds);
    await alongside(trx, held);
  });
}

async function heldFor(trx: Transaction, paymentId: string): Promise<AmountChanges | undefined> {
  const hold = await trx('holds').where({ payment_id: paymentId, state: 'open' }).first();
  return hold && { currency: hold.currency, amountMinor: BigInt(hold.amount) };
}

async function refuseAnothers(
  { db }: PaymentsContext,
  { payment_id, rail, provider_reference: known }: PaymentRow,
  reference: string | undefined,
): Promise<void> {
  if (reference === undefined) return;
  if (known !== null && known !== reference)
    throw new ActionError(`The provider's reference of this payment is ${known}.`);
  const other = await db('payments')
    .where({ rail, provider_reference: reference })
    .whereNot({ payment_id })
    .first('payment_id');
  if (other) throw new ActionError(`${reference} belongs to payment ${other.payment_id}.`);
}

async function paymentOfCase({ db }: PaymentsContext, caseId: string): Promise<PaymentRow> {
  const found = await db('cases').where({ case_id: caseId }).whereNull('closed_at').first('payment_id');
  if (!found) throw new PaymentError('NOT_FOUND', { message: `No open case ${caseId}` });
  if (found.payment_id === null)
    throw new ActionError(
      `Case ${caseId} is not about a payment: you can only close it, without an outcome.`,
    );
  return getPaymentOrThrow(db, found.payment_id);
}

function transitionOf(
  payment: PaymentRow,
  to: PaymentState,
  { caseId, by, note, amount, reference }: Decision,
): Transition {
  if (!entrancesOf(to).includes(payment.state)) {
    throw new ActionError(
      `A payment that is ${payment.state} cannot become ${to}. You can close the case without an outcome.`,
    );
  }
  if (to === 'succeeded' && isSettled(payment.state)) {
    throw new ActionError(
      `A payment that is ${payment.state} was paid before. You can close the case without an outcome.`,
    );
  }
  if (to === 'succeeded' && payment.kind !== 'deposit' && notGone.some((state) => state === payment.state)) {
    throw new ActionError(
      `A ${payment.kind} that is ${payment.state} has released its reserve and cannot become paid. When a ` +
        'statement has its line, assign it to its merchant with malipo unmatched assign. You can close the case without an outcome.',
    );
  }
  if (to === 'returned' && payment.kind === 'deposit') {
    throw new ActionError('A deposit cannot be returned to us: only a payout or a refund can.');
  }
  // The amount that was really paid is in the currency of the submission.
  const paid = amount === undefined ? undefined : readAmount(amount, payment.instructed_currency).toString();
  if (paid !== undefined && payment.kind !== 'deposit' && paid !== payment.instructed_minor) {
    const { kind, instructed_minor: whole, instructed_currency: currency } = payment;
    const text = (minor: string) => formatAmount(BigInt(minor), currency);
    throw new ActionError(
      `This ${kind} moves ${text(whole)} ${currency}, not ${text(paid)}: its whole reserve is spent. ` +
        'You can close the case without an outcome.',
    );
  }
  const confirmed = paid === undefined ? {} : { confirmed_minor: paid };
  return {
    to,
    cause: 'operator',
    evidence: `case ${caseId}, ${by}: ${note}`,
    changes: {
      failure_code: to === 'returned' ? PAYOUT_RETURNED : null,
      corrected: payment.is_final === 1 ? 1 : 0,
      ...confirmed,
      ...(reference === undefined ? {} : { provider_reference: reference }),
    },
  };
}

interface ResolveInput {
  /** One case, or all cases with a reason about an account. */
  case_id?: string;
  all_of?: (typeof accountReasons)[number];
  rail?: string;
  outcome?: Verdict;
  amount?: string;
  reference?: string;
  note: string;
}

export interface ResolvedCase {
  case_id: string;
  closed_by: string;
  payment_id: string | null;
  state: string | null;
  /** Other open cases of the same payment. */
  still_open: string[];
  signalled: Signalled | undefined;
}

export interface ResolvedCases {
  reason: string;
  rail: string;
  closed_by: string;
  closed: number;
}

export const caseActions = {
  'case.resolve': defineAction<ResolveInput, ResolvedCase | ResolvedCases>({
    ...{ version: 1, right: 'act', approval: 'money', writes: 'database', keepsTypedName: true },
    schema: Joi.object<ResolveInput>({
      case_id: numberId,
      all_of: readBy(oneOf(accountReasons, 'The reason')),
      rail: id,
      outcome: readBy(oneOf(verdicts, 'The decision')),
      amount,
      reference,
      note: note.required(),
    }),
    phrase: ({ case_id: caseId, outcome }) =>
      caseId === undefined
        ? { en: 'close all cases {all_of} of {rail}', sw: 'kufunga kesi zote {all_of} za {rail}' }
        : outcome === undefined
          ? { en: 'close case {case_id}{whose}', sw: 'kufunga kesi {case_id}{whose}' }
          : {
              en: 'close case {case_id} as {outcome}, about {amount} of {merchant}',
              sw: 'kufunga kesi {case_id} kama {outcome}, kuhusu {amount} za {merchant}',
            },
    async names(db, { case_id: caseId }) {
      const found =
        caseId === undefined ? undefined : await db('cases').where({ case_id: caseId }).first('payment_id');
      const names = await paymentNames(db, found?.payment_id);
      const { amount: much, merchant } = names;
      if (typeof much !== 'object' || typeof merchant !== 'string') return { whose: '' };
      return {
        ...names,
        whose: { en: `, about ${much.en} of ${merchant}`, sw: `, kuhusu ${much.sw} za ${merchant}` },
      };
    },
    async run(scope, input) {
      const { case_id: caseId, all_of: all, rail, outcome: verdict, ...decision } = input;
      if (caseId === undefined || all !== undefined || rail !== undefined) return resolveAll(scope, input);
      if ((verdict === 'paid') !== (decision.amount !== undefined))
        throw new InputError(
          'The outcome paid needs the amount that was really paid; no other outcome takes an amount.',
        );
      if (decision.reference !== undefined && verdict !== 'paid')
        throw new InputError("Only the outcome paid takes the provider's reference.");
      return resolveOne(scope, { ...decision, caseId, ...(verdict && { verdict }) });
    },
  }),
};

const closing = (caseId: string): Change => ({
  of: { kind: 'case', id: caseId },
  field: 'state',
  from: 'open',
  to: 'closed',
});

async function resolveOne(
  scope: ActionScope,
  decision: Omit<Decision, 'by' | 'alongside'>,
): Promise<ResolvedCase> {
  const { context, acting } = scope;
  const { caseId } = decision;
  const payment = await decideCase(context, {
    ...decision,
    by: acting.name,
    alongside: (trx, money) =>
      acting.record(trx, {
        subject: { kind: 'case', id: caseId },
        ...(money ? { money } : { second: 'never' }),
        changes: [closing(caseId)],
      }),
  });
  const signalled = payment && (await signalAll(scope, [payment]));
  const others = payment
    ? await context
        .db('cases')
        .where({ payment_id: payment.payment_id })
        .whereNull('closed_at')
        .pluck('case_id')
    : [];
  return {
    ...{ case_id: caseId, closed_by: acting.name },
    ...{ payment_id: payment?.payment_id ?? null, state: payment?.state ?? null },
    ...{ still_open: others, signalled },
  };
}

async function resolveAll(
  { context, acting }: ActionScope,
  { case_id: caseId, all_of: reason, rail, outcome, amount: paid, reference: named, note: why }: ResolveInput,
): Promise<ResolvedCases> {
  if (caseId !== undefined || reason === undefined || rail === undefined)
    throw new InputError('Name one case, or a reason and a rail for all their cases.');
  if (outcome !== undefined || paid !== undefined || named !== undefined)
    throw new InputError('You cannot decide outcomes for all cases of a reason: decide them case by case.');
  const closed = await closeAllOf(context.db, { reason, rail }, acting.name, why, (trx) =>
    acting.record(trx, {
      subject: { kind: 'case', id: cutText(`${reason} of ${rail}`, 160) },
      second: 'never',
      changes: [
        { of: { kind: 'case', id: `${reason} of ${rail}` }, field: 'state', from: 'open', to: 'closed' },
      ],
    }),
  );
  if (closed === 0) throw new PaymentError('NOT_FOUND', { message: `No open case ${reason} of ${rail}` });
  return { reason, rail, closed_by: acting.name, closed };
}
