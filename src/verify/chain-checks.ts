import { checkChain } from '../ledger/check-chain';
import { lastLink } from '../ledger/chain';
import { clockOf, firstDay } from '../ledger/seal-days';
import { dayAfter, dayBefore, utcDay } from '../ledger/utc-days';
import type { Transaction } from '../store/database';
import { rowsOf, type Check, type Snapshot, type Violation } from './check';

/** A day is sealed a few hours after it is over; a worker may be down for a while. */
const unsealedMaxDays = 2;
const migration = '035-ledger-links';

/** The seals of the ledger's days: what they were made of is there still, and as it was. */
export const chainChecks: Check[] = [
  {
    id: 'L9',
    promise: 'each day that is over is sealed, by its postings and by the seal of the day before',
    async find(snapshot) {
      const since = await firstToRecompute(snapshot);
      const faults = await checkChain(snapshot.trx, ({ n }) => BigInt(n) >= since);
      return [
        ...faults.map(({ day, detail }) => ({ id: `day ${day}`, detail })),
        ...(await unsealed(snapshot.trx)),
      ];
    },
  },
];

/** The first link that no run has proved, and the last one in any case, which no other follows yet. */
async function firstToRecompute({ trx, scope }: Snapshot): Promise<bigint> {
  const [row] = await rowsOf<{ n: string | number | null }>(
    trx,
    `SELECT COALESCE((SELECT MIN(n) FROM ledger_links WHERE ${scope.begun('sealed_at')}),
                     (SELECT MAX(n) FROM ledger_links)) AS n`,
  );
  return BigInt(row?.n ?? 0);
}

async function unsealed(trx: Transaction): Promise<Violation[]> {
  const first = await firstDay(trx);
  if (first === undefined) return [];
  const last = await lastLink(trx);
  // While the days of before are caught up with, however many, none is late; before the first posting there is none.
  const since = [last?.day ?? dayBefore(first), await dayOfMigration(trx)].sort().at(-1) ?? first;
  let overdueFrom = since;
  for (let days = 0; days <= unsealedMaxDays; days += 1) overdueFrom = dayAfter(overdueFrom);
  if (overdueFrom >= utcDay(await clockOf(trx))) return [];
  return [{ id: `day ${dayAfter(since)}`, detail: 'is over and not sealed: malipo ledger seal' }];
}

/** Nothing was sealed before, however old it is. */
async function dayOfMigration(trx: Transaction): Promise<string> {
  const [row] = await rowsOf<{ at: Date }>(
    trx,
    `SELECT migration_time AS at FROM knex_migrations WHERE name = ?`,
    [migration],
  );
  return utcDay(row?.at ?? new Date());
}
