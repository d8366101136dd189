import type { Command } from 'commander';
import type { AccountKey } from '../ledger/accounts';
import {
  amountOf,
  balancesOf,
  floatKey,
  moveMoney,
  readFloatRail,
  type AmountOptions,
  type FloatOptions,
} from './money';
import { oneOf, readCurrency, readSignedAmount, readWords } from './parse';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { table } from './table';

const readOtherSide = oneOf(['bank', 'suspense'] as const, 'The other side');

export function walletCommands(program: Command, run: Runner): void {
  const wallet = program.command('wallet').description('what merchants were paid and may claim');
  wallet
    .command('show <merchant_id>')
    .description('what is available and what is set aside, per currency')
    .option('--currency <currency>', 'such as KES')
    .action(run(show));
  withAmount(
    wallet
      .command('adjust <merchant_id>')
      .description('add to a wallet, or with a negative amount take from it'),
  )
    .option('--against <account>', 'where it comes from or goes to: bank or suspense', readOtherSide, 'bank')
    .action(run(adjust));
  withAmount(
    wallet.command('transfer <merchant_id>').description("fund a float from the merchant's own wallet"),
  )
    .requiredOption('--to-rail <rail>', 'momo or walletpay', readFloatRail)
    .option('--country <country>', 'of a momo float, such as KEN')
    .action(run(transferToFloat));
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

function adjust(
  session: Session,
  merchantId: string,
  { amount, reason, against, ...options }: AmountOptions & { against: 'bank' | 'suspense' },
): Promise<Report> {
  const currency = readCurrency(options.currency);
  const signed = readSignedAmount(amount, currency);
  const other: AccountKey = { class: against, currency };
  return moveMoney(session, merchantId, (id) => {
    const wallet: AccountKey = { class: 'wallet', merchantId: id, currency };
    return signed > 0n
      ? { from: other, to: wallet, amountMinor: signed, reason }
      : { from: wallet, to: other, amountMinor: -signed, reason };
  });
}

function transferToFloat(
  session: Session,
  merchantId: string,
  { toRail, country, ...options }: AmountOptions & { toRail: FloatOptions['rail']; country?: string },
): Promise<Report> {
  const { amountMinor, currency } = amountOf(options);
  return moveMoney(session, merchantId, (id) => ({
    from: { class: 'wallet', merchantId: id, currency },
    to: floatKey(id, { rail: toRail, currency, ...(country === undefined ? {} : { country }) }),
    amountMinor,
    reason: options.reason,
  }));
}
