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
  const duplicate = program.command('duplicate').description('possible duplicate payments of customers');
  duplicate
    .command('list')
    .description('list undecided duplicates, oldest first')
    .option('--merchant <merchant_id>', 'only payments to this merchant')
    .option('--limit <n>', 'show at most this many', readWholeNumber, 100)
    .action(run(list));
  act(
    withReason(
      duplicate
        .command('refund <payment_id>')
        .description(
          'refund one of the two payments in full, as far as it is not refunded yet and if its rail can refund',
        ),
    ),
    {
      kind: 'duplicate.refund',
      input,
      print: (_, refunded) => ({
        json: refunded,
        text:
          `Refund ${refunded.refund_id} returns ${refunded.amount} ${refunded.currency} of payment ${refunded.payment_id}; ` +
          `case ${refunded.case_id} closes by itself when the refund succeeds.`,
      }),
    },
  );
  act(
    withReason(
      duplicate
        .command('dismiss <payment_id>')
        .description('record that both payments are right; the case is closed'),
    ),
    {
      kind: 'duplicate.dismiss',
      input,
      print: (_, dismissed) => ({
        json: dismissed,
        text: `Payment ${dismissed.payment_id} is not a duplicate; case ${dismissed.case_id} is closed by ${dismissed.dismissed_by}.`,
      }),
    },
  );
}

const withReason = (command: Command): Command =>
  command.requiredOption(
    '--reason <reason>',
    'how you know this, for later readers',
    readWords('The reason'),
  );

const amountOf = ({ instructed_currency: currency, confirmed_minor: minor }: PaymentRow) =>
  `${formatAmount(BigInt(minor ?? 0), currency)} ${currency}`;

const duplicateJson = (payment: PaymentRow) => ({
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
  // The column is ASCII; the database refuses to compare it with other characters.
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
        first: duplicateJson(first),
        second: duplicateJson(second),
      })),
    },
    text:
      found.length === 0
        ? 'There is no open duplicate.'
        : table(['case', 'reference', 'amount', 'first payment', 'second payment'], rows),
  };
}
