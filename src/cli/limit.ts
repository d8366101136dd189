import type { Command } from 'commander';
import { defaultCurrencies, defaultLimitsOf } from '../controls/default-limits';
import { endLimit, limitKinds, listLimits, setLimit, type Change } from '../controls/limits';
import { formatAmount } from '../domain/money';
import { getMerchantOrThrow } from '../merchants/merchants';
import type { OutflowLimitKind, OutflowLimitRow } from '../store/tables';
import { readFloatRail } from './money';
import { oneOf, readAmount, readCurrency, readDuration, readWholeNumber, readWords } from './parse';
import { Refusal, UsageError } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { facts, table } from './table';
import { ageText, clockOf } from './wall-clock';

const kinds = Object.keys(limitKinds) as OutflowLimitKind[];
const readKind = oneOf(kinds, 'The kind');

/** Far more than anybody waits for, and far less than the column takes. */
const cooldownMaxMs = 366 * 86_400_000;

interface Options {
  currency: string;
  amount?: string;
  cooldown?: number;
  most?: number;
  merchant?: string;
  rail?: string;
  reason: string;
}

export function limitCommands(program: Command, run: Runner): void {
  const limit = program.command('limit').description('what merchants may pay out at most');
  limit
    .command('set <kind>')
    .description(`set a limit in the place of one of the same kind and scope; kinds: ${kinds.join(', ')}`)
    .requiredOption('--currency <currency>', 'of the floats it is about, such as KES')
    .option('--amount <amount>', 'at most, such as 100000.00; with a cooldown, from where it applies')
    .option('--cooldown <duration>', 'such as 24h, of first_payment_cooldown', readDuration)
    .option('--most <number>', 'of new_recipients_per_day', readWholeNumber)
    .option('--merchant <id>', 'of this merchant; else of each merchant by itself')
    .option('--rail <rail>', 'momo or walletpay; else of all rails together', readFloatRail)
    .requiredOption('--reason <reason>', 'why, for those who come later', readWords('The reason'))
    .action(run((session: Session, kind: string, options: Options) => set(session, readKind(kind), options)));
  limit
    .command('list')
    .description('the limits in force')
    .option('--merchant <id>', 'those that bound this merchant')
    .option('--ended', 'those that are over, too')
    .action(run(list));
  limit
    .command('remove <limit_id>')
    .description('end a limit; it is kept, and bounds nothing any more')
    .requiredOption('--reason <reason>', 'why, for those who come later', readWords('The reason'))
    .action(run(remove));
}

async function set(
  session: Session,
  kind: OutflowLimitKind,
  { currency: code, amount, cooldown, most, merchant, rail, reason }: Options,
): Promise<Report> {
  const { db } = session.context;
  const currency = readCurrency(code);
  const given = { amount, cooldown_s: cooldown, most };
  const names = { amount: '--amount', cooldown_s: '--cooldown', most: '--most' } as const;
  const { takes } = limitKinds[kind];
  for (const field of Object.keys(names) as (keyof typeof names)[]) {
    if (takes.includes(field) === (given[field] !== undefined)) continue;
    throw new UsageError(`A limit ${kind} takes ${takes.map((one) => names[one]).join(' and ')}.`);
  }
  if (cooldown !== undefined && cooldown > cooldownMaxMs)
    throw new UsageError('A cooldown is of 366d at the most; from 72h on only an operator ends it.');
  const limit = await setLimit(
    db,
    {
      kind,
      currency,
      reason,
      merchant_id: merchant === undefined ? null : (await getMerchantOrThrow(db, merchant)).merchant_id,
      rail: rail ?? null,
      amount: amount === undefined ? null : readAmount(amount, currency).toString(),
      cooldown_s: cooldown === undefined ? null : Math.ceil(cooldown / 1_000),
      most: most ?? null,
    },
    await changeOf(session),
  );
  return told(session, limit);
}

async function remove(session: Session, limitId: string, { reason }: { reason: string }): Promise<Report> {
  // The column is ASCII, and the database refuses to compare it with more.
  const id = /^[\x21-\x7e]+$/.test(limitId) ? limitId : '';
  const limit = await endLimit(session.context.db, id, { ...(await changeOf(session)), reason });
  if (!limit) throw new Refusal(`No limit ${limitId} is in force; see malipo limit list.`);
  return told(session, limit);
}

async function changeOf({ context, acting }: Session): Promise<Change> {
  return {
    by: acting.by,
    aheadMs: (await context.sandboxAheadMs?.()) ?? 0,
    record: (trx, line) => acting.record(trx, { ...line, needs: { kind: 'limits' } }),
  };
}

async function list(
  session: Session,
  { merchant, ended = false }: { merchant?: string; ended?: boolean },
): Promise<Report> {
  const { context, config } = session;
  const merchantId =
    merchant === undefined ? undefined : (await getMerchantOrThrow(context.db, merchant)).merchant_id;
  const limits = (await listLimits(context.db, { merchantId, ended })).map(shown);
  const clock = clockOf(config.timezone);
  const defaults = context.outflowDefaults === true ? defaultsShown() : [];
  const rows = limits.map((limit) => [
    limit.limit_id,
    limit.kind,
    boundOf(limit),
    limit.merchant_id ?? 'each',
    limit.rail ?? 'all',
    clock(limit.from_at),
    ...(ended ? [clock(limit.ended_at)] : []),
  ]);
  const head = ['limit', 'kind', 'at most', 'merchant', 'rail', 'since', ...(ended ? ['until'] : [])];
  const text = [
    limits.length === 0 ? 'No limit is set.' : table(head, rows),
    ...(defaults.length === 0
      ? []
      : [
          'Where none of a kind is set, by default:',
          table(
            ['currency', ...new Set(defaults.map(({ kind }) => kind))],
            [...new Set(defaults.map(({ currency }) => currency))].map((currency) => [
              currency,
              ...defaults.filter((one) => one.currency === currency).map(({ amount }) => amount),
            ]),
          ),
        ]),
  ];
  return { json: { limits, defaults }, text: text.join('\n\n') };
}

function defaultsShown() {
  return defaultCurrencies.flatMap(defaultLimitsOf).map(({ kind, currency, amountMinor }) => {
    return { kind, currency, amount: formatAmount(amountMinor, currency) };
  });
}

function shown({ cooldown_s, amount, ...limit }: OutflowLimitRow) {
  return {
    ...limit,
    amount: amount === null ? null : formatAmount(BigInt(amount), limit.currency),
    cooldown_seconds: cooldown_s,
  };
}

/** `500.00 KES`, `500.00 KES, then 24 h 0 min`, `20`. */
function boundOf({ amount, cooldown_seconds, most, currency }: ReturnType<typeof shown>): string {
  if (most !== null) return String(most);
  const bound = `${amount ?? ''} ${currency}`;
  return cooldown_seconds === null ? bound : `${bound}, then ${ageText(cooldown_seconds * 1_000)}`;
}

function told({ config }: Session, row: OutflowLimitRow): Report {
  const limit = shown(row);
  const clock = clockOf(config.timezone);
  return {
    json: limit,
    text: facts([
      ['limit', limit.limit_id],
      ['kind', limit.kind],
      ['at most', boundOf(limit)],
      ['merchant', limit.merchant_id ?? 'each'],
      ['rail', limit.rail ?? 'all'],
      ['since', clock(limit.from_at)],
      ['until', clock(limit.ended_at)],
    ]),
  };
}
