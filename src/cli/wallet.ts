import type { Command } from 'commander';
import { oneOf, readWords } from '../operator-actions/read';
import { floatRailChoice, readFloatRail } from '../operator-actions/money';
import { balancesOf, printMoved } from './money';
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
  const wallet = program.command('wallet').description('what merchants were paid and may claim');
  wallet
    .command('show <merchant_id>')
    .description('what is available and what is set aside, per currency')
    .option('--currency <currency>', 'such as KES')
    .action(run(show));
  act(
    withAmount(
      wallet
        .command('adjust <merchant_id>')
        .description('add to a wallet, or with a negative amount take from it'),
    ).option(
      '--against <account>',
      'where it comes from or goes to: bank or suspense',
      readOtherSide,
      'bank',
    ),
    {
      kind: 'wallet.adjust',
      input: (_: Session, merchantId: string, options: AmountOptions & { against: 'bank' | 'suspense' }) => ({
        merchant_id: merchantId,
        ...options,
      }),
      print: printMoved,
    },
  );
  act(
    withAmount(
      wallet.command('transfer <merchant_id>').description("fund a float from the merchant's own wallet"),
    )
      .requiredOption('--to-rail <rail>', floatRailChoice, readFloatRail)
      .option('--country <country>', 'of a momo float, such as KEN'),
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
      print: printMoved,
    },
  );
}

function withAmount(command: Command): Command {
  return command
    .requiredOption('--currency <currency>', 'such as KES')
    .requiredOption('--amount <amount>', 'such as 1000.00')
    .requiredOption('--reason <reason>', 'why, for the ledger', readWords('The reason'));
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
        ? 'Nothing was ever paid into this wallet.'
        : table(['currency', 'available', 'reserved'], rows),
  };
}
