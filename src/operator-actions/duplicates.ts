/** Decides possible duplicate payments: an operator refunds one of the two, or says that both are right. */
import { randomUUID } from 'node:crypto';
import Joi from 'joi';
import { noteOnCase } from '../controls/cases';
import { formatAmount } from '../domain/money';
import { getMerchantOrThrow } from '../merchants/merchants';
import { createPayment } from '../payments/create/create-payment';
import { duplicatesOf, refundsUnderWay, type Duplicate } from '../payments/read/duplicates';
import { dismissDuplicate, lockReferenceOf } from '../payments/transition/duplicate-payments';
import type { PaymentDraft } from '../rail-kit/draft';
import type { Rail, RailApi, Refunding } from '../rail-kit/rail';
import type { Transaction } from '../store/database';
import type { PaymentRow } from '../store/tables';
import { defineAction, type ActionScope } from './action';
import { ActionError } from './errors';
import { id, reason } from './fields';
import { paymentNames } from './names';

interface DuplicateInput {
  payment_id: string;
  reason: string;
}

const schema = Joi.object<DuplicateInput>({ payment_id: id.required(), reason: reason.required() });

export interface RefundedDuplicate {
  payment_id: string;
  refund_id: string;
  case_id: string;
  /** Decimal text. */
  amount: string;
  currency: string;
}

export interface DismissedDuplicate {
  payment_id: string;
  case_id: string;
  dismissed_by: string;
}

export const duplicateActions = {
  'duplicate.refund': defineAction<DuplicateInput, RefundedDuplicate>({
    ...{ version: 1, right: 'act', approval: 'money', writes: 'database', schema },
    phrase: {
      en: 'refund {amount} to a customer of {merchant} who paid twice',
      sw: 'kumrudishia {amount} mteja wa {merchant} aliyelipa mara mbili',
    },
    names: (db, { payment_id: paymentId }) => paymentNames(db, paymentId),
    run: refund,
  }),

  'duplicate.dismiss': defineAction<DuplicateInput, DismissedDuplicate>({
    ...{ version: 1, right: 'act', approval: 'never', writes: 'database', schema },
    phrase: {
      en: 'say that both payments of a customer of {merchant} are right',
      sw: 'kusema kwamba malipo yote mawili ya mteja wa {merchant} ni sahihi',
    },
    names: (db, { payment_id: paymentId }) => paymentNames(db, paymentId),
    async run({ context, acting }, { payment_id: paymentId, reason: why }) {
      const found = await duplicateOrThrow(context, paymentId);
      const { caseId, second } = found;
      if (second.payment_id !== paymentId)
        throw new ActionError(
          `Payment ${paymentId} is the first of the two; dismiss the second one, ${second.payment_id}.`,
        );
      await dismissDuplicate(context.db, found, { by: acting.name, reason: why }, (trx) =>
        acting.record(trx, {
          subject: { kind: 'payment', id: paymentId },
          details: { case_id: caseId },
          changes: [{ of: { kind: 'case', id: caseId }, field: 'state', from: 'open', to: 'closed' }],
        }),
      );
      return { payment_id: paymentId, case_id: caseId, dismissed_by: acting.name };
    },
  }),
};

/** The open duplicate that a payment belongs to, as the first or the second of the two. */
async function duplicateOrThrow({ db }: ActionScope['context'], paymentId: string): Promise<Duplicate> {
  const [found] = await duplicatesOf(db, paymentId);
  if (found) return found;
  throw new ActionError(`Payment ${paymentId} is not an open duplicate; malipo duplicate list shows them.`);
}

async function refund(
  scope: ActionScope,
  { payment_id: paymentId, reason: why }: DuplicateInput,
): Promise<RefundedDuplicate> {
  const { context } = scope;
  const found = await duplicateOrThrow(context, paymentId);
  const [payment, other] =
    found.second.payment_id === paymentId ? [found.second, found.first] : [found.first, found.second];
  const refunding = refundingOf(context.rails.get(payment.rail), payment, () =>
    typeof context.rails.get(other.rail).refund === 'function' ? other : undefined,
  );
  const merchant = await getMerchantOrThrow(context.db, payment.merchant_id);
  const call = { merchant, input: {}, requestId: randomUUID() };
  const asked = await refunding(apiOf(scope, found, { payment, why }), call, payment, undefined);
  const { payment_id: refundId, requested_minor: minor, currency } = asked;
  const amount = formatAmount(BigInt(minor), currency);
  return { payment_id: payment.payment_id, refund_id: refundId, case_id: found.caseId, amount, currency };
}

/** @throws ActionError if the rail cannot refund; it says what to do instead. */
function refundingOf(
  { refund: ofRail }: Rail,
  payment: PaymentRow,
  otherWithRefund: () => PaymentRow | undefined,
): Refunding {
  if (typeof ofRail === 'function') return ofRail;
  const other = otherWithRefund();
  throw new ActionError(
    [
      `Malipo cannot refund a payment by ${payment.rail}.`,
      ...(other ? [`It can refund the other payment: malipo duplicate refund ${other.payment_id}.`] : []),
      ...(ofRail ? [ofRail.byHand] : []),
    ].join(' '),
  );
}

/** What a rail's refund is given: it is accepted as its merchant's would be, with the operator's line. */
function apiOf(
  { context, engine, acting }: ActionScope,
  found: Duplicate,
  { payment, why }: { payment: PaymentRow; why: string },
): Pick<RailApi, 'db' | 'accept'> {
  const own = (draft: PaymentDraft): PaymentDraft => ({
    ...draft,
    async check(trx, refundId) {
      await draft.check?.(trx, refundId);
      await denyDecided(trx, found, refundId);
    },
    async alongside(trx, refundId) {
      const note = `refund ${refundId} of ${payment.payment_id}, requested by ${acting.name}: ${why}`;
      await noteOnCase(trx, found.second.payment_id, 'duplicate_payment', note);
      await acting.record(trx, {
        subject: { kind: 'payment', id: payment.payment_id },
        details: { refund_id: refundId, case_id: found.caseId },
        money: { currency: draft.currency, amountMinor: draft.requestedMinor },
        changes: [{ of: { kind: 'payment', id: refundId }, field: 'state', from: null, to: 'received' }],
      });
    },
  });
  return {
    db: context.db,
    accept: (call, draft) =>
      createPayment(context, engine, call, async () =>
        own(typeof draft === 'function' ? await draft() : draft),
      ),
  };
}

/** If two operators each refunded one of the two payments, the merchant would keep none. */
async function denyDecided(
  trx: Transaction,
  { caseId, first, second }: Duplicate,
  refundId: string,
): Promise<void> {
  const ids = [first.payment_id, second.payment_id];
  await lockReferenceOf(trx, second.payment_id);
  const open = await trx('cases').where({ case_id: caseId }).whereNull('closed_at').first('case_id');
  if (!open)
    throw new ActionError(
      `Case ${caseId} is closed: one of the payments was refunded, or somebody decided the case.`,
    );
  const [other] = await refundsUnderWay(trx, ids, refundId);
  if (other)
    throw new ActionError(
      `Refund ${other.payment_id} of payment ${other.parent_id ?? '-'} is already in progress.`,
    );
}
