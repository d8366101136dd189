import type { Command } from 'commander';
import { oneOf, readWords } from '../operator-actions/read';
import { floatRailChoice, readFloatRail } from '../operator-actions/money';
import { balancesOf, printTransfer } from './money';
import type { Report, Running } from './report';
import type { Session } from './session';
import { table } from './table';

const readOtherSide = oneOf(['bank', 'suspense'] as const, 'The other side');

interface AmountOptions {
  currency: string;
  amount: string;
  reason: string;
}

export function walletCommands(program: Command, { run, act }: Running): void {
  const wallet = program
    .command('wallet')
    .description('wallets, which hold the collected money of merchants');
  wallet
    .command('show <merchant_id>')
    .description('show the available and the reserved amount of each currency')
    .option('--currency <currency>', 'such as KES')
    .action(run(show));
  act(
    withAmount(
      wallet
        .command('adjust <merchant_id>')
        .description('add money to a wallet, or take money from it with a negative amount'),
    ).option('--against <account>', 'the other account: bank or suspense', readOtherSide, 'bank'),
    {
      kind: 'wallet.adjust',
      input: (_: Session, merchantId: string, options: AmountOptions & { against: 'bank' | 'suspense' }) => ({
        merchant_id: merchantId,
        ...options,
      }),
      print: printTransfer,
    },
  );
  act(
    withAmount(
      wallet
        .command('transfer <merchant_id>')
        .description("move money from the merchant's wallet to its float"),
    )
      .requiredOption('--to-rail <rail>', floatRailChoice, readFloatRail)
      .option('--country <country>', 'the country of a momo float, such as KEN'),
    {
      kind: 'wallet.transfer',
      input: (
        _: Session,
        merchantId: string,
        { toRail, ...options }: AmountOptions & { toRail: string; country?: string },
      ) => ({
        merchant_id: merchantId,
        rail: toRail,
        ...options,
      }),
      print: printTransfer,
    },
  );
}

function withAmount(command: Command): Command {
  return command
    .requiredOption('--currency <currency>', 'such as KES')
    .requiredOption('--amount <amount>', 'such as 1000.00')
    .requiredOption('--reason <reason>', 'the reason, stored in the ledger', readWords('The reason'));
}

async function show(
  session: Session,
  merchantId: string,
  { currency }: { currency?: string },
): Promise<Report> {
  const balances = await balancesOf(session, merchantId, 'wallet', currency);
  const wallets = balances.map(({ rail: _, country: __, ...wallet }) => wallet);
  const rows = wallets.map((wallet) => [wallet.currency, wallet.available, wallet.reserved]);
  return {
    json: { merchant_id: merchantId, wallets },
    text:
      wallets.length === 0
        ? 'There is no such wallet yet.'
        : table(['currency', 'available', 'reserved'], rows),
  };
}
