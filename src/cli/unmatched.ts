import type { Command } from 'commander';
import { formatAmount } from '../domain/money';
import { oneOf, readCountry, readReference, readWholeNumber, readWords } from '../operator-actions/read';
import { getUnmatchedReceipt, type AssignedReceipt } from '../operator-actions/unmatched-receipts';
import { formatOf } from '../operator-actions/statements';
import { unmatchedDetails } from '../reconciliation/unmatched-details';
import type { UnmatchedReceiptRow } from '../store/tables';
import type { Report, Running } from './report';
import type { Session } from './session';
import { facts, table, clockOf } from './table';
import { sleepersIn } from './parse';

const states = ['open', 'explained', 'assigned', 'returned', 'withdrawn'] as const;

export function unmatchedCommands(program: Command, { run, act }: Running): void {
  const unmatched = program
    .command('unmatched')
    .description("unmatched receipts: money in providers' statements that no payment explains");
  unmatched
    .command('list')
    .description('list open unmatched receipts, oldest first')
    .option('--provider <provider>', 'only this provider, such as daraja')
    .option('--state <state>', `one of ${states.join(', ')}`, oneOf(states, 'The state'), 'open')
    .option('--limit <n>', 'show at most this many', readWholeNumber, 100)
    .action(run(list));
  unmatched
    .command('show <receipt_id>')
    .description('show its statement line, and the payments that it may belong to')
    .action(run(show));
  act(
    unmatched
      .command('assign <receipt_id>')
      .description('assign it to a payment, a merchant, our bank or the fees of the provider')
      .requiredOption('--reason <reason>', 'how you know this, stored in the ledger', readWords('The reason'))
      .option(
        '--payment <payment_id>',
        'to this payment: the receipt settles it, or the payment was settled without a receipt',
      )
      .option('--merchant <merchant_id>', "to this merchant's wallet")
      .option('--float', "with --merchant: to the merchant's float of the rail instead")
      .option('--country <country>', 'the country of a momo float, such as KEN', readCountry)
      .option('--bank', 'to our bank: we moved the money from or to our bank')
      .option('--fee', 'to the fees of the provider')
      .option(
        '--beside <payment_id>',
        'the money came in addition to this payment, although the line looks like it',
      ),
    {
      kind: 'unmatched.assign',
      input: (_: Session, unmatchedId: string, { payment, merchant, beside, ...given }: Claim) => ({
        receipt_id: String(readWholeNumber(unmatchedId)),
        ...given,
        ...(payment !== undefined && { payment_id: payment }),
        ...(merchant !== undefined && { merchant_id: merchant }),
        ...(beside !== undefined && { beside_payment_id: beside }),
      }),
      print: (_: Session, decided: AssignedReceipt) => printDecided(decided, claimSentences(decided)),
    },
  );
  act(
    unmatched
      .command('returned <receipt_id>')
      .description('record that the money was returned to its sender, or to us')
      .requiredOption('--reason <reason>', 'the reason, stored in the ledger', readWords('The reason'))
      .requiredOption('--reference <reference>', "the provider's reference of the return", readReference)
      .option(
        '--beside <payment_id>',
        'the money came in addition to this payment, although the line looks like it',
      ),
    {
      kind: 'unmatched.returned',
      input: (
        _: Session,
        unmatchedId: string,
        { beside, ...given }: { reason: string; reference: string; beside?: string },
      ) => ({
        receipt_id: String(readWholeNumber(unmatchedId)),
        ...given,
        ...(beside !== undefined && { beside_payment_id: beside }),
      }),
      print: (_: Session, decided: AssignedReceipt) =>
        printDecided(decided, [`It was returned as ${decided.unmatched.returned_reference ?? ''}.`]),
    },
  );
}

interface Filters {
  provider?: string;
  state: UnmatchedReceiptRow['state'];
  limit: number;
}

async function list({ context, config }: Session, { provider, state, limit }: Filters): Promise<Report> {
  const query = context
    .db('unmatched_receipts')
    .where({ state })
    .orderBy(['occurred_at', 'receipt_id'])
    .limit(limit);
  if (provider !== undefined) void query.where({ provider });
  const unmatchedReceipts = await query;
  const clock = clockOf(config.timezone);
  const rows = unmatchedReceipts.map((unmatched) => [
    unmatched.receipt_id,
    clock(unmatched.occurred_at),
    unmatched.provider,
    unmatched.provider_reference,
    unmatched.kind,
    `${amountOf(unmatched)} ${unmatched.currency}`,
    unmatched.entry_id === null ? 'not booked' : unmatched.state,
  ]);
  return {
    json: { unmatched_receipts: unmatchedReceipts.map(shown) },
    text:
      unmatchedReceipts.length === 0
        ? `No unmatched receipt is ${state}.`
        : table(['receipt', 'when', 'provider', "provider's id", 'kind', 'amount', 'state'], rows),
  };
}

const amountOf = ({ amount_minor: minor, currency }: UnmatchedReceiptRow) =>
  formatAmount(BigInt(minor), currency);

function shown(row: UnmatchedReceiptRow) {
  const { amount_minor: _, bookings: __, ...unmatched } = row;
  return { ...unmatched, amount: amountOf(row) };
}

async function show({ context, config }: Session, given: string): Promise<Report> {
  const unmatched = await getUnmatchedReceipt({ context }, String(readWholeNumber(given)));
  const details = await unmatchedDetails(context.db, formatOf({ context }, unmatched), unmatched);
  const { line, likely_owners: owners, may_be_money_of: mayBe } = details;
  const clock = clockOf(config.timezone);
  const likely = owners.map(
    ({ payment_id: id, merchant_id: merchant, state, amount, currency, because }) =>
      `  ${id} of ${merchant} (${state}, ${amount} ${currency}): ${because.join(', ')}`,
  );
  const [first] = mayBe;
  if (first)
    likely.push(
      first.is_paid
        ? `Payment ${first.payment_id} was paid, but no line names it: this line may be its money.`
        : `Payment ${first.payment_id} is ${first.state}, and this line may be its money.`,
      first.is_paid && !first.is_without_receipt
        ? 'If so, its receipt is damaged in this file. If you assign the money to a wallet, the wallet is credited twice.'
        : `If so, assign it with --payment ${first.payment_id}. If you assign it to a wallet instead, the wallet is credited twice.`,
    );
  return {
    json: {
      unmatched: shown(unmatched),
      ...details,
    },
    text: [
      facts([
        ['receipt', unmatched.receipt_id],
        ['state', unmatched.state],
        ['provider', unmatched.provider],
        ["provider's id", unmatched.provider_reference],
        ['kind', unmatched.kind],
        ['amount', `${amountOf(unmatched)} ${unmatched.currency}`],
        ['when', clock(unmatched.occurred_at)],
        ['phone', line?.phone],
        ['our reference', line?.our_reference],
        ['payment', unmatched.payment_id],
        ['merchant', unmatched.merchant_id],
        ['decided by', [unmatched.assigned_by, unmatched.approved_by].filter(Boolean).join(' with ')],
        ['reason', unmatched.reason],
      ]),
      likely.length === 0 ? 'No payment is similar.' : ['It may belong to', ...likely].join('\n'),
    ].join('\n\n'),
  };
}

interface Claim {
  reason: string;
  payment?: string;
  merchant?: string;
  float?: true;
  country?: string;
  bank?: true;
  fee?: true;
  beside?: string;
}

function claimSentences({
  unmatched,
  payment,
  named_only: before,
  signalled,
  account,
}: AssignedReceipt): string[] {
  if (payment && before !== undefined)
    return [
      `Payment ${payment.payment_id} was ${before} without a receipt. Its receipt is now ${unmatched.provider_reference}.`,
      'The payment was booked before, so this books nothing for it.',
    ];
  if (payment)
    return [
      `Payment ${payment.payment_id} is now ${payment.state}; its merchant is notified.`,
      ...(signalled ? [sleepersIn(signalled)] : []),
    ];
  if (account?.class === 'provider_fees') return [`It is booked as a fee of ${unmatched.provider}.`];
  if (account && 'merchantId' in account)
    return [`It is booked on the ${account.class} of merchant ${account.merchantId}.`];
  return ['It is booked against our bank.'];
}

function printDecided({ unmatched }: AssignedReceipt, sentences: string[]): Report {
  const head = `Unmatched receipt ${unmatched.receipt_id}, ${amountOf(unmatched)} ${unmatched.currency} at ${unmatched.provider}, is ${unmatched.state}.`;
  return { json: shown(unmatched), text: [head, ...sentences].filter(Boolean).join('\n') };
}
