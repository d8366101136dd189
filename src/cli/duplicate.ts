import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { formatAmount } from '../domain/money';
import { getMerchantOrThrow } from '../merchants/merchants';
import { acceptPayment } from '../payments/acceptance/accept-payment';
import { dismissDuplicate } from '../payments/moves/dismiss-duplicate';
import { lockReferenceOf } from '../payments/moves/paid-references';
import type { PaymentDraft } from '../payments/rail/draft';
import type { Rail, RailApi } from '../payments/rail/rail';
import type { Refunding } from '../payments/rail/refunding';
import { noteOnCase } from '../controls/cases';
import { duplicatesOf, listDuplicates, refundsUnderWay, type Duplicate } from '../payments/record/duplicates';
import type { Transaction } from '../store/database';
import type { PaymentRow } from '../store/tables';
import { nameOf } from './acting';
import { readWholeNumber, readWords } from './parse';
import { Refusal } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { table } from './table';
import { clockOf } from './wall-clock';

export function duplicateCommands(program: Command, run: Runner): void {
  const duplicate = program.command('duplicate').description('what customers may have paid twice');
  duplicate
    .command('list')
    .description('what nobody has decided about, oldest first')
    .option('--merchant <merchant_id>', "only this merchant's")
    .option('--limit <n>', 'at most so many', readWholeNumber, 100)
    .action(run(list));
  duplicate
    .command('refund <payment_id>')
    .description('give one of the two back, all that is left of it, where its rail can')
    .requiredOption('--reason <reason>', 'how you know, for those who read it later', readWords('The reason'))
    .action(run(refund));
  duplicate
    .command('dismiss <payment_id>')
    .description('say that both are right: nobody is asked about it again')
    .requiredOption('--reason <reason>', 'how you know, for those who read it later', readWords('The reason'))
    .action(run(dismiss));
}

const amountOf = ({ instructed_currency: currency, confirmed_minor: minor }: PaymentRow) =>
  `${formatAmount(BigInt(minor ?? 0), currency)} ${currency}`;

const told = (payment: PaymentRow) => ({
  payment_id: payment.payment_id,
  rail: payment.rail,
  state: payment.state,
  amount: amountOf(payment),
  asked_at: payment.created_at,
  paid_at: payment.finished_at,
});

async function list(
  { context, config }: Session,
  { merchant, limit }: { merchant?: string; limit: number },
): Promise<Report> {
  // The column is ASCII, and the database refuses to compare it with more.
  const merchantId = merchant && (await getMerchantOrThrow(context.db, merchant)).merchant_id;
  const found = await listDuplicates(context.db, { merchantId, limit });
  const clock = clockOf(config.timezone);
  const shown = (payment: PaymentRow) =>
    `${payment.payment_id} ${payment.rail}, ${payment.finished_at ? clock(payment.finished_at) : '-'}`;
  const rows = found.map(({ caseId, first, second }) => [
    caseId,
    second.order_id ?? second.account_reference ?? '',
    amountOf(second),
    shown(first),
    shown(second),
  ]);
  return {
    json: {
      duplicates: found.map(({ caseId, openedAt, first, second }) => ({
        case_id: caseId,
        merchant_id: second.merchant_id,
        reference: second.order_id ?? second.account_reference,
        opened_at: openedAt,
        first: told(first),
        second: told(second),
      })),
    },
    text:
      found.length === 0
        ? 'Nobody is known to have paid twice.'
        : table(['case', 'reference', 'amount', 'paid first', 'paid again'], rows),
  };
}

/** What a payment is one of the two of. */
async function duplicateOrThrow({ context: { db } }: Session, paymentId: string): Promise<Duplicate> {
  const isId = /^[\x21-\x7e]+$/.test(paymentId);
  const [found] = isId ? await duplicatesOf(db, paymentId) : [];
  if (found) return found;
  throw new Refusal(`Payment ${paymentId} is no open duplicate; malipo duplicate list shows what is.`);
}

async function refund(session: Session, paymentId: string, { reason }: { reason: string }): Promise<Report> {
  const { context, acting } = session;
  const found = await duplicateOrThrow(session, paymentId);
  const [payment, other] =
    found.second.payment_id === paymentId ? [found.second, found.first] : [found.first, found.second];
  const refunding = refundingOf(context.rails.get(payment.rail), payment, () =>
    typeof context.rails.get(other.rail).refund === 'function' ? other : undefined,
  );
  const by = nameOf(acting, undefined);
  const merchant = await getMerchantOrThrow(context.db, payment.merchant_id);
  const call = { merchant, input: {}, requestId: randomUUID() };
  const asked = await refunding(apiOf(session, found, { payment, by, reason }), call, payment, undefined);
  const { payment_id: refundId, requested_minor: minor, currency } = asked;
  const amount = formatAmount(BigInt(minor), currency);
  return {
    json: { payment_id: payment.payment_id, refund_id: refundId, case_id: found.caseId, amount, currency },
    text:
      `${amount} ${currency} of payment ${payment.payment_id} are given back by refund ${refundId}; ` +
      `case ${found.caseId} closes by itself once that is done.`,
  };
}

/** @throws Refusal saying what to do instead. */
function refundingOf(
  { refund }: Rail,
  payment: PaymentRow,
  otherWithRefund: () => PaymentRow | undefined,
): Refunding {
  if (typeof refund === 'function') return refund;
  const other = otherWithRefund();
  throw new Refusal(
    [
      `A payment by ${payment.rail} cannot be refunded from here.`,
      ...(other ? [`The other one can: malipo duplicate refund ${other.payment_id}.`] : []),
      ...(refund ? [refund.byHand] : []),
    ].join(' '),
  );
}

/** What a rail's refund is given: it is accepted as its merchant's would be, with the operator's line. */
function apiOf(
  { context, engine, acting }: Session,
  found: Duplicate,
  { payment, by, reason }: { payment: PaymentRow; by: string; reason: string },
): Pick<RailApi, 'db' | 'accept'> {
  const told = (draft: PaymentDraft): PaymentDraft => ({
    ...draft,
    async check(trx, refundId) {
      await draft.check?.(trx, refundId);
      await refuseDecided(trx, found, refundId);
    },
    async alongside(trx, refundId) {
      const note = `refund ${refundId} of ${payment.payment_id}, asked for by ${by}: ${reason}`;
      await noteOnCase(trx, found.second.payment_id, 'paid_twice', note);
      await acting.record(trx, {
        subject: { kind: 'payment', id: payment.payment_id },
        details: { refund_id: refundId, case_id: found.caseId },
        needs: { kind: 'money', moves: { currency: draft.currency, amountMinor: draft.requestedMinor } },
      });
    },
  });
  return {
    db: context.db,
    accept: (call, draft) =>
      acceptPayment(context, engine, call, async () =>
        told(typeof draft === 'function' ? await draft() : draft),
      ),
  };
}

/** Two who give back one each would leave the merchant with nothing. */
async function refuseDecided(
  trx: Transaction,
  { caseId, first, second }: Duplicate,
  refundId: string,
): Promise<void> {
  const ids = [first.payment_id, second.payment_id];
  await lockReferenceOf(trx, second.payment_id);
  const open = await trx('cases').where({ case_id: caseId }).whereNull('closed_at').first('case_id');
  if (!open) throw new Refusal(`Case ${caseId} is closed: one of both is back, or was looked at.`);
  const [other] = await refundsUnderWay(trx, ids, refundId);
  if (other)
    throw new Refusal(
      `Refund ${other.payment_id} of payment ${other.parent_id ?? '-'} is under way already.`,
    );
}

async function dismiss(session: Session, paymentId: string, { reason }: { reason: string }): Promise<Report> {
  const { context, acting } = session;
  const found = await duplicateOrThrow(session, paymentId);
  if (found.second.payment_id !== paymentId) {
    throw new Refusal(
      `Payment ${paymentId} was first; ${found.second.payment_id} is what has paid it again.`,
    );
  }
  const by = nameOf(acting, undefined);
  await dismissDuplicate(context.db, found, { by, reason }, (trx) =>
    acting.record(trx, { subject: { kind: 'payment', id: paymentId }, details: { case_id: found.caseId } }),
  );
  return {
    json: { payment_id: paymentId, case_id: found.caseId, dismissed_by: by },
    text: `Payment ${paymentId} is no duplicate; case ${found.caseId} is closed by ${by}.`,
  };
}
