/** One case for each wallet whose balance differs, however often it is seen; it closes itself once the balance agrees. */
import { cutText } from '../domain/cut-text';
import type { FloatWalletKey } from '../store/float-tables';
import type { Transaction } from '../store/database';
import type { CaseReason } from '../controls/cases';

export const walletReasons = { short: 'float_short', over: 'float_over' } as const satisfies Record<
  string,
  CaseReason
>;
type WalletReason = (typeof walletReasons)[keyof typeof walletReasons];

const openKeyOf = (reason: WalletReason, { provider, country, currency }: FloatWalletKey) =>
  ['none', reason, provider, country || '-', currency].join(':');

/** Where one is open, its words are the newest now. */
export async function openWalletCase(
  trx: Transaction,
  wallet: FloatWalletKey,
  reason: WalletReason,
  detail: string,
): Promise<void> {
  const openKey = openKeyOf(reason, wallet);
  const told = { detail: cutText(detail, 1000) };
  if ((await trx('cases').where({ open_key: openKey }).update(told)) > 0) return;
  await trx('cases').insert({
    payment_id: null,
    reason,
    ...told,
    opened_at: new Date(),
    closed_at: null,
    closed_by: null,
    resolution: null,
    open_key: openKey,
    times: 1,
    stops: null,
  });
}

export async function settleWalletCase(
  trx: Transaction,
  wallet: FloatWalletKey,
  reason: WalletReason,
  resolution: string,
): Promise<void> {
  await trx('cases')
    .where({ open_key: openKeyOf(reason, wallet) })
    .update({ closed_at: new Date(), closed_by: 'malipo', resolution, open_key: null });
}
