/** The amounts and fees of a day (UTC) at a provider, from all statements that are not withdrawn. */
import { minorUnitDigits } from '../domain/iso-4217';
import type { Currency } from '../domain/money';
import type { Database } from '../store/database';
import type { StatementLineRow } from '../store/tables';
import { ownShare, type DayVolume } from './fee-review';
import { withoutWithdrawn } from './outcomes';

const dayMs = 86_400_000;
const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

const keyOf = ({ occurred_at: at, currency }: Pick<StatementLineRow, 'occurred_at' | 'currency'>) =>
  `${dayOf(at)}:${currency}`;

export type DayVolumes = ReturnType<typeof openDayVolumes>;

/** Reads each day once, for any number of its lines. */
export function openDayVolumes(provider: string) {
  const known = new Map<string, DayVolume>();
  const asked = new Set<string>();
  return {
    /** @param day such as 2026-11-30 */
    async ofDay(db: Database, day: string, currency: Currency): Promise<DayVolume> {
      if (!asked.has(day)) {
        asked.add(day);
        await addDay(db, provider, day, known);
      }
      return known.get(`${day}:${currency}`) ?? { dayMinor: 0n, dayFeesMinor: 0n };
    },
    async of(
      db: Database,
      lines: readonly StatementLineRow[],
    ): Promise<(line: StatementLineRow) => DayVolume> {
      const days = new Set(lines.map(({ occurred_at: at }) => dayOf(at)));
      for (const day of days) {
        if (asked.has(day)) continue;
        asked.add(day);
        await addDay(db, provider, day, known);
      }
      return (line) => known.get(keyOf(line)) ?? { dayMinor: 0n, dayFeesMinor: 0n };
    },
  };
}

/** One whole unit of a line's currency, in minor units. */
const unitOf = `CASE currency ${Object.entries(minorUnitDigits)
  .filter(([, digits]) => digits !== 2)
  .map(([code, digits]) => `WHEN '${code}' THEN ${String(10 ** digits)}`)
  .join(' ')} ELSE 100 END`;

/** The fee of a line. A fee above its own limit is reviewed anyway, so it counts as 0 here. */
const keptOf = `MAX(CASE WHEN kind <> 'fee' AND fee_minor > 0
    AND (fee_minor * ${String(ownShare)} <= ABS(amount_minor) OR (fee_minor <= ${unitOf} AND fee_minor < ABS(amount_minor)))
  THEN fee_minor ELSE 0 END) AS kept_minor`;

/** A line that is in several statements counts once. */
async function addDay(
  db: Database,
  provider: string,
  day: string,
  known: Map<string, DayVolume>,
): Promise<void> {
  const from = new Date(`${day}T00:00:00Z`);
  const once = withoutWithdrawn(db('statement_lines'))
    .where({ provider, state: 'completed' })
    .where('occurred_at', '>=', from)
    .where('occurred_at', '<', new Date(from.getTime() + dayMs))
    .whereIn('kind', ['collection', 'payout', 'refund', 'fee'])
    .groupBy('provider_reference', 'kind', 'currency', 'amount_minor', 'occurred_at')
    .select('kind', 'currency', 'amount_minor', db.raw(keptOf))
    .as('once');
  const rows = (await db
    .from(once)
    .groupBy('currency', 'kind')
    .select(
      ...['currency', 'kind'],
      db.raw('CAST(SUM(ABS(amount_minor)) AS CHAR) AS minor'),
      db.raw('CAST(SUM(kept_minor) AS CHAR) AS kept'),
    )) as unknown as (Pick<StatementLineRow, 'currency' | 'kind'> & { minor: string; kept: string })[];
  for (const { currency, kind, minor, kept } of rows) {
    const key = `${day}:${currency}`;
    const sum = known.get(key) ?? { dayMinor: 0n, dayFeesMinor: 0n };
    if (kind === 'fee') sum.dayFeesMinor += BigInt(minor);
    else sum.dayMinor += BigInt(minor);
    sum.dayFeesMinor += BigInt(kept);
    known.set(key, sum);
  }
}
