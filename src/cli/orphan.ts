import type { Command } from 'commander';
import { formatAmount } from '../domain/money';
import { oneOf, readCountry, readReference, readWholeNumber, readWords } from '../operator-actions/read';
import { getOrphan, type DecidedOrphan } from '../operator-actions/orphans';
import { formatOf } from '../operator-actions/statements';
import { orphanDetails } from '../reconciliation/orphan-details';
import type { OrphanRow } from '../store/tables';
import type { Report, Running } from './report';
import type { Session } from './session';
import { facts, table, clockOf } from './table';
import { sleepersIn } from './parse';

const states = ['open', 'explained', 'claimed', 'returned', 'withdrawn'] as const;

export function orphanCommands(program: Command, { run, act }: Running): void {
  const orphan = program
    .command('orphan')
    .description("money of providers' statements that no payment of ours explains");
  orphan
    .command('list')
    .description('what is open, oldest first')
    .option('--provider <provider>', 'of one provider, such as daraja')
    .option('--state <state>', `one of ${states.join(', ')}`, oneOf(states, 'The state'), 'open')
    .option('--limit <n>', 'at most so many', readWholeNumber, 100)
    .action(run(list));
  orphan
    .command('show <orphan_id>')
    .description('its line, and the payments it may belong to')
    .action(run(show));
  act(
    orphan
      .command('claim <orphan_id>')
      .description('say whose it is')
      .requiredOption('--reason <reason>', 'how you know, for the ledger', readWords('The reason'))
      .option(
        '--payment <payment_id>',
        "it is this payment's, which is settled by it, or was settled without a receipt",
      )
      .option('--merchant <merchant_id>', "it is this merchant's, and goes to the wallet")
      .option('--float', "with --merchant: to the rail's float instead")
      .option('--country <country>', 'of a momo float, such as KEN', readCountry)
      .option('--bank', 'it is our own, and came from our bank or went there')
      .option('--fee', 'the provider took it for itself')
      .option('--beside <payment_id>', 'it is not the money of this payment, though it looks like that'),
    {
      kind: 'orphan.claim',
      input: (_: Session, orphanId: string, { payment, merchant, beside, ...given }: Claim) => ({
        orphan_id: String(readWholeNumber(orphanId)),
        ...given,
        ...(payment !== undefined && { payment_id: payment }),
        ...(merchant !== undefined && { merchant_id: merchant }),
        ...(beside !== undefined && { beside_payment_id: beside }),
      }),
      print: (_: Session, decided: DecidedOrphan) => printDecided(decided, claimSentences(decided)),
    },
  );
  act(
    orphan
      .command('returned <orphan_id>')
      .description('say that it went back to whom it came from, or came back to us')
      .requiredOption('--reason <reason>', 'why, for the ledger', readWords('The reason'))
      .requiredOption('--reference <reference>', 'what the provider calls that', readReference)
      .option('--beside <payment_id>', 'it is not the money of this payment, though it looks like that'),
    {
      kind: 'orphan.returned',
      input: (
        _: Session,
        orphanId: string,
        { beside, ...given }: { reason: string; reference: string; beside?: string },
      ) => ({
        orphan_id: String(readWholeNumber(orphanId)),
        ...given,
        ...(beside !== undefined && { beside_payment_id: beside }),
      }),
      print: (_: Session, decided: DecidedOrphan) =>
        printDecided(decided, [`It went back as ${decided.orphan.returned_reference ?? ''}.`]),
    },
  );
}

interface Filters {
  provider?: string;
  state: OrphanRow['state'];
  limit: number;
}

async function list({ context, config }: Session, { provider, state, limit }: Filters): Promise<Report> {
  const query = context.db('orphans').where({ state }).orderBy(['occurred_at', 'orphan_id']).limit(limit);
  if (provider !== undefined) void query.where({ provider });
  const orphans = await query;
  const clock = clockOf(config.timezone);
  const rows = orphans.map((orphan) => [
    orphan.orphan_id,
    clock(orphan.occurred_at),
    orphan.provider,
    orphan.provider_reference,
    orphan.kind,
    `${amountOf(orphan)} ${orphan.currency}`,
    orphan.entry_id === null ? 'not booked' : orphan.state,
  ]);
  return {
    json: { orphans: orphans.map(shown) },
    text:
      orphans.length === 0
        ? `No orphan is ${state}.`
        : table(['orphan', 'when', 'provider', "provider's id", 'kind', 'amount', 'state'], rows),
  };
}

const amountOf = ({ amount_minor: minor, currency }: OrphanRow) => formatAmount(BigInt(minor), currency);

function shown(row: OrphanRow) {
  const { amount_minor: _, bookings: __, ...orphan } = row;
  return { ...orphan, amount: amountOf(row) };
}

async function show({ context, config }: Session, given: string): Promise<Report> {
  const orphan = await getOrphan({ context }, String(readWholeNumber(given)));
  const details = await orphanDetails(context.db, formatOf({ context }, orphan), orphan);
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
        ? `Payment ${first.payment_id} was paid, and no line names it: this line may be its money.`
        : `Payment ${first.payment_id} is ${first.state}, and this line may be its money.`,
      first.is_paid && !first.is_without_receipt
        ? 'Then its receipt is damaged in this file. A wallet that gets the money is credited twice.'
        : `Then claim it with --payment ${first.payment_id}. A wallet that gets it instead is credited twice.`,
    );
  return {
    json: {
      orphan: shown(orphan),
      ...details,
    },
    text: [
      facts([
        ['orphan', orphan.orphan_id],
        ['state', orphan.state],
        ['provider', orphan.provider],
        ["provider's id", orphan.provider_reference],
        ['kind', orphan.kind],
        ['amount', `${amountOf(orphan)} ${orphan.currency}`],
        ['when', clock(orphan.occurred_at)],
        ['phone', line?.phone],
        ['our reference', line?.our_reference],
        ['payment', orphan.payment_id],
        ['merchant', orphan.merchant_id],
        ['decided by', [orphan.claimed_by, orphan.approved_by].filter(Boolean).join(' with ')],
        ['reason', orphan.reason],
      ]),
      likely.length === 0 ? 'No payment of ours is like it.' : ['It may belong to', ...likely].join('\n'),
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

function claimSentences({ orphan, payment, named_only: before, woken, account }: DecidedOrphan): string[] {
  if (payment && before !== undefined)
    return [
      `Payment ${payment.payment_id} was ${before} without a receipt, and has ${orphan.provider_reference} now.`,
      'It was booked before: nothing is booked for it again.',
    ];
  if (payment)
    return [
      `Payment ${payment.payment_id} is ${payment.state} now; its merchant is told.`,
      ...(woken ? [sleepersIn(woken)] : []),
    ];
  if (account?.class === 'provider_fees') return [`It is booked as a fee of ${orphan.provider}.`];
  if (account && 'merchantId' in account)
    return [`It is booked on the ${account.class} of merchant ${account.merchantId}.`];
  return ['It is booked against our bank.'];
}

function printDecided({ orphan }: DecidedOrphan, sentences: string[]): Report {
  const head = `Orphan ${orphan.orphan_id}, ${amountOf(orphan)} ${orphan.currency} at ${orphan.provider}, is ${orphan.state}.`;
  return { json: shown(orphan), text: [head, ...sentences].filter(Boolean).join('\n') };
}
