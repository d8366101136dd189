import type { Command } from 'commander';
import { readCountry, readWords } from '../operator-actions/read';
import {
  queriedWallets,
  shownWallet,
  type QueriedWallets,
  type ShownWallet,
} from '../operator-actions/maintenance';
import type { FloatWalletRow } from '../store/tables';
import { readWholeNumberOrNone } from './parse';
import type { Report, Running } from './report';
import type { Session } from './session';
import { table, clockOf } from './table';

export function floatCheckCommands(program: Command, { run, act }: Running): void {
  const proof = program
    .command('float-check')
    .description('float check: compare the balances of our wallets at the providers with our books');
  proof
    .command('list')
    .description('list the last reported balance of each wallet')
    .action(run(async (session: Session) => printAsked(session, await queriedWallets(session.context))));
  act(proof.command('run').description('query the providers now; exits with 1 while a wallet lacks money'), {
    kind: 'float-check.run',
    input: () => ({}),
    print: (session, asked) => ({
      ...printAsked(session, asked),
      ok: asked.wallets.every(({ verdict }) => verdict !== 'short'),
    }),
  });
  act(
    withWallet(
      proof
        .command('adjust <provider>')
        .description('opening adjustment: accept the last reported balance of the wallet as right'),
    ).option(
      '--fee-per-mille <n>',
      'the share of the turnover that the provider may keep as fees',
      readWholeNumberOrNone,
    ),
    {
      kind: 'float-check.adjust',
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
        .command('transfer <provider>')
        .description('record a transfer into or out of the wallet, before you make it'),
    ).requiredOption('--amount <amount>', 'such as 1000.00 into the wallet, or -1000.00 out of it'),
    {
      kind: 'float-check.transfer',
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
    .option('--country <country>', 'the country of the wallet, if it has one, such as KEN', readCountry)
    .requiredOption('--reason <reason>', 'the reason, for later readers', readWords('The reason'));
}

interface WalletOptions {
  currency: string;
  country?: string;
  reason: string;
}

const printRow = (session: Session, row: FloatWalletRow): Report => printWallets(session, [shownWallet(row)]);

function printAsked(session: Session, asked: QueriedWallets): Report {
  const { text } = printWallets(session, asked.wallets);
  return { json: asked, text: [text, ...asked.cannot_be_asked.map(({ why }) => why)].join('\n') };
}

function printWallets({ config }: Session, wallets: readonly ShownWallet[]): Report {
  const clock = clockOf(config.timezone);
  return {
    json: { wallets },
    text:
      wallets.length === 0
        ? 'No provider has reported a balance yet.'
        : table(
            [
              'provider',
              'country',
              'currency',
              'balance',
              'verdict',
              'difference',
              'not in our books',
              'reported',
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
              clock(wallet.reported_at),
              [wallet.note, ...expectedOf(wallet)].filter(Boolean).join('; '),
            ]),
          ),
  };
}

function expectedOf({ coming, going }: Pick<ShownWallet, 'coming' | 'going'>): string[] {
  const words = { 'still to come in': coming, 'still to go out': going };
  return Object.entries(words).flatMap(([word, amount]) =>
    Number(amount) === 0 ? [] : [`${amount ?? ''} ${word}`],
  );
}
