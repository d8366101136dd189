/**
 * Statements of an operator about a wallet: that its balance is right (an opening adjustment), or that money is transferred into
 * or out of it.
 */
import type { PaymentsContext } from '../rail-kit/context';
import type { Database, Transaction } from '../store/database';
import type { FloatWalletKey, FloatWalletRow } from '../store/control-tables';
import { inTransaction } from '../store/transaction';
import { holdRows, rowChanged, type RecordLine } from '../users/audit-log';
import { rowIdOf } from '../users/control-rows';
import { OperatorError } from '../users/operators';

/** An opening adjustment needs a balance that is at most this old. */
const youngSeconds = 900;

export interface Stated {
  by: string;
  /** @param movesMinor the change of the expected balance; negative for less. */
  record(trx: Transaction, line: Parameters<RecordLine>[1], movesMinor: bigint): Promise<void>;
}

/**
 * Accepts the last reported balance as right. Later changes are differences. Expected transfers are cleared.
 * @throws OperatorRefusal if there is no reported balance, or only an old one.
 */
export async function postOpeningAdjustment(
  db: Database,
  key: FloatWalletKey,
  { by, record, feePerMille }: Stated & { feePerMille: number | undefined },
): Promise<FloatWalletRow> {
  return inTransaction(db, async (trx) => {
    const row = await lockedRow(trx, key);
    if (row.seen_lo === null || row.seen_hi === null || row.seen_turnover === null || !row.is_young) {
      throw new OperatorError(
        'There is no balance of the last 15 minutes: run malipo float-check run first.',
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
        paused_for_minor: null,
        ...{ coming_minor: '0', going_minor: '0' },
        opening_by: by,
        opening_at: trx.raw<Date>('UTC_TIMESTAMP(3)'),
        ...(feePerMille !== undefined && { fee_per_mille: feePerMille }),
      });
    await rowChanged(trx, 'float_wallets', rowId);
    const adjustmentMinor = larger(
      BigInt(row.seen_lo) - BigInt(row.offset_lo ?? row.seen_lo),
      BigInt(row.seen_hi) - BigInt(row.offset_hi ?? row.seen_hi),
    );
    const details = { balance_minor: row.balance_minor, gap_minor: row.gap_minor, verdict: row.verdict };
    await record(trx, { subject: subjectOf(key), details }, adjustmentMinor);
    return lockedRow(trx, key);
  });
}

/**
 * Records a transfer into or out of the wallet. Until the balance shows it, both amounts are possible.
 * @param amountMinor negative for a transfer out of the wallet.
 * @throws OperatorRefusal if the wallet has no reported balance.
 */
export async function stateMovement(
  db: Database,
  key: FloatWalletKey,
  amountMinor: bigint,
  { record }: Stated,
): Promise<FloatWalletRow> {
  return inTransaction(db, async (trx) => {
    const row = await lockedRow(trx, key);
    if (row.offset_lo === null || row.offset_hi === null) throw notReported();
    await trx('float_wallets')
      .where(key)
      .update({
        ...(amountMinor > 0n
          ? { coming_minor: (BigInt(row.coming_minor) + amountMinor).toString() }
          : { going_minor: (BigInt(row.going_minor) - amountMinor).toString() }),
        // The last balance may be from before or after the transfer, so it no longer counts.
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
      trx.raw('COALESCE(reported_at > UTC_TIMESTAMP(3) - INTERVAL ? SECOND, 0) AS is_young', [youngSeconds]),
    );
  if (!row) throw notReported();
  return { ...row, is_young: Number(row.is_young) === 1 };
}

const notReported = () =>
  new OperatorError('No provider has reported such a wallet; see malipo float-check list.');
const subjectOf = ({ provider, country, currency }: FloatWalletKey) => ({
  kind: 'float_wallet',
  id: [provider, country || '-', currency].join(':'),
});

/** The amount with the larger absolute value, with its sign. */
function larger(...amounts: bigint[]): bigint {
  const sizeOf = (one: bigint) => (one < 0n ? -one : one);
  return amounts.reduce((one, other) => (sizeOf(one) >= sizeOf(other) ? one : other));
}

// Queries for the known wallets.

export function listWallets(db: Database): Promise<FloatWalletRow[]> {
  return db('float_wallets').orderBy(['provider', 'country', 'currency']);
}

/** Wallets of providers that this deployment uses. Old balances of other providers must raise no alert. */
export async function servedWallets({
  db,
  rails,
}: Pick<PaymentsContext, 'db' | 'rails'>): Promise<FloatWalletRow[]> {
  const served = new Set(rails.all.map(({ wallets }) => wallets?.provider));
  return (await listWallets(db)).filter(({ provider }) => served.has(provider));
}

/** The difference in minor units; negative if money is missing. */
export function differenceOf({
  verdict,
  gap_minor: gap,
}: Pick<FloatWalletRow, 'verdict' | 'gap_minor'>): bigint {
  return verdict === 'short' ? -BigInt(gap) : BigInt(gap);
}
