/** Reacts to a wallet whose balance differs: it opens a case and, if money is missing, pauses payouts. */
import type { CaseReason } from '../controls/cases';
import { isPausedBy, pausePayoutsIn, type PauseScope } from '../controls/pauses';
import { cutText } from '../domain/cut-text';
import { formatAmount } from '../domain/money';
import type { AskableWallets } from '../rail-kit/provider-wallets';
import type { Transaction } from '../store/database';
import type { FloatWalletKey } from '../store/control-tables';
import { isDoubted, keyOf, type Judgement, type Seen } from './judge';

/** The name that pauses payouts, in the list of pauses and in the audit log. */
export const proverName = 'float check';

/** Opens and closes the cases of a wallet. If the wallet has less than our books, its payouts are paused. */
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
 * An operator who resumes payouts accepts the amount that is missing then. Payouts are paused again only if, by two answers, more
 * is missing. An amount that may be fees pauses nothing.
 */
async function holdBack(
  trx: Transaction,
  { row, judgement, feesDoubtedMinor = 0n }: Seen & { judgement: Judgement },
  { scope, detail }: { scope: PauseScope; detail: string },
): Promise<void> {
  const isStopped = await isPausedBy(trx, scope, proverName);
  const before = BigInt(row.gap_minor);
  const missing = before < judgement.gapMinor ? before : judgement.gapMinor;
  if (!isStopped && (missing <= BigInt(row.paused_for_minor ?? 0) || missing <= feesDoubtedMinor)) return;
  await trx('float_wallets')
    .where(keyOf(row))
    .update({ paused_for_minor: judgement.gapAtMostMinor.toString() });
  if (isStopped) return;
  await pausePayoutsIn(trx, scope, { by: proverName, reason: cutText(detail, 400), withRefunds: false });
}

function stopScopeOf(
  { country }: FloatWalletKey,
  { paysOut, payments }: AskableWallets,
): PauseScope | undefined {
  const [own] = payments;
  if (!paysOut || !own) return undefined;
  return { rail: own.rail, ...(country !== '' && { country }) };
}

function differenceText(title: string, { row, balanceMinor = 0n }: Seen, judgement: Judgement): string {
  const { trusted, gapMinor, verdict } = judgement;
  const { country, currency } = row;
  const [has, least, most, gap] = [balanceMinor, trusted.least, trusted.most, gapMinor].map((minor) =>
    formatAmount(minor, currency),
  );
  const should = least === most ? String(least) : `${String(least)} to ${String(most)}`;
  const wallet = [title, country, currency].filter(Boolean).join(' ');
  return `the ${wallet} wallet has ${String(has)}, but should have ${should}: ${String(gap)} too ${verdict === 'short' ? 'little' : 'much'}`;
}

// Each wallet with a different balance has one case. The case closes by itself when the balance agrees.

const walletReasons = { short: 'float_short', over: 'float_over' } as const satisfies Record<
  string,
  CaseReason
>;
type WalletReason = (typeof walletReasons)[keyof typeof walletReasons];

const openKeyOf = (reason: WalletReason, { provider, country, currency }: FloatWalletKey) =>
  ['none', reason, provider, country || '-', currency].join(':');

/** An open case gets the newest text. */
async function openWalletCase(
  trx: Transaction,
  wallet: FloatWalletKey,
  reason: WalletReason,
  detail: string,
): Promise<void> {
  const openKey = openKeyOf(reason, wallet);
  const reported = { detail: cutText(detail, 1000) };
  if ((await trx('cases').where({ open_key: openKey }).update(reported)) > 0) return;
  await trx('cases').insert({
    payment_id: null,
    reason,
    ...reported,
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
