import type { Command } from 'commander';
import { formatAmount } from '../domain/money';
import { stateBaseline, stateMovement, type Stated } from '../payments/care/float-proof/baseline';
import { proveFloats } from '../payments/care/float-proof/round';
import { differenceOf, listWallets } from '../payments/care/float-proof/standing';
import type { FloatWalletKey, FloatWalletRow } from '../store/tables';
import { nameOf } from './acting';
import { readCountry, readCurrency, readSignedAmount, readWholeNumberOrNone, readWords } from './parse';
import { Refusal } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { table } from './table';
import { clockOf } from './wall-clock';

export function floatProofCommands(program: Command, run: Runner): void {
  const proof = program.command('float-proof').description("what providers' wallets hold, beside our books");
  proof
    .command('list')
    .description('what each wallet held when its provider was asked last')
    .action(run(list));
  proof.command('run').description('ask the providers now').action(run(ask));
  withWallet(
    proof
      .command('baseline <provider>')
      .description('what the wallet held when it was told last is what it should hold'),
  )
    .option(
      '--fee-per-mille <n>',
      'what the provider may keep of the turnover for itself',
      readWholeNumberOrNone,
    )
    .action(run(baseline));
  withWallet(
    proof
      .command('moved <provider>')
      .description('money is put into the wallet by hand, or taken out of it: say it before you do it'),
  )
    .requiredOption('--amount <amount>', 'such as 1000.00; -1000.00 is taken out')
    .action(run(moved));
}

function withWallet(command: Command): Command {
  return command
    .requiredOption('--currency <currency>', 'such as KES')
    .option('--country <country>', 'of a wallet that has one, such as KEN', readCountry)
    .requiredOption('--reason <reason>', 'why, for those who come later', readWords('The reason'));
}

interface WalletOptions {
  currency: string;
  country?: string;
  reason: string;
}

function keyOf(provider: string, { country = '', currency }: WalletOptions): FloatWalletKey {
  // The column is ASCII, and the database refuses to compare it with more.
  const named = /^[\x21-\x7e]+$/.test(provider) ? provider : '';
  return { provider: named, country, currency: readCurrency(currency) };
}

function statedBy({ acting }: Session, { currency, reason }: WalletOptions): Stated {
  return {
    by: nameOf(acting, undefined),
    record: (trx, { subject, details }, movesMinor) =>
      acting.record(trx, {
        subject,
        details: { ...details, reason },
        needs: { kind: 'money', moves: { currency: readCurrency(currency), amountMinor: movesMinor } },
      }),
  };
}

async function baseline(
  session: Session,
  provider: string,
  options: WalletOptions & { feePerMille?: number },
): Promise<Report> {
  const { feePerMille } = options;
  const stated = { ...statedBy(session, options), feePerMille };
  const row = await stateBaseline(session.context.db, keyOf(provider, options), stated);
  return told(session, [row]);
}

async function moved(
  session: Session,
  provider: string,
  options: WalletOptions & { amount: string },
): Promise<Report> {
  const amountMinor = readSignedAmount(options.amount, readCurrency(options.currency));
  const stated = statedBy(session, options);
  return told(session, [
    await stateMovement(session.context.db, keyOf(provider, options), amountMinor, stated),
  ]);
}

async function ask(session: Session): Promise<Report> {
  const { context, config } = session;
  const proofs = await proveFloats(context, { environment: config.environment, due: false });
  if (!proofs) throw new Refusal('The providers are being asked just now; see malipo float-proof list.');
  const wallets = await listWallets(context.db);
  return { ...(await list(session)), ok: wallets.every(({ verdict }) => verdict !== 'short') };
}

async function list(session: Session): Promise<Report> {
  const { db, rails } = session.context;
  const silent = rails.all.flatMap(({ wallets }) => (wallets && 'cannotBeAsked' in wallets ? [wallets] : []));
  const report = told(session, await listWallets(db));
  return {
    ...report,
    json: {
      ...(report.json as object),
      cannot_be_asked: silent.map(({ provider, cannotBeAsked }) => ({ provider, why: cannotBeAsked })),
    },
    text: [report.text, ...silent.map(({ cannotBeAsked }) => cannotBeAsked)].join('\n'),
  };
}

function told({ config }: Session, rows: readonly FloatWalletRow[]): Report {
  const clock = clockOf(config.timezone);
  const wallets = rows.map(shown);
  return {
    json: { wallets },
    text:
      wallets.length === 0
        ? 'No provider has told of its wallets yet.'
        : table(
            [
              'provider',
              'country',
              'currency',
              'holds',
              'verdict',
              'differs',
              'beside our books',
              'told',
              '',
            ],
            wallets.map((wallet) => [
              wallet.provider,
              wallet.country ?? '',
              wallet.currency,
              wallet.balance ?? '-',
              wallet.verdict,
              wallet.difference,
              [...new Set(wallet.beside_our_books)].join(' to '),
              clock(wallet.told_at),
              [wallet.note, ...expectedOf(wallet)].filter(Boolean).join('; '),
            ]),
          ),
  };
}

function expectedOf({ coming, going }: Pick<ReturnType<typeof shown>, 'coming' | 'going'>): string[] {
  const words = { 'is to come': coming, 'is to go': going };
  return Object.entries(words).flatMap(([word, amount]) =>
    Number(amount) === 0 ? [] : [`${amount ?? ''} ${word}`],
  );
}

function shown(row: FloatWalletRow) {
  const { provider, country, currency, verdict, fee_per_mille, baseline_by, baseline_at } = row;
  const amount = (minor: string | null) => (minor === null ? null : formatAmount(BigInt(minor), currency));
  return {
    ...{ provider, country: country || null, currency, verdict, balance: amount(row.balance_minor) },
    difference: formatAmount(differenceOf(row), currency),
    /** What is there and our books do not know of: at least, and at most. */
    beside_our_books: [amount(row.offset_lo), amount(row.offset_hi)],
    ...{ coming: amount(row.coming_minor), going: amount(row.going_minor) },
    ...{ asked_at: row.asked_at, told_at: row.told_at, note: row.note },
    ...{ fee_per_mille, baseline_by, baseline_at },
  };
}
