/** Deletes whole rows that expire. */
import { keysKeptDays } from '../../payments/create/idempotency-claims';
import type { Database, Transaction } from '../../store/database';
import { inTransaction } from '../../store/transaction';
import { batch, countBy, type PruneJob } from './job';
import { eventsKeptDays } from './old-events';

// References paid long ago: a new payment with the same reference is for something else.

const keptDays = 90;
const isOld = `paid_at < UTC_TIMESTAMP(3) - INTERVAL ${String(keptDays)} DAY`;

/** The first row of a reference is deleted last, because the others refer to it. Rows with an open case stay. */
const old = `
  FROM paid_references r
  WHERE ${isOld}
    AND NOT EXISTS (SELECT 1 FROM cases c WHERE c.open_key = CONCAT(r.payment_id, ':duplicate_payment'))
    AND NOT EXISTS (
      SELECT 1 FROM paid_references d JOIN cases c ON c.open_key = CONCAT(d.payment_id, ':duplicate_payment')
      WHERE d.duplicate_of = r.payment_id)
    AND (r.n > 1 OR NOT EXISTS (
      SELECT 1 FROM paid_references m WHERE m.reference_key = r.reference_key AND m.n > 1))`;

export const oldReferences: PruneJob = {
  what: 'paid references',
  count: (db) => countBy(db, `SELECT COUNT(*) AS n ${old}`, []),
  async takeSome(db) {
    const taken = await inTransaction(db, takeSome);
    return { taken, isMore: taken === batch };
  },
};

/** Selected first: neither server deletes from a table that the same statement reads. */
async function takeSome(trx: Transaction): Promise<number> {
  const [rows] = (await trx.raw(
    `SELECT r.payment_id ${old} ORDER BY r.paid_at LIMIT ${String(batch)}`,
  )) as unknown as [{ payment_id: string }[]];
  const ids = rows.map(({ payment_id: id }) => id);
  // Another payment since then has renewed the first row.
  return trx('paid_references').whereIn('payment_id', ids).whereRaw(isOld).delete();
}

/** A conversion uses a rate of the last hours (fx/rates.ts) and stores it with its payment. */
const ratesKeptDays = 30;

/**
 * Keys that answer no request any more. A key whose request still runs stays, whatever its age. So does a key whose
 * payment is younger than itself, because another request took it over: `verify` detects two payments of one key by the
 * payments alone (P13).
 */
const oldKeys = `
  FROM idempotency_keys
  WHERE created_at < UTC_TIMESTAMP(3) - INTERVAL ${String(keysKeptDays)} DAY
    AND (state = 'answered' OR process_id IS NULL OR NOT EXISTS (
      SELECT 1 FROM processes r
      WHERE r.process_id = idempotency_keys.process_id AND r.seen_at > UTC_TIMESTAMP(3) - INTERVAL 1 HOUR))
    AND NOT EXISTS (
      SELECT 1 FROM payments p
      WHERE p.payment_id = idempotency_keys.payment_id
        AND p.created_at >= UTC_TIMESTAMP(3) - INTERVAL ${String(keysKeptDays)} DAY)
    AND NOT EXISTS (
      SELECT 1 FROM vouchers v
      WHERE v.voucher_id = idempotency_keys.payment_id
        AND v.created_at >= UTC_TIMESTAMP(3) - INTERVAL ${String(keysKeptDays)} DAY)`;

const keys: PruneJob = {
  what: 'Idempotency-Keys',
  count: (db) => countBy(db, `SELECT COUNT(*) AS n ${oldKeys}`, []),
  async takeSome(db) {
    const taken = await remove(db, `DELETE ${oldKeys} ORDER BY created_at LIMIT ${String(batch)}`, []);
    return { taken, isMore: taken === batch };
  },
};

/** Of each pair, all old rates except the newest: it shows since when none has come. */
const oldRates = `
  FROM fx_rates
  WHERE base = ? AND quote = ? AND observed_at < ?
    AND observed_at < UTC_TIMESTAMP(3) - INTERVAL ${String(ratesKeptDays)} DAY`;

interface Pair {
  base: string;
  quote: string;
  newest: Date;
}

/** One index lookup finds each pair's key. */
async function pairs(db: Database): Promise<[string, string, Date][]> {
  const [rows] = (await db.raw(
    'SELECT base, quote, MAX(observed_at) AS newest FROM fx_rates WHERE observed_at <= UTC_TIMESTAMP(3) GROUP BY base, quote',
  )) as unknown as [Pair[]];
  return rows.map(({ base, quote, newest }) => [base, quote, newest]);
}

const rates: PruneJob = {
  what: 'exchange rates',
  async count(db) {
    let n = 0;
    for (const pair of await pairs(db)) n += await countBy(db, `SELECT COUNT(*) AS n ${oldRates}`, pair);
    return n;
  },
  async takeSome(db) {
    let taken = 0;
    for (const pair of await pairs(db)) {
      taken += await remove(
        db,
        `DELETE ${oldRates} ORDER BY observed_at LIMIT ${String(batch - taken)}`,
        pair,
      );
      if (taken === batch) break;
    }
    return { taken, isMore: taken === batch };
  },
};

/** The wallets themselves store the last balance, and what the checks derived. */
const floatChecksKeptDays = 30;
const oldFloatChecks = `
  FROM float_checks WHERE asked_at < UTC_TIMESTAMP(3) - INTERVAL ${String(floatChecksKeptDays)} DAY`;

const floatCheckRows: PruneJob = {
  what: 'float checks',
  count: (db) => countBy(db, `SELECT COUNT(*) AS n ${oldFloatChecks}`, []),
  async takeSome(db) {
    const taken = await remove(db, `DELETE ${oldFloatChecks} ORDER BY asked_at LIMIT ${String(batch)}`, []);
    return { taken, isMore: taken === batch };
  },
};

/** Retries if it meets a request with the same key, or another run. */
function remove(db: Database, statement: string, bindings: (string | Date)[]): Promise<number> {
  return inTransaction(db, async (trx) => {
    const [{ affectedRows }] = (await trx.raw(statement, bindings)) as unknown as [{ affectedRows: number }];
    return affectedRows;
  });
}

export const rowJobs: PruneJob[] = [keys, rates, oldReferences];
/** Small, and without personal data: after the rows that have some. */
export const floatCheckJobs: PruneJob[] = [floatCheckRows];

// Attempts to deliver to endpoints, and requested resends: stored as long as the events.

function oldRowsOf(table: string, what: string, days: number): PruneJob {
  const old = `FROM ${table} WHERE created_at < UTC_TIMESTAMP(3) - INTERVAL ${String(days)} DAY`;
  return {
    what,
    count: (db) => countBy(db, `SELECT COUNT(*) AS n ${old}`, []),
    async takeSome(db) {
      const statement = `DELETE ${old} ORDER BY created_at LIMIT ${String(batch)}`;
      const [{ affectedRows: taken }] = (await db.raw(statement)) as unknown as [{ affectedRows: number }];
      return { taken, isMore: taken === batch };
    },
  };
}

export function endpointJobs(bodiesKeptDays: number): PruneJob[] {
  const days = eventsKeptDays(bodiesKeptDays);
  return [
    oldRowsOf('endpoint_tries', 'delivery attempts to endpoints', days),
    // A resend ends within three days. These rows are of deleted endpoints.
    oldRowsOf('endpoint_resends', 'events to resend', days),
  ];
}
