/** What is known of every wallet, for those who look. */
import type { Database } from '../store/database';
import type { FloatWalletRow } from '../store/float-tables';
import type { PaymentsContext } from '../rail-kit/context';

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
