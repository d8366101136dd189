/** What becomes of a wallet that differs: a case, and where less is there than we believe, payouts that wait. */
import type { CaseReason } from '../controls/cases';
import { isStoppedBy, stopPayoutsIn, type StopScope } from '../controls/stops';
import { cutText } from '../domain/cut-text';
import { formatAmount } from '../domain/money';
import type { AskableWallets } from '../rail-kit/provider-wallets';
import type { Transaction } from '../store/database';
import type { FloatWalletKey } from '../store/control-tables';
import { isDoubted, keyOf, type Judgement, type Seen } from './judge';

/** Who stops payouts, in the list of stops and in the audit log. */
export const proverName = 'float proof';

/** Opens and closes cases; where we believe to have more than there is, nothing more goes out of it. */
export async function act(trx: Transaction, seen: Seen, wallets: AskableWallets): Promise<void> {
  const { row, judgement } = seen;
  if (!judgement) return;
  const { verdict } = judgement;
  if (verdict === 'agrees') {
    for (const reason of Object.values(walletReasons))
      await settleWalletCase(trx, row, reason, 'the balance agrees again');
    return;
  }
  if (isDoubted(seen)) return;
  const other = verdict === 'short' ? walletReasons.over : walletReasons.short;
  await settleWalletCase(trx, row, other, 'the balance differs the other way now');
  const scope = stopScopeOf(row, wallets);
  const detail = differenceText(wallets.title, seen, judgement);
  await openWalletCase(trx, row, walletReasons[verdict], detail);
  if (verdict === 'short' && scope) await holdBack(trx, { ...seen, judgement }, { scope, detail });
}

/**
 * Who starts payouts again has taken into account what was missing then. They are stopped anew where more is missing by
 * two answers than can have been missing then. Nothing is stopped for what may be fees.
 */
async function holdBack(
  trx: Transaction,
  { row, judgement, feesDoubtedMinor = 0n }: Seen & { judgement: Judgement },
  { scope, detail }: { scope: StopScope; detail: string },
): Promise<void> {
  const isStopped = await isStoppedBy(trx, scope, proverName);
  const before = BigInt(row.gap_minor);
  const missing = before < judgement.gapMinor ? before : judgement.gapMinor;
  if (!isStopped && (missing <= BigInt(row.stopped_for_minor ?? 0) || missing <= feesDoubtedMinor)) return;
  await trx('float_wallets')
    .where(keyOf(row))
    .update({ stopped_for_minor: judgement.gapAtMostMinor.toString() });
  if (isStopped) return;
  await stopPayoutsIn(trx, scope, { by: proverName, reason: cutText(detail, 400), withRefunds: false });
}

function stopScopeOf(
  { country }: FloatWalletKey,
  { paysOut, payments }: AskableWallets,
): StopScope | undefined {
  const [own] = payments;
  if (!paysOut || !own) return undefined;
  return { rail: own.rail, ...(country !== '' && { country }) };
}

function differenceText(title: string, { row, balanceMinor = 0n }: Seen, judgement: Judgement): string {
  const { believed, gapMinor, verdict } = judgement;
  const { country, currency } = row;
  const [has, least, most, gap] = [balanceMinor, believed.least, believed.most, gapMinor].map((minor) =>
    formatAmount(minor, currency),
  );
  const should = least === most ? String(least) : `${String(least)} to ${String(most)}`;
  const wallet = [title, country, currency].filter(Boolean).join(' ');
  return `the ${wallet} wallet holds ${String(has)}, and should hold ${should}: ${String(gap)} too ${verdict === 'short' ? 'little' : 'much'}`;
}

// One case for each wallet whose balance differs, however often it is seen; it closes itself once the balance agrees.

const walletReasons = { short: 'float_short', over: 'float_over' } as const satisfies Record<
  string,
  CaseReason
>;
type WalletReason = (typeof walletReasons)[keyof typeof walletReasons];

const openKeyOf = (reason: WalletReason, { provider, country, currency }: FloatWalletKey) =>
  ['none', reason, provider, country || '-', currency].join(':');

/** Where one is open, its words are the newest now. */
async function openWalletCase(
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

async function settleWalletCase(
  trx: Transaction,
  wallet: FloatWalletKey,
  reason: WalletReason,
  resolution: string,
): Promise<void> {
  await trx('cases')
    .where({ open_key: openKeyOf(reason, wallet) })
    .update({ closed_at: new Date(), closed_by: 'malipo', resolution, open_key: null });
}
