import type { Command } from 'commander';
import type { Currency } from '../domain/money';
import { listFees } from '../fees/schedules';
import { getMerchantOrThrow } from '../merchants/merchants';
import { readWords } from '../operator-actions/read';
import { shownFee, type ShownFee } from '../operator-actions/terms';
import { feeOperations } from '../store/ledger-tables';
import type { Report, Running } from './report';
import type { Session } from './session';
import { facts, table, clockOf } from './table';

interface Options {
  currency: string;
  fixed?: string;
  perMille?: string;
  min?: string;
  max?: string;
  merchant?: string;
  rail?: string;
  reason: string;
}

export function feeCommands(program: Command, { run, act }: Running): void {
  const fee = program.command('fee').description('fees that merchants pay for their payments');
  act(
    fee
      .command('set <operation>')
      .description(
        `set a fee; it replaces the fee of the same scope; operations: ${feeOperations.join(', ')}`,
      )
      .requiredOption(
        '--currency <currency>',
        'the currency of the wallets or floats that pay the fee, such as KES',
      )
      .option('--fixed <amount>', 'a fixed amount per payment, such as 5.00')
      .option('--per-mille <share>', 'a share of the amount, such as 12.5; 0 alone charges nothing')
      .option('--min <amount>', 'the lowest fee per payment')
      .option('--max <amount>', 'the highest fee per payment')
      .option('--merchant <id>', 'only this merchant; by default every merchant without a fee of its own')
      .option('--rail <rail>', 'only this rail; by default every rail without a fee of its own')
      .requiredOption('--reason <reason>', 'the reason, for later readers', readWords('The reason')),
    {
      kind: 'fee.set',
      input: (_: Session, operation: string, { perMille, min, max, merchant, ...given }: Options) => ({
        ...{ operation, ...given },
        ...(perMille !== undefined && { per_mille: perMille }),
        ...(min !== undefined && { minimum: min }),
        ...(max !== undefined && { maximum: max }),
        ...(merchant !== undefined && { merchant_id: merchant }),
      }),
      print: printFee,
    },
  );
  fee
    .command('list')
    .description('list the fees in force')
    .option('--merchant <id>', 'only fees that may apply to this merchant')
    .option('--ended', 'also show ended fees')
    .action(run(list));
  act(
    fee
      .command('remove <fee_id>')
      .description('end a fee; payments that were created with it keep it')
      .requiredOption('--reason <reason>', 'the reason, for later readers', readWords('The reason')),
    {
      kind: 'fee.remove',
      input: (_: Session, feeId: string, { reason }: { reason: string }) => ({ fee_id: feeId, reason }),
      print: printFee,
    },
  );
}

async function list(
  { context, config }: Session,
  { merchant, ended = false }: { merchant?: string; ended?: boolean },
): Promise<Report> {
  const merchantId =
    merchant === undefined ? undefined : (await getMerchantOrThrow(context.db, merchant)).merchant_id;
  const fees = (await listFees(context.db, { merchantId, ended })).map(shownFee);
  const clock = clockOf(config.timezone);
  const rows = fees.map((fee) => [
    fee.fee_id,
    fee.operation,
    termsOf(fee),
    fee.merchant_id ?? 'each',
    fee.rail ?? 'all',
    clock(fee.from_at),
    ...(ended ? [clock(fee.ended_at)] : []),
  ]);
  const head = ['fee', 'of each', 'how much', 'merchant', 'rail', 'since', ...(ended ? ['until'] : [])];
  return { json: { fees }, text: fees.length === 0 ? 'No fee is set.' : table(head, rows) };
}

/** `5.00 + 12.5 ‰, at least 10.00, at most 300.00 KES` */
function termsOf(fee: {
  fixed: string;
  per_mille: string;
  minimum: string | null;
  maximum: string | null;
  currency: Currency;
}) {
  const { minimum, maximum } = fee;
  const bounds = [minimum !== null && `at least ${minimum}`, maximum !== null && `at most ${maximum}`];
  const reported = bounds.filter((part) => part !== false).join(', ');
  return `${fee.fixed} + ${fee.per_mille} ‰${reported === '' ? '' : `, ${reported}`} ${fee.currency}`;
}

function printFee({ config }: Session, fee: ShownFee): Report {
  const clock = clockOf(config.timezone);
  return {
    json: fee,
    text: facts([
      ['fee', fee.fee_id],
      ['of each', fee.operation],
      ['how much', termsOf(fee)],
      ['merchant', fee.merchant_id ?? 'each'],
      ['rail', fee.rail ?? 'all'],
      ['since', clock(fee.from_at)],
      ['until', clock(fee.ended_at)],
    ]),
  };
}
