/** Functions that the float and wallet commands share, and the float commands. */
import type { Command } from 'commander';
import { formatAmount } from '../domain/money';
import { getMerchantOrThrow } from '../merchants/merchants';
import { floatRailChoice, readFloatRail, type TransferResult } from '../operator-actions/money';
import { readCurrency, readCountry, readWords } from '../operator-actions/read';
import type { Report, Running } from './report';
import type { Session } from './session';
import { facts, table } from './table';

export function printTransfer(_: Session, { balances, ...moved }: TransferResult): Report {
  return {
    json: { ...moved, balances },
    text: facts([
      ...Object.entries(moved),
      ...Object.entries(balances).map(([name, balance]): [string, string] => [`${name} now`, balance]),
    ]),
  };
}

/** A merchant's accounts of one kind: the available amount, and the reserve of payments in progress. */
export async function balancesOf(
  { context }: Session,
  merchantId: string,
  kind: 'float' | 'wallet',
  currency?: string,
) {
  const { merchant_id: id } = await getMerchantOrThrow(context.db, merchantId);
  const query = context
    .db('ledger_accounts')
    .where({ merchant_id: id })
    .whereIn('class', [kind, `${kind}_reserved`])
    .orderBy('code');
  if (currency !== undefined) void query.where({ currency: readCurrency(currency) });
  const accounts = await query;
  return accounts
    .filter((account) => account.class === kind)
    .map((account) => {
      const reserved = accounts.find(({ code }) => code === account.code.replace(kind, `${kind}_reserved`));
      return {
        rail: account.rail,
        country: account.country,
        currency: account.currency,
        available: formatAmount(BigInt(account.balance ?? 0), account.currency),
        reserved: formatAmount(BigInt(reserved?.balance ?? 0), account.currency),
      };
    });
}

interface FloatOptions {
  rail: string;
  country?: string;
  currency: string;
  amount: string;
  reason: string;
}

const floatTransfer = {
  input: (_: Session, merchantId: string, options: FloatOptions) => ({
    merchant_id: merchantId,
    ...options,
  }),
  print: printTransfer,
};

export function floatCommands(program: Command, { run, act }: Running): void {
  const float = program.command('float').description('floats, which pay the payouts of merchants');
  act(
    withFloat(
      float.command('add <merchant_id>').description('book money that arrived at our bank for a float'),
    ),
    {
      kind: 'float.add',
      ...floatTransfer,
    },
  );
  act(
    withFloat(
      float.command('withdraw <merchant_id>').description('book money that left a float for our bank'),
    ),
    { kind: 'float.withdraw', ...floatTransfer },
  );
  float
    .command('show <merchant_id>')
    .description('show the available and the reserved amount of each float')
    .option('--rail <rail>', floatRailChoice, readFloatRail)
    .option('--country <country>', 'the country of a momo float, such as KEN', readCountry)
    .option('--currency <currency>', 'such as KES')
    .action(run(show));
}

function withFloat(command: Command): Command {
  return command
    .requiredOption('--rail <rail>', floatRailChoice, readFloatRail)
    .option('--country <country>', 'the country of a momo float, such as KEN')
    .requiredOption('--currency <currency>', 'such as KES')
    .requiredOption('--amount <amount>', 'such as 1000.00')
    .requiredOption('--reason <reason>', 'the reason, stored in the ledger', readWords('The reason'));
}

async function show(
  session: Session,
  merchantId: string,
  { rail, country, currency }: Partial<Pick<FloatOptions, 'rail' | 'country' | 'currency'>>,
): Promise<Report> {
  const all = await balancesOf(session, merchantId, 'float', currency);
  const floats = all.filter(
    (float) =>
      (rail === undefined || float.rail === rail) && (country === undefined || float.country === country),
  );
  const rows = floats.map((float) => [
    float.rail ?? '',
    float.country ?? '',
    float.currency,
    float.available,
    float.reserved,
  ]);
  return {
    json: { merchant_id: merchantId, floats },
    text:
      floats.length === 0
        ? 'There is no such float yet.'
        : table(['rail', 'country', 'currency', 'available', 'reserved'], rows),
  };
}
