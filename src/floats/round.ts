/**
 * The float proof: what each provider says that it keeps for us, beside what our books say, every ten minutes. All are
 * asked at once, so that none that hangs holds up another.
 */
import { v7 as uuid } from 'uuid';
import type { Environment } from '../config';
import type { FloatCheck } from '../domain/recurring-jobs';
import type { PaymentsContext } from '../rail-kit/context';
import type { AskableWallets } from '../rail-kit/provider-wallets';
import type { Database, Transaction } from '../store/database';
import type { FloatRoundRow } from '../store/control-tables';
import { inTransaction } from '../store/transaction';
import { inWallets, lastOldPosting, movedBetween } from './books';
import { proveProvider, type Proof } from './ask-providers';

/** Postings that are added up in seconds: after days without a worker, what was added up is kept step by step. */
const countAtOnceMax = 500_000n;

type Asking = Pick<PaymentsContext, 'db' | 'rails' | 'log'>;

export interface RoundOptions {
  environment: Environment;
  /** Postings that are added up in one step. */
  countAtOnce?: bigint;
  /** Leaves it to another. */
  signal?: AbortSignal;
}

/** @returns what was told; undefined where it is another's turn, or the signal aborts. */
export async function proveFloats(
  { db, rails, log }: Asking,
  { environment, countAtOnce = countAtOnceMax, signal }: RoundOptions,
): Promise<Proof[] | undefined> {
  const turn = await takeTurn(db);
  if (!turn) return undefined;
  try {
    const askable = rails.all.flatMap(({ wallets }) => (wallets && 'ask' in wallets ? [wallets] : []));
    await countUp(db, askable, { turn, countAtOnce });
    const proofs = await Promise.all(
      askable.map((wallets) =>
        proveProvider(db, wallets, { turn, environment, signal }).catch((error: unknown) => {
          log.warn('the wallets of a provider could not be proved', { provider: wallets.provider, error });
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
 * What was booked long ago is added up once, so that each proof reads the last hour alone. A provider that this deployment
 * had no account at for a while is added up from where it was left.
 */
async function countUp(
  db: Database,
  providers: readonly AskableWallets[],
  { turn, countAtOnce }: { turn: Turn; countAtOnce: bigint },
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
    if (await turn.hold(trx)) await trx('float_rounds').where({ id: 1 }).update({ counted_seq: upTo });
  });
}

/** Undefined where the provider has told of no wallet yet. */
async function countedOf(db: Database, { provider }: AskableWallets): Promise<string | undefined> {
  return (await db('float_wallets').where({ provider }).first('counted_seq'))?.counted_seq;
}

/** @throws an Error where it is another's turn by now. */
async function countStep(
  db: Database,
  wallets: AskableWallets,
  { turn, counted, to }: { turn: Turn; counted: string; to: string },
): Promise<void> {
  const { provider } = wallets;
  const moved = await movedBetween(db, wallets, counted, to);
  await inTransaction(db, async (trx) => {
    if (!(await turn.hold(trx))) throw new Error('it is the turn of another worker by now');
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
export async function checkFloats(context: Asking, options: RoundOptions): Promise<FloatCheck | undefined> {
  const proofs = await proveFloats(context, options);
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

// One of many workers asks the providers: who it is, is claimed in the database, for longer than it takes.

/** A round waits twenty seconds for the slowest provider; whoever had its turn longer ago is dead, or writes nothing. */
const leaseSeconds = 120;

export interface Turn {
  /** The row as it is. */
  round(db: Database): Promise<FloatRoundRow>;
  /** Locks the row, and keeps the turn for as long again. @returns undefined when it is another's by now. */
  hold(trx: Transaction): Promise<FloatRoundRow | undefined>;
  end(): Promise<void>;
  /** Leaves it to whoever comes next. */
  giveUp(): Promise<void>;
}

/** @returns undefined where it is another's. */
export async function takeTurn(db: Database): Promise<Turn | undefined> {
  const me = uuid();
  const mine = () => db('float_rounds').where({ id: 1, leased_by: me });
  const leasedUntil = db.raw<Date>(`UTC_TIMESTAMP(3) + INTERVAL ${String(leaseSeconds)} SECOND`);
  const claimed = await db('float_rounds')
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
      const row = await handle('float_rounds').where({ id: 1 }).first();
      if (!row) throw new Error('the row of the float proof is gone');
      return row;
    },
    async hold(trx) {
      const own = trx('float_rounds').where({ id: 1, leased_by: me });
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
