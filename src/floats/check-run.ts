/**
 * The float check: every ten minutes it compares the balances at each provider with our books. All providers are queried at the
 * same time, so a slow one does not delay the others.
 */
import { v7 as uuid } from 'uuid';
import type { Environment } from '../config';
import type { FloatCheck } from '../domain/recurring-jobs';
import type { PaymentsContext } from '../rail-kit/context';
import type { AskableWallets } from '../rail-kit/provider-wallets';
import type { Database, Transaction } from '../store/database';
import type { FloatRoundRow } from '../store/control-tables';
import { inTransaction } from '../store/transaction';
import { inWallets, lastOldPosting, turnoverBetween } from './books';
import { checkProvider, type WalletCheck } from './query-providers';

/** How many postings one step sums, in a few seconds. After days without a worker each step is stored. */
const countAtOnceMax = 500_000n;

type Asking = Pick<PaymentsContext, 'db' | 'rails' | 'log'>;

export interface CheckRunOptions {
  environment: Environment;
  /** How many postings one step sums. */
  countAtOnce?: bigint;
  /** Cancels the run and releases the lease. */
  signal?: AbortSignal;
}

/** @returns the results; undefined if another worker has the lease, or if the signal is aborted. */
export async function checkAllFloats(
  { db, rails, log }: Asking,
  { environment, countAtOnce = countAtOnceMax, signal }: CheckRunOptions,
): Promise<WalletCheck[] | undefined> {
  const turn = await takeLease(db);
  if (!turn) return undefined;
  try {
    const askable = rails.all.flatMap(({ wallets }) => (wallets && 'ask' in wallets ? [wallets] : []));
    await countUp(db, askable, { turn, countAtOnce });
    const proofs = await Promise.all(
      askable.map((wallets) =>
        checkProvider(db, wallets, { turn, environment, signal }).catch((error: unknown) => {
          log.warn('the balances of a provider could not be checked', { provider: wallets.provider, error });
          return [];
        }),
      ),
    );
    if (signal?.aborted) {
      await turn.giveUp();
      return undefined;
    }
    const all = proofs.flat();
    const differing = all.filter(({ verdict }) => verdict === 'short' || verdict === 'over');
    for (const { provider, country, currency, verdict, gap_minor: gap } of differing)
      log.warn('a wallet differs from our books', { provider, country, currency, verdict, gap_minor: gap });
    await turn.end();
    return all;
  } catch (error) {
    await turn.giveUp().catch(() => undefined);
    throw error;
  }
}

/**
 * Sums old postings once, so that each run only reads those of the last hour. For a provider without an account for some time, it
 * continues from the last sum.
 */
async function countUp(
  db: Database,
  providers: readonly AskableWallets[],
  { turn, countAtOnce }: { turn: CheckLease; countAtOnce: bigint },
): Promise<void> {
  const before = await turn.round(db);
  const upTo = await lastOldPosting(db, before.counted_seq);
  for (const wallets of providers) {
    let counted = await countedOf(db, wallets);
    while (counted !== undefined && BigInt(counted) < BigInt(upTo)) {
      const step = BigInt(counted) + countAtOnce;
      const to = step < BigInt(upTo) ? step.toString() : upTo;
      await countStep(db, wallets, { turn, counted, to });
      counted = to;
    }
  }
  await inTransaction(db, async (trx) => {
    if (await turn.hold(trx)) await trx('float_check_runs').where({ id: 1 }).update({ counted_seq: upTo });
  });
}

/** Undefined if the provider has not reported a wallet yet. */
async function countedOf(db: Database, { provider }: AskableWallets): Promise<string | undefined> {
  return (await db('float_wallets').where({ provider }).first('counted_seq'))?.counted_seq;
}

/** @throws an Error if another worker has the lease by now. */
async function countStep(
  db: Database,
  wallets: AskableWallets,
  { turn, counted, to }: { turn: CheckLease; counted: string; to: string },
): Promise<void> {
  const { provider } = wallets;
  const moved = await turnoverBetween(db, wallets, counted, to);
  await inTransaction(db, async (trx) => {
    if (!(await turn.hold(trx))) throw new Error('another worker has the lease now');
    const rows = await trx('float_wallets').where({ provider, counted_seq: counted }).forUpdate();
    for (const [row, { net, turnover, unplaced }] of inWallets(rows, moved)) {
      await trx('float_wallets')
        .where({ provider, country: row.country, currency: row.currency })
        .update({
          counted_seq: to,
          counted_minor: (BigInt(row.counted_minor) + net).toString(),
          turnover_minor: (BigInt(row.turnover_minor) + turnover).toString(),
          unplaced_minor: (BigInt(row.unplaced_minor) + unplaced).toString(),
        });
    }
  });
}

/** The recurring job: see src/worker/schedules.ts. */
export async function checkFloats(
  context: Asking,
  options: CheckRunOptions,
): Promise<FloatCheck | undefined> {
  const proofs = await checkAllFloats(context, options);
  return (
    proofs && {
      isDoubted: proofs.some(({ isDoubted }) => isDoubted),
      balances: proofs.map(({ provider, country, currency, verdict, gap_minor: gap }) => ({
        ...{ provider, country, currency, verdict },
        differsByMinor: gap,
      })),
    }
  );
}

// Only one of many workers queries the providers: it takes a lease in the database, for longer than a run takes.

/** A run waits 20 seconds for the slowest provider. A worker with an older lease is dead, or can no longer write. */
const leaseSeconds = 120;

export interface CheckLease {
  /** The current row. */
  round(db: Database): Promise<FloatRoundRow>;
  /** Locks the row and extends the lease. @returns undefined if another worker has the lease by now. */
  hold(trx: Transaction): Promise<FloatRoundRow | undefined>;
  end(): Promise<void>;
  /** Releases the lease for the next worker. */
  giveUp(): Promise<void>;
}

/** @returns undefined if another worker has the lease. */
export async function takeLease(db: Database): Promise<CheckLease | undefined> {
  const me = uuid();
  const mine = () => db('float_check_runs').where({ id: 1, leased_by: me });
  const leasedUntil = db.raw<Date>(`UTC_TIMESTAMP(3) + INTERVAL ${String(leaseSeconds)} SECOND`);
  const claimed = await db('float_check_runs')
    .where({ id: 1 })
    .whereRaw('(leased_until IS NULL OR leased_until < UTC_TIMESTAMP(3))')
    .update({
      leased_by: me,
      leased_until: leasedUntil,
    });
  if (claimed === 0) return undefined;
  const over = { leased_by: null, leased_until: null };
  return {
    async round(handle) {
      const row = await handle('float_check_runs').where({ id: 1 }).first();
      if (!row) throw new Error('the row of the float check is missing');
      return row;
    },
    async hold(trx) {
      const own = trx('float_check_runs').where({ id: 1, leased_by: me });
      return (await own.clone().update({ leased_until: leasedUntil })) === 1
        ? own.clone().first()
        : undefined;
    },
    async end() {
      await mine().update({ ...over, finished_at: db.raw<Date>('UTC_TIMESTAMP(3)') });
    },
    async giveUp() {
      await mine().update(over);
    },
  };
}
