import type { Command } from 'commander';
import { formatAmount } from '../domain/money';
import type { AccountKey } from '../ledger/accounts';
import { isSettled } from '../domain/payment';
import { getMerchantOrThrow } from '../merchants/merchants';
import { getPaymentOrThrow } from '../payments/record/payments';
import { likelyOwners } from '../reconciliation/likely-owners';
import { cameIn, type StatementFormat } from '../reconciliation/statement';
import { isNameless, mayBeMoneyOf, TooManyAlike } from '../reconciliation/without-receipt';
import type { OrphanRow } from '../store/tables';
import { claimForAccount, claimForPayment, refuseDecided, returnOrphan } from './claim-orphan';
import { floatKey, readFloatRail } from './money';
import { oneOf, readCountry, readReference, readWholeNumber, readWords } from './parse';
import { Refusal, UsageError } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { facts, table } from './table';
import { sleepersIn, wakeAll } from './wake';
import { clockOf } from './wall-clock';

const states = ['open', 'explained', 'claimed', 'returned', 'withdrawn'] as const;

export function orphanCommands(program: Command, run: Runner): void {
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
    .option('--beside <payment_id>', 'it is not the money of this payment, though it looks like that')
    .action(run(claim));
  orphan
    .command('returned <orphan_id>')
    .description('say that it went back to whom it came from, or came back to us')
    .requiredOption('--reason <reason>', 'why, for the ledger', readWords('The reason'))
    .requiredOption('--reference <reference>', 'what the provider calls that', readReference)
    .option('--beside <payment_id>', 'it is not the money of this payment, though it looks like that')
    .action(run(returned));
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
  const orphan = await getOrphan({ context }, given);
  const line = await context.db('statement_lines').where({ line_id: orphan.line_id }).first();
  const format = formatOf({ context }, orphan);
  const owners = line ? ((await likelyOwners(context.db, format, [line])).get(line.line_id) ?? []) : [];
  const clock = clockOf(config.timezone);
  const likely = owners.map(
    ({ payment_id: id, merchant_id: merchant, state, amount, currency, because }) =>
      `  ${id} of ${merchant} (${state}, ${amount} ${currency}): ${because.join(', ')}`,
  );
  const mayBe =
    line && orphan.state === 'open'
      ? await mayBeMoneyOf(context.db, format, line).catch((error: unknown) => {
          if (error instanceof TooManyAlike) return [];
          throw error;
        })
      : [];
  const [first] = mayBe;
  if (first)
    likely.push(
      isSettled(first.payment.state)
        ? `Payment ${first.payment.payment_id} was paid, and no line names it: this line may be its money.`
        : `Payment ${first.payment.payment_id} is ${first.payment.state}, and this line may be its money.`,
      isSettled(first.payment.state) && !isNameless(format, first.payment)
        ? 'Then its receipt is damaged in this file. A wallet that gets the money is credited twice.'
        : `Then claim it with --payment ${first.payment.payment_id}. A wallet that gets it instead is credited twice.`,
    );
  return {
    json: {
      orphan: shown(orphan),
      line: line ?? null,
      likely_owners: owners,
      may_be_money_of: mayBe.map(({ payment, because }) => ({
        payment_id: payment.payment_id,
        merchant_id: payment.merchant_id,
        state: payment.state,
        because,
        is_paid: isSettled(payment.state),
      })),
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

async function claim(session: Session, given: string, claimed: Claim): Promise<Report> {
  const { payment: paymentId, merchant, bank, fee, float, country, reason, beside } = claimed;
  if ([paymentId, merchant, bank, fee].filter((whose) => whose !== undefined).length !== 1)
    throw new UsageError('Say whose it is: one of --payment, --merchant and --bank, or --fee.');
  if ((float ?? country) !== undefined && merchant === undefined)
    throw new UsageError('--float and --country belong to --merchant.');
  if (beside !== undefined && paymentId !== undefined)
    throw new UsageError('--beside and --payment do not go together.');
  const orphan = await getOrphan(session, given);
  refuseDecided(orphan);
  const format = formatOf(session, orphan);
  if (paymentId !== undefined) {
    const before = await getPaymentOrThrow(session.context.db, paymentId);
    const payment = await claimForPayment(session, format, orphan, { paymentId, reason });
    if (isSettled(before.state))
      return reportOn(session, orphan, [
        `Payment ${payment.payment_id} was ${before.state} without a receipt, and has ${orphan.provider_reference} now.`,
        'It was booked before: nothing is booked for it again.',
      ]);
    const woken = sleepersIn(await wakeAll(session, [payment]));
    const told = `Payment ${payment.payment_id} is ${payment.state} now; its merchant is told.`;
    return reportOn(session, orphan, [told, woken]);
  }
  const { currency } = orphan;
  if (merchant === undefined) {
    if (fee && cameIn(orphan) > 0n) throw new Refusal(`Orphan ${orphan.orphan_id} came in: it is no fee.`);
    const key: AccountKey = fee
      ? { class: 'provider_fees', provider: orphan.provider, currency }
      : { class: 'bank', currency };
    await claimForAccount(session, format, orphan, { key, merchantId: null, reason, beside });
    const where = fee ? `as a fee of ${orphan.provider}` : 'against our bank';
    return reportOn(session, orphan, [`It is booked ${where}.`]);
  }
  const { merchant_id: merchantId } = await getMerchantOrThrow(session.context.db, merchant);
  const rail = format.payments[0]?.rail ?? '';
  const key: AccountKey = float
    ? floatKey(merchantId, {
        rail: readFloatRail(rail),
        currency,
        ...(country === undefined ? {} : { country }),
      })
    : { class: 'wallet', merchantId, currency };
  await claimForAccount(session, format, orphan, { key, merchantId, reason, beside });
  return reportOn(session, orphan, [`It is booked on the ${key.class} of merchant ${merchantId}.`]);
}

async function returned(
  session: Session,
  given: string,
  going: { reason: string; reference: string; beside?: string },
): Promise<Report> {
  const orphan = await getOrphan(session, given);
  refuseDecided(orphan);
  await returnOrphan(session, formatOf(session, orphan), orphan, going);
  return reportOn(session, orphan, [`It went back as ${going.reference}.`]);
}

async function reportOn(
  { context }: Pick<Session, 'context'>,
  before: OrphanRow,
  sentences: string[],
): Promise<Report> {
  const orphan = await getOrphan({ context }, before.orphan_id);
  const head = `Orphan ${orphan.orphan_id}, ${amountOf(orphan)} ${orphan.currency} at ${orphan.provider}, is ${orphan.state}.`;
  return { json: shown(orphan), text: [head, ...sentences].filter(Boolean).join('\n') };
}

async function getOrphan({ context }: Pick<Session, 'context'>, given: string): Promise<OrphanRow> {
  const id = String(readWholeNumber(given));
  const orphan = await context.db('orphans').where({ orphan_id: id }).first();
  if (!orphan) throw new Refusal(`There is no orphan ${id}; malipo orphan list shows them.`);
  return orphan;
}

function formatOf({ context }: Pick<Session, 'context'>, { provider }: OrphanRow): StatementFormat {
  const format = context.rails.all.find(({ statement }) => statement?.provider === provider)?.statement;
  if (!format) throw new Refusal(`No rail here reads statements of ${provider}.`);
  return format;
}
