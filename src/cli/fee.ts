import type { Command } from 'commander';
import { formatAmount, type Currency } from '../domain/money';
import type { PaymentKind } from '../domain/payment';
import { endFee, listFees, setFee, type Change } from '../fees/schedules';
import { getMerchantOrThrow } from '../merchants/merchants';
import { feeOperations } from '../store/fee-tables';
import type { FeeOperation, FeeScheduleRow } from '../store/tables';
import { oneOf, readAmount, readCurrency, readWords } from './parse';
import { Refusal, UsageError } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { facts, table } from './table';
import { clockOf } from './wall-clock';

const readOperation = oneOf(feeOperations, 'The operation');
const kindOf: Record<FeeOperation, PaymentKind> = { collection: 'deposit', payout: 'payout' };

interface Options {
  currency: string;
  fixed?: string;
  perMille?: number;
  min?: string;
  max?: string;
  merchant?: string;
  rail?: string;
  reason: string;
}

export function feeCommands(program: Command, run: Runner): void {
  const fee = program.command('fee').description('what merchants are charged for their payments');
  fee
    .command('set <operation>')
    .description(
      `set a fee in the place of the one of the same scope; operations: ${feeOperations.join(', ')}`,
    )
    .requiredOption('--currency <currency>', 'of the wallets or floats it is taken from, such as KES')
    .option('--fixed <amount>', 'in every payment, such as 5.00')
    .option('--per-mille <share>', 'of the amount, such as 12.5; 0 alone charges nothing', readPerMille)
    .option('--min <amount>', 'at least')
    .option('--max <amount>', 'at most')
    .option('--merchant <id>', 'of this merchant; else of every merchant that has none of its own')
    .option('--rail <rail>', 'of this rail; else of every rail that has none of its own')
    .requiredOption('--reason <reason>', 'why, for those who come later', readWords('The reason'))
    .action(
      run((session: Session, operation: string, options: Options) =>
        set(session, readOperation(operation), options),
      ),
    );
  fee
    .command('list')
    .description('the fees in force')
    .option('--merchant <id>', 'those that this merchant may have to pay')
    .option('--ended', 'those that are over, too')
    .action(run(list));
  fee
    .command('remove <fee_id>')
    .description('end a fee; what was accepted with it keeps it')
    .requiredOption('--reason <reason>', 'why, for those who come later', readWords('The reason'))
    .action(run(remove));
}

/** `12.5` → 12500 millionths. */
function readPerMille(text: string): number {
  const [, whole = '', decimals = ''] = /^(\d{1,4})(?:\.(\d{1,3}))?$/.exec(text) ?? [];
  const millionths = Number(whole) * 1_000 + Number(decimals.padEnd(3, '0'));
  if (whole !== '' && millionths <= 1_000_000) return millionths;
  throw new UsageError(`"${text}" is no share from 0 to 1000 per mille; write it like 12.5.`);
}

async function set(session: Session, operation: FeeOperation, options: Options): Promise<Report> {
  const { db } = session.context;
  const { fixed, perMille, min, max, merchant, rail, reason } = options;
  if (fixed === undefined && perMille === undefined)
    throw new UsageError('A fee takes --fixed, --per-mille or both; --per-mille 0 charges nothing.');
  const currency = readCurrency(options.currency);
  const minor = (text: string | undefined) =>
    text === undefined ? null : readAmount(text, currency).toString();
  const [minimum, maximum] = [minor(min), minor(max)];
  if (minimum !== null && maximum !== null && BigInt(minimum) > BigInt(maximum))
    throw new UsageError('--min must not be more than --max.');
  const fee = await setFee(
    db,
    {
      operation,
      currency,
      reason,
      merchant_id: merchant === undefined ? null : (await getMerchantOrThrow(db, merchant)).merchant_id,
      rail: rail === undefined ? null : readRail(session, operation, rail),
      fixed: minor(fixed) ?? '0',
      per_million: perMille ?? 0,
      minimum,
      maximum,
    },
    changeOf(session),
  );
  return told(session, fee);
}

/** A rail that has such payments. */
function readRail({ context }: Session, operation: FeeOperation, name: string): string {
  const rails = context.rails.all.filter(({ operations }) => operations[kindOf[operation]] !== undefined);
  return oneOf(
    rails.map((rail) => rail.name),
    `The rail of a ${operation}`,
  )(name);
}

async function remove(session: Session, feeId: string, { reason }: { reason: string }): Promise<Report> {
  // The column is ASCII, and the database refuses to compare it with more.
  const id = /^[\x21-\x7e]+$/.test(feeId) ? feeId : '';
  const fee = await endFee(session.context.db, id, { ...changeOf(session), reason });
  if (!fee) throw new Refusal(`No fee ${feeId} is in force; see malipo fee list.`);
  return told(session, fee);
}

/** A second operator is needed where one is for limits: both are terms with a merchant. */
function changeOf({ acting }: Session): Change {
  return {
    by: acting.by,
    record: (trx, line) => acting.record(trx, { ...line, needs: { kind: 'limits' } }),
  };
}

async function list(
  { context, config }: Session,
  { merchant, ended = false }: { merchant?: string; ended?: boolean },
): Promise<Report> {
  const merchantId =
    merchant === undefined ? undefined : (await getMerchantOrThrow(context.db, merchant)).merchant_id;
  const fees = (await listFees(context.db, { merchantId, ended })).map(shown);
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

function shown({ per_million, open_key: _, ...fee }: FeeScheduleRow) {
  const amount = (minor: string | null) =>
    minor === null ? null : formatAmount(BigInt(minor), fee.currency);
  return {
    ...fee,
    fixed: formatAmount(BigInt(fee.fixed), fee.currency),
    per_mille: String(per_million / 1_000),
    minimum: amount(fee.minimum),
    maximum: amount(fee.maximum),
  };
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
  const told = bounds.filter((part) => part !== false).join(', ');
  return `${fee.fixed} + ${fee.per_mille} ‰${told === '' ? '' : `, ${told}`} ${fee.currency}`;
}

function told({ config }: Session, row: FeeScheduleRow): Report {
  const fee = shown(row);
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
