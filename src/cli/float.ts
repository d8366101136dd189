import type { Command } from 'commander';
import {
  amountOf,
  balancesOf,
  floatKey,
  moveMoney,
  readFloatRail,
  type AmountOptions,
  type FloatOptions,
} from './money';
import { readCountry, readWords } from './parse';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { table } from './table';

export function floatCommands(program: Command, run: Runner): void {
  const float = program.command('float').description("what merchants' payouts are paid from");
  withFloat(
    float.command('add <merchant_id>').description('book money that reached our bank for a float'),
  ).action(run(add));
  withFloat(
    float.command('withdraw <merchant_id>').description('book money that left a float for the bank'),
  ).action(run(withdraw));
  float
    .command('show <merchant_id>')
    .description('what is available and what is set aside, per float')
    .option('--rail <rail>', 'momo or walletpay', readFloatRail)
    .option('--country <country>', 'of a momo float, such as KEN', readCountry)
    .option('--currency <currency>', 'such as KES')
    .action(run(show));
}

function withFloat(command: Command): Command {
  return command
    .requiredOption('--rail <rail>', 'momo or walletpay', readFloatRail)
    .option('--country <country>', 'of a momo float, such as KEN')
    .requiredOption('--currency <currency>', 'such as KES')
    .requiredOption('--amount <amount>', 'such as 1000.00')
    .requiredOption('--reason <reason>', 'why, for the ledger', readWords('The reason'));
}

function add(session: Session, merchantId: string, options: FloatOptions & AmountOptions): Promise<Report> {
  const { amountMinor, currency } = amountOf(options);
  return moveMoney(session, merchantId, (id) => ({
    from: { class: 'bank', currency },
    to: floatKey(id, options),
    amountMinor,
    reason: options.reason,
  }));
}

function withdraw(
  session: Session,
  merchantId: string,
  options: FloatOptions & AmountOptions,
): Promise<Report> {
  const { amountMinor, currency } = amountOf(options);
  return moveMoney(session, merchantId, (id) => ({
    from: floatKey(id, options),
    to: { class: 'bank', currency },
    amountMinor,
    reason: options.reason,
  }));
}

async function show(
  session: Session,
  merchantId: string,
  { rail, country, currency }: Partial<FloatOptions>,
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
        ? 'No such float was funded yet.'
        : table(['rail', 'country', 'currency', 'available', 'reserved'], rows),
  };
}
