/** What is known of every wallet, for those who look. */
import type { Database } from '../../../store/database';
import type { FloatWalletRow } from '../../../store/float-tables';

export function listWallets(db: Database): Promise<FloatWalletRow[]> {
  return db('float_wallets').orderBy(['provider', 'country', 'currency']);
}

/** Minor units: below zero for what is missing. */
export function differenceOf({
  verdict,
  gap_minor: gap,
}: Pick<FloatWalletRow, 'verdict' | 'gap_minor'>): bigint {
  return verdict === 'short' ? -BigInt(gap) : BigInt(gap);
}
