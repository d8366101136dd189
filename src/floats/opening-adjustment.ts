/**
 * What an operator says about a wallet, and our books cannot know: that what differs is right as it is, or that money was
 * put there or taken out by hand.
 */
import type { PaymentsContext } from '../rail-kit/context';
import type { Database, Transaction } from '../store/database';
import type { FloatWalletKey, FloatWalletRow } from '../store/control-tables';
import { inTransaction } from '../store/transaction';
import { holdRows, rowChanged, type RecordLine } from '../users/audit-log';
import { rowIdOf } from '../users/control-rows';
import { OperatorRefusal } from '../users/operators';

/** What was told longer ago says nothing of now. */
const youngSeconds = 900;

export interface Stated {
  by: string;
  /** @param movesMinor by how much more is believed to be there; below zero for less. */
  record(trx: Transaction, line: Parameters<RecordLine>[1], movesMinor: bigint): Promise<void>;
}

/**
 * What the wallet held when it was told last is what it should hold; what differs from then on is a difference. Nothing is
 * expected to move any more.
 * @throws OperatorRefusal for a wallet that was never told of, or was long ago.
 */
export async function stateBaseline(
  db: Database,
  key: FloatWalletKey,
  { by, record, feePerMille }: Stated & { feePerMille: number | undefined },
): Promise<FloatWalletRow> {
  return inTransaction(db, async (trx) => {
    const row = await lockedRow(trx, key);
    if (row.seen_lo === null || row.seen_hi === null || row.seen_turnover === null || !row.is_young) {
      throw new OperatorRefusal(
        'What it holds was not told in the last quarter of an hour: malipo float-proof run asks.',
      );
    }
    const rowId = rowIdOf('float_wallets', { ...key });
    await holdRows(trx, 'float_wallets', rowId);
    await trx('float_wallets')
      .where(key)
      .update({
        offset_lo: row.seen_lo,
        offset_hi: row.seen_hi,
        turnover_from: row.seen_turnover,
        unplaced_from: row.seen_unplaced ?? '0',
        verdict: 'agrees',
        in_a_row: 1,
        gap_minor: '0',
        stopped_for_minor: null,
        ...{ coming_minor: '0', going_minor: '0' },
        baseline_by: by,
        baseline_at: trx.raw<Date>('UTC_TIMESTAMP(3)'),
        ...(feePerMille !== undefined && { fee_per_mille: feePerMille }),
      });
    await rowChanged(trx, 'float_wallets', rowId);
    const moves = larger(
      BigInt(row.seen_lo) - BigInt(row.offset_lo ?? row.seen_lo),
      BigInt(row.seen_hi) - BigInt(row.offset_hi ?? row.seen_hi),
    );
    const details = { balance_minor: row.balance_minor, gap_minor: row.gap_minor, verdict: row.verdict };
    await record(trx, { subject: subjectOf(key), details }, moves);
    return lockedRow(trx, key);
  });
}

/**
 * Money is put there by hand, or taken out: it will hold so much more, or less, and until that shows it may.
 * @param amountMinor below zero for what was taken out.
 * @throws OperatorRefusal for a wallet that was never told of.
 */
export async function stateMovement(
  db: Database,
  key: FloatWalletKey,
  amountMinor: bigint,
  { record }: Stated,
): Promise<FloatWalletRow> {
  return inTransaction(db, async (trx) => {
    const row = await lockedRow(trx, key);
    if (row.offset_lo === null || row.offset_hi === null) throw notTold();
    await trx('float_wallets')
      .where(key)
      .update({
        ...(amountMinor > 0n
          ? { coming_minor: (BigInt(row.coming_minor) + amountMinor).toString() }
          : { going_minor: (BigInt(row.going_minor) - amountMinor).toString() }),
        // Whether what was told last was told before it moved is not known.
        ...{ in_a_row: 0, seen_lo: null, seen_hi: null, seen_turnover: null, seen_unplaced: null },
      });
    await record(
      trx,
      { subject: subjectOf(key), details: { amount_minor: amountMinor.toString() } },
      amountMinor,
    );
    return lockedRow(trx, key);
  });
}

async function lockedRow(
  trx: Transaction,
  key: FloatWalletKey,
): Promise<FloatWalletRow & { is_young: boolean }> {
  const row = await trx('float_wallets')
    .where(key)
    .forUpdate()
    .first<(FloatWalletRow & { is_young: number | string }) | undefined>(
      '*',
      trx.raw('COALESCE(told_at > UTC_TIMESTAMP(3) - INTERVAL ? SECOND, 0) AS is_young', [youngSeconds]),
    );
  if (!row) throw notTold();
  return { ...row, is_young: Number(row.is_young) === 1 };
}

const notTold = () =>
  new OperatorRefusal('No provider has told of such a wallet; see malipo float-proof list.');
const subjectOf = ({ provider, country, currency }: FloatWalletKey) => ({
  kind: 'float_wallet',
  id: [provider, country || '-', currency].join(':'),
});

/** With its sign. */
function larger(...amounts: bigint[]): bigint {
  const sizeOf = (one: bigint) => (one < 0n ? -one : one);
  return amounts.reduce((one, other) => (sizeOf(one) >= sizeOf(other) ? one : other));
}

// What is known of every wallet, for those who look.

export function listWallets(db: Database): Promise<FloatWalletRow[]> {
  return db('float_wallets').orderBy(['provider', 'country', 'currency']);
}

/** Only of providers that are served here: what others held once is told no more, and is nobody's alert. */
export async function servedWallets({
  db,
  rails,
}: Pick<PaymentsContext, 'db' | 'rails'>): Promise<FloatWalletRow[]> {
  const served = new Set(rails.all.map(({ wallets }) => wallets?.provider));
  return (await listWallets(db)).filter(({ provider }) => served.has(provider));
}

/** Minor units: below zero for what is missing. */
export function differenceOf({
  verdict,
  gap_minor: gap,
}: Pick<FloatWalletRow, 'verdict' | 'gap_minor'>): bigint {
  return verdict === 'short' ? -BigInt(gap) : BigInt(gap);
}
