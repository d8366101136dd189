import type { Command } from 'commander';
import { formatAmount } from '../domain/money';
import { getMerchantOrThrow } from '../merchants/merchants';
import { readWholeNumber, readWords } from '../operator-actions/read';
import { listDuplicates } from '../payments/read/duplicates';
import type { PaymentRow } from '../store/tables';
import type { Report, Running } from './report';
import type { Session } from './session';
import { table, clockOf } from './table';

const input = (_: Session, paymentId: string, { reason }: { reason: string }) => ({
  payment_id: paymentId,
  reason,
});

export function duplicateCommands(program: Command, { run, act }: Running): void {
  const duplicate = program.command('duplicate').description('what customers may have paid twice');
  duplicate
    .command('list')
    .description('what nobody has decided about, oldest first')
    .option('--merchant <merchant_id>', "only this merchant's")
    .option('--limit <n>', 'at most so many', readWholeNumber, 100)
    .action(run(list));
  act(
    withReason(
      duplicate
        .command('refund <payment_id>')
        .description('give one of the two back, all that is left of it, where its rail can'),
    ),
    {
      kind: 'duplicate.refund',
      input,
      print: (_, refunded) => ({
        json: refunded,
        text:
          `${refunded.amount} ${refunded.currency} of payment ${refunded.payment_id} are given back by refund ${refunded.refund_id}; ` +
          `case ${refunded.case_id} closes by itself once that is done.`,
      }),
    },
  );
  act(
    withReason(
      duplicate
        .command('dismiss <payment_id>')
        .description('say that both are right: nobody is asked about it again'),
    ),
    {
      kind: 'duplicate.dismiss',
      input,
      print: (_, dismissed) => ({
        json: dismissed,
        text: `Payment ${dismissed.payment_id} is no duplicate; case ${dismissed.case_id} is closed by ${dismissed.dismissed_by}.`,
      }),
    },
  );
}

const withReason = (command: Command): Command =>
  command.requiredOption(
    '--reason <reason>',
    'how you know, for those who read it later',
    readWords('The reason'),
  );

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
