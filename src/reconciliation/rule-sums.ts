/** Sums what each rule explained on a day (UTC), and opens a case if it is unusually much. */
import { formatAmount, type Currency } from '../domain/money';
import { openRailCase } from '../controls/cases';
import type { Database, Transaction } from '../store/database';
import { openDayVolumes } from './day-volumes';
import { watchedRules } from './judge';
import { clearingRailOf, type StatementFormat } from './statement';
import { withProviderLock } from './provider-lock';

export interface RuleSum {
  rule: string;
  /** In UTC. */
  day: string;
  currency: Currency;
  count: number;
  /** The sum of the absolute amounts, in minor units. */
  amountMinor: bigint;
}

interface Days {
  from: Date;
  /** Not included. */
  to: Date;
}

const dayMs = 86_400_000;
/** A day is compared with the 30 days before; at least 7 of them must have a sum. */
const daysBefore = 30;
const daysKnownMin = 7;
/** With fewer known days, a rule may explain at most 1/50 of the amounts of the day. */
const shareMax = 50n;

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
const startOf = (at: Date): Date => new Date(`${dayOf(at)}T00:00:00Z`);

/** @param only `watched` for the watched rules. */
export async function sumRules(
  db: Database | Transaction,
  provider: string,
  { from, to }: Days,
  only?: 'watched',
): Promise<RuleSum[]> {
  const query = db('reconciliation_results as r')
    .where('r.provider', provider)
    .whereNotNull('r.rule')
    .where('r.occurred_at', '>=', from)
    .where('r.occurred_at', '<', to)
    .groupByRaw('r.rule, DATE(r.occurred_at), r.currency')
    .orderByRaw('1, 2, 3');
  if (only) void query.where((watched) => watchedRules(watched, 'r.rule'));
  const rows = (await query.select(
    'r.rule',
    db.raw(`DATE_FORMAT(DATE(r.occurred_at), '%Y-%m-%d') AS day`),
    'r.currency',
    db.raw('COUNT(*) AS count'),
    db.raw('CAST(SUM(ABS(r.amount_minor)) AS CHAR) AS minor'),
  )) as unknown as { rule: string; day: string; currency: Currency; count: string; minor: string }[];
  return rows.map(({ rule, day, currency, count, minor }) => ({
    ...{ rule, day, currency, count: Number(count), amountMinor: BigInt(minor) },
  }));
}

/** Opens a case for each rule that explained unusually much on a day: once, and again only if the sum has grown. */
export async function watchRules(db: Database, format: StatementFormat, period: Days): Promise<void> {
  const { provider } = format;
  const [from, to] = [
    startOf(period.from),
    new Date(startOf(new Date(period.to.getTime() - 1)).getTime() + dayMs),
  ];
  await withProviderLock(db, provider, async (trx) => {
    const sums = await sumRules(
      trx,
      provider,
      { from: new Date(from.getTime() - daysBefore * dayMs), to },
      'watched',
    );
    const volumes = openDayVolumes(provider);
    for (const sum of sums.filter(({ day }) => day >= dayOf(from))) {
      const volume = await volumes.ofDay(trx, sum.day, sum.currency);
      const why = tooMuch(sum, sums, volume.dayMinor);
      if (why !== undefined) await ask(trx, format, sum, why);
    }
  });
}

/** @returns why the sum is unusually large; undefined if it is not. */
export function tooMuch(sum: RuleSum, all: readonly RuleSum[], dayMinor: bigint): string | undefined {
  const { rule, currency, day, amountMinor } = sum;
  const first = dayOf(new Date(Date.parse(day) - daysBefore * dayMs));
  const before = all
    .filter((one) => one.rule === rule && one.currency === currency && one.day >= first && one.day < day)
    .map((one) => one.amountMinor)
    .sort((one, other) => (one < other ? -1 : 1));
  const shown = (minor: bigint) => `${formatAmount(minor, currency)} ${currency}`;
  if (before.length < daysKnownMin) {
    if (amountMinor * shareMax <= dayMinor) return undefined;
    return `more than 2 % of the day's ${shown(dayMinor)}`;
  }
  const twice = (before[(before.length - 1) >> 1] ?? 0n) + (before[before.length >> 1] ?? 0n);
  if (amountMinor <= twice) return undefined;
  return `more than ${shown(twice)}, twice the median of the ${String(before.length)} days before`;
}

async function ask(trx: Transaction, format: StatementFormat, sum: RuleSum, why: string): Promise<void> {
  const { rule, currency, day, count, amountMinor } = sum;
  const of = { provider: format.provider, day, rule, currency };
  const asked = await trx('rule_alarms').where(of).forUpdate().first();
  if (asked && BigInt(asked.amount_minor) >= amountMinor) return;
  await trx('rule_alarms')
    .insert({ ...of, amount_minor: String(amountMinor), noted_at: new Date() })
    .onConflict()
    .merge();
  const lines = `${String(count)} ${count === 1 ? 'line' : 'lines'} of ${formatAmount(amountMinor, currency)} ${currency}`;
  const item = `${rule} explained ${lines} on ${day} at ${format.provider}: ${why}`;
  await openRailCase(trx, clearingRailOf(format), 'rule_explains_much', item);
}
