import type { Command } from 'commander';
import { defaultCurrencies, defaultLimitsOf } from '../controls/default-limits';
import { limitKinds, listLimits } from '../controls/limits';
import { formatAmount } from '../domain/money';
import { getMerchantOrThrow } from '../merchants/merchants';
import { readWholeNumber, readWords } from '../operator-actions/read';
import { floatRailChoice, readFloatRail } from '../operator-actions/money';
import { shownLimit, type ShownLimit } from '../operator-actions/terms';
import { readDuration } from './parse';
import type { Report, Running } from './report';
import type { Session } from './session';
import { facts, table, ageText, clockOf } from './table';

interface Options {
  currency: string;
  amount?: string;
  cooldown?: number;
  most?: number;
  merchant?: string;
  rail?: string;
  reason: string;
}

export function limitCommands(program: Command, { run, act }: Running): void {
  const limit = program.command('limit').description('limits on the payouts of merchants');
  act(
    limit
      .command('set <kind>')
      .description(
        `set a limit; it replaces the limit of the same kind and scope; kinds: ${Object.keys(limitKinds).join(', ')}`,
      )
      .requiredOption('--currency <currency>', 'the currency of the floats, such as KES')
      .option(
        '--amount <amount>',
        'the highest amount, such as 100000.00; with a cooldown, the lowest amount that it applies to',
      )
      .option('--cooldown <duration>', 'for first_payment_cooldown, such as 24h', readDuration)
      .option('--most <number>', 'for new_recipients_per_day', readWholeNumber)
      .option('--merchant <id>', 'only this merchant; by default each merchant by itself')
      .option('--rail <rail>', `${floatRailChoice}; by default all rails together`, readFloatRail)
      .requiredOption('--reason <reason>', 'the reason, for later readers', readWords('The reason')),
    {
      kind: 'limit.set',
      input: (_: Session, kind: string, { merchant, cooldown, ...given }: Options) => ({
        ...{ kind, ...given },
        ...(merchant !== undefined && { merchant_id: merchant }),
        ...(cooldown !== undefined && { cooldown_s: Math.ceil(cooldown / 1_000) }),
      }),
      print: printLimit,
    },
  );
  limit
    .command('list')
    .description('list the limits in force')
    .option('--merchant <id>', 'only limits that apply to this merchant')
    .option('--ended', 'also show ended limits')
    .action(run(list));
  act(
    limit
      .command('remove <limit_id>')
      .description('end a limit; its row stays, for the history')
      .requiredOption('--reason <reason>', 'the reason, for later readers', readWords('The reason')),
    {
      kind: 'limit.remove',
      input: (_: Session, limitId: string, { reason }: { reason: string }) => ({ limit_id: limitId, reason }),
      print: printLimit,
    },
  );
}

async function list(
  session: Session,
  { merchant, ended = false }: { merchant?: string; ended?: boolean },
): Promise<Report> {
  const { context, config } = session;
  const merchantId =
    merchant === undefined ? undefined : (await getMerchantOrThrow(context.db, merchant)).merchant_id;
  const limits = (await listLimits(context.db, { merchantId, ended })).map(shownLimit);
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
          'Defaults, for kinds without a limit:',
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

/** `500.00 KES`, `500.00 KES, then 24 h 0 min`, `20`. */
function boundOf({ amount, cooldown_seconds, most, currency }: ShownLimit): string {
  if (most !== null) return String(most);
  const bound = `${amount ?? ''} ${currency}`;
  return cooldown_seconds === null ? bound : `${bound}, then ${ageText(cooldown_seconds * 1_000)}`;
}

function printLimit({ config }: Session, limit: ShownLimit): Report {
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
