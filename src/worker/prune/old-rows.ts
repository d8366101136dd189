/** Rows that lose their meaning with time, and go whole. */
import { keysKeptDays } from '../../payments/create/idempotency-claims';
import type { Database, Transaction } from '../../store/database';
import { inTransaction } from '../../store/transaction';
import { batch, countBy, type Chore } from './job';
import { eventsKeptDays } from './old-events';

// What was paid under a reference long ago: who pays it now pays something else.

const keptDays = 90;
const isOld = `paid_at < UTC_TIMESTAMP(3) - INTERVAL ${String(keptDays)} DAY`;

/** The first row of a reference goes last: it is what others wait for. Whatever a person is asked about stays. */
const old = `
  FROM paid_references r
  WHERE ${isOld}
    AND NOT EXISTS (SELECT 1 FROM cases c WHERE c.open_key = CONCAT(r.payment_id, ':paid_twice'))
    AND NOT EXISTS (
      SELECT 1 FROM paid_references d JOIN cases c ON c.open_key = CONCAT(d.payment_id, ':paid_twice')
      WHERE d.duplicate_of = r.payment_id)
    AND (r.n > 1 OR NOT EXISTS (
      SELECT 1 FROM paid_references m WHERE m.reference_key = r.reference_key AND m.n > 1))`;

export const oldReferences: Chore = {
  what: 'references that were paid',
  count: (db) => countBy(db, `SELECT COUNT(*) AS n ${old}`, []),
  async takeSome(db) {
    const taken = await inTransaction(db, takeSome);
    return { taken, isMore: taken === batch };
  },
};

/** Found first: neither server deletes from what it reads in the same statement. */
async function takeSome(trx: Transaction): Promise<number> {
  const [rows] = (await trx.raw(
    `SELECT r.payment_id ${old} ORDER BY r.paid_at LIMIT ${String(batch)}`,
  )) as unknown as [{ payment_id: string }[]];
  const ids = rows.map(({ payment_id: id }) => id);
  // Who has paid it again since has made its first row young.
  return trx('paid_references').whereIn('payment_id', ids).whereRaw(isOld).delete();
}

/** A conversion takes a rate of the last hours (see fx/rates.ts) and keeps it with its payment. */
const ratesKeptDays = 30;

/**
 * Nobody is answered by it any more. One whose request runs stays, however old it is; and one whose payment was taken
 * later than itself, by who took the request over, stays until that payment is as old: `verify` tells by the payments
 * alone whether two were taken under one key (P13).
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

const keys: Chore = {
  what: 'Idempotency-Keys',
  count: (db) => countBy(db, `SELECT COUNT(*) AS n ${oldKeys}`, []),
  async takeSome(db) {
    const taken = await remove(db, `DELETE ${oldKeys} ORDER BY created_at LIMIT ${String(batch)}`, []);
    return { taken, isMore: taken === batch };
  },
};

/** Of one pair, all that are old but the newest: it tells since when there is none. */
const oldRates = `
  FROM fx_rates
  WHERE base = ? AND quote = ? AND observed_at < ?
    AND observed_at < UTC_TIMESTAMP(3) - INTERVAL ${String(ratesKeptDays)} DAY`;

interface Pair {
  base: string;
  quote: string;
  newest: Date;
}

/** Each pair's key is a jump in the index. */
async function pairs(db: Database): Promise<[string, string, Date][]> {
  const [rows] = (await db.raw(
    'SELECT base, quote, MAX(observed_at) AS newest FROM fx_rates WHERE observed_at <= UTC_TIMESTAMP(3) GROUP BY base, quote',
  )) as unknown as [Pair[]];
  return rows.map(({ base, quote, newest }) => [base, quote, newest]);
}

const rates: Chore = {
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

/** The wallets themselves keep what was seen last, and what was learnt. */
const proofsKeptDays = 30;
const oldProofs = `
  FROM float_proofs WHERE asked_at < UTC_TIMESTAMP(3) - INTERVAL ${String(proofsKeptDays)} DAY`;

const proofs: Chore = {
  what: 'answers about wallets',
  count: (db) => countBy(db, `SELECT COUNT(*) AS n ${oldProofs}`, []),
  async takeSome(db) {
    const taken = await remove(db, `DELETE ${oldProofs} ORDER BY asked_at LIMIT ${String(batch)}`, []);
    return { taken, isMore: taken === batch };
  },
};

/** Again where it meets who claims the very key, or who else prunes. */
function remove(db: Database, statement: string, bindings: (string | Date)[]): Promise<number> {
  return inTransaction(db, async (trx) => {
    const [{ affectedRows }] = (await trx.raw(statement, bindings)) as unknown as [{ affectedRows: number }];
    return affectedRows;
  });
}

export const rowChores: Chore[] = [keys, rates, oldReferences];
/** Small, and nothing that tells of anybody: after what does. */
export const proofChores: Chore[] = [proofs];

// How tries to tell further endpoints went, and what was to be sent there once more: kept as long as the events are.

function oldRowsOf(table: string, what: string, days: number): Chore {
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

export function endpointChores(bodiesKeptDays: number): Chore[] {
  const days = eventsKeptDays(bodiesKeptDays);
  return [
    oldRowsOf('endpoint_tries', 'tries to tell endpoints', days),
    // What is sent again is over in three days: these are of endpoints that were ended.
    oldRowsOf('endpoint_resends', 'events to be sent again', days),
  ];
}
