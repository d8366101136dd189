import type { Command } from 'commander';
import { readCountry, readWords } from '../operator-actions/read';
import {
  askedWallets,
  shownWallet,
  type AskedWallets,
  type ShownWallet,
} from '../operator-actions/maintenance';
import type { FloatWalletRow } from '../store/tables';
import { readWholeNumberOrNone } from './parse';
import type { Report, Running } from './report';
import type { Session } from './session';
import { table, clockOf } from './table';

export function floatProofCommands(program: Command, { run, act }: Running): void {
  const proof = program.command('float-proof').description("what providers' wallets hold, beside our books");
  proof
    .command('list')
    .description('what each wallet held when its provider was asked last')
    .action(run(async (session: Session) => printAsked(session, await askedWallets(session.context))));
  act(proof.command('run').description('ask the providers now'), {
    kind: 'float-proof.run',
    input: () => ({}),
    print: (session, asked) => ({
      ...printAsked(session, asked),
      ok: asked.wallets.every(({ verdict }) => verdict !== 'short'),
    }),
  });
  act(
    withWallet(
      proof
        .command('baseline <provider>')
        .description('what the wallet held when it was told last is what it should hold'),
    ).option(
      '--fee-per-mille <n>',
      'what the provider may keep of the turnover for itself',
      readWholeNumberOrNone,
    ),
    {
      kind: 'float-proof.baseline',
      input: (
        _: Session,
        provider: string,
        { feePerMille, ...given }: WalletOptions & { feePerMille?: number },
      ) => ({ provider, ...given, ...(feePerMille !== undefined && { fee_per_mille: feePerMille }) }),
      print: printRow,
    },
  );
  act(
    withWallet(
      proof
        .command('moved <provider>')
        .description('money is put into the wallet by hand, or taken out of it: say it before you do it'),
    ).requiredOption('--amount <amount>', 'such as 1000.00; -1000.00 is taken out'),
    {
      kind: 'float-proof.moved',
      input: (_: Session, provider: string, given: WalletOptions & { amount: string }) => ({
        provider,
        ...given,
      }),
      print: printRow,
    },
  );
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

const printRow = (session: Session, row: FloatWalletRow): Report => printWallets(session, [shownWallet(row)]);

function printAsked(session: Session, asked: AskedWallets): Report {
  const { text } = printWallets(session, asked.wallets);
  return { json: asked, text: [text, ...asked.cannot_be_asked.map(({ why }) => why)].join('\n') };
}

function printWallets({ config }: Session, wallets: readonly ShownWallet[]): Report {
  const clock = clockOf(config.timezone);
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

function expectedOf({ coming, going }: Pick<ShownWallet, 'coming' | 'going'>): string[] {
  const words = { 'is to come': coming, 'is to go': going };
  return Object.entries(words).flatMap(([word, amount]) =>
    Number(amount) === 0 ? [] : [`${amount ?? ''} ${word}`],
  );
}
