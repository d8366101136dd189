/**
 * What a provider tells of the money that it keeps for us. It is asked every few minutes, and held against our books
 * (payments/care/float-proof). What cannot be read is unknown, and never a difference.
 */
import { cutText } from '../domain/cut-text';
import { isCurrency, parseAmount, type Currency } from '../domain/money';
import type { PaymentsOf } from '../reconciliation/statement';
import type { ProviderAnswer } from './provider-http';
import type { BalanceQuestions } from './balance-questions';
import type { ProviderCall } from './rail';

export interface WalletName {
  /** ISO 3166 alpha-3; null where a wallet is of no country. */
  country: string | null;
  currency: Currency;
}

/** Minor units, or why they could not be read. */
export type WalletTold = WalletName & ({ balanceMinor: bigint } | { unreadable: string });

export type WalletsAnswer =
  | {
      kind: 'told';
      wallets: WalletTold[];
      /** The earliest moment that it can be of, where that was before the provider was asked this time. */
      asOf?: Date;
    }
  | { kind: 'unknown'; text: string };

export interface WalletsCall extends ProviderCall {
  /** For a provider that answers later. */
  questions: BalanceQuestions;
}

interface Account {
  /** As its statements name it, such as `pawapay`. */
  provider: string;
  title: string;
  /** Whose money is in its wallets. */
  payments: readonly PaymentsOf[];
}

export interface AskableWallets extends Account {
  /** Where it is asked: at the provider, or at one that is simulated. */
  baseUrl: string;
  /** How far what it tells may be behind what it has done, in milliseconds. */
  behindMs: number;
  /** What it may keep of a wallet's turnover for itself, per mille, unless it is simulated, where nobody has said it. */
  keepsPerMille: number;
  /** Where it may be more, up to which share no payout is stopped for it: a case alone is opened. */
  mayKeepPerMille?: number;
  /** What went out of its wallets in error goes out no more while the payouts of the rail are stopped. */
  paysOut: boolean;
  /** Never throws for a provider's answer. Safe to repeat. */
  ask(call: WalletsCall): Promise<WalletsAnswer>;
}

export type ProviderWallets = AskableWallets | (Account & { cannotBeAsked: string });

/** A wallet as an answer has it. */
export interface WalletWritten {
  country?: unknown;
  currency: unknown;
  balance: unknown;
}

/** Longer words of a provider are no amounts. */
const shownLength = 40;
/** No account has more; each is a row of ours for good. */
const walletsMax = 500;

/**
 * Adds up the wallets of each country and currency. A currency that we have no name for is left out: no payment of ours
 * is in it. One amount that cannot be read makes its whole sum unreadable.
 * @param mayOwe whether the provider documents balances below zero; elsewhere such a one is nonsense.
 */
export function readWallets(written: readonly WalletWritten[], { mayOwe = false } = {}): WalletTold[] {
  const wallets = new Map<string, WalletTold>();
  for (const { country: place, currency, balance } of written.slice(0, walletsMax)) {
    if (typeof currency !== 'string' || !isCurrency(currency)) continue;
    const country = typeof place === 'string' && /^[A-Z]{3}$/.test(place) ? place : null;
    const told = minorOf(balance, currency, mayOwe);
    const key = `${country ?? ''}:${currency}`;
    const before = wallets.get(key) ?? { country, currency, balanceMinor: 0n };
    if ('unreadable' in before) continue;
    const read =
      told === undefined
        ? { unreadable: `${cutText(JSON.stringify(balance ?? null), shownLength)} is no balance` }
        : { balanceMinor: before.balanceMinor + told };
    wallets.set(key, { country, currency, ...read });
  }
  return [...wallets.values()];
}

/** Texts and JSON numbers are balances; a number is written out by us, so that one beyond 15 digits is none. */
function minorOf(balance: unknown, currency: Currency, mayOwe: boolean): bigint | undefined {
  if (typeof balance !== 'string' && typeof balance !== 'number') return undefined;
  const text = String(balance);
  const owes = mayOwe && text.startsWith('-');
  const minor = parseAmount(owes ? text.slice(1) : text, currency);
  return owes && minor !== undefined ? -minor : minor;
}

/** What a provider answered, if it is anything to read. */
export function jsonOf(
  answer: ProviderAnswer | { kind: 'account_refused'; text: string },
): { json: unknown } | { kind: 'unknown'; text: string } {
  if (answer.kind !== 'answered') return { kind: 'unknown', text: answer.text };
  if (answer.status === 200 && answer.json !== undefined) return { json: answer.json };
  // What else it says is kept nowhere: it may repeat what it was sent.
  const what = answer.status === 200 ? ', and not JSON' : '';
  return { kind: 'unknown', text: `HTTP ${String(answer.status)}${what}` };
}
