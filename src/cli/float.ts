import type { Command } from 'commander';
import { readCountry, readWords } from '../operator-actions/read';
import { readFloatRail } from '../operator-actions/money';
import { balancesOf, printMoved } from './money';
import type { Report, Running } from './report';
import type { Session } from './session';
import { table } from './table';

interface FloatOptions {
  rail: string;
  country?: string;
  currency: string;
  amount: string;
  reason: string;
}

const moving = {
  input: (_: Session, merchantId: string, options: FloatOptions) => ({
    merchant_id: merchantId,
    ...options,
  }),
  print: printMoved,
};

export function floatCommands(program: Command, { run, act }: Running): void {
  const float = program.command('float').description("what merchants' payouts are paid from");
  act(
    withFloat(float.command('add <merchant_id>').description('book money that reached our bank for a float')),
    {
      kind: 'float.add',
      ...moving,
    },
  );
  act(
    withFloat(
      float.command('withdraw <merchant_id>').description('book money that left a float for the bank'),
    ),
    { kind: 'float.withdraw', ...moving },
  );
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
        ? 'No such float was funded yet.'
        : table(['rail', 'country', 'currency', 'available', 'reserved'], rows),
  };
}
