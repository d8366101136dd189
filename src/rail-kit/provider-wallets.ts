/**
 * The balances that a provider reports of the money it holds for us. It is polled every few minutes, and its balances
 * are compared with our books (src/floats). A balance that cannot be read is unknown, and never a difference.
 */
import { cutText } from '../domain/cut-text';
import { isCurrency, parseAmount, type Currency } from '../domain/money';
import type { PaymentsOf } from '../reconciliation/statement';
import type { Database } from '../store/database';
import type { BalanceQuestionRow } from '../store/control-tables';
import type { ProviderResponse } from './provider-http';
import type { ProviderCall } from './rail';

export interface WalletName {
  /** ISO 3166 alpha-3; null where a wallet has no country. */
  country: string | null;
  currency: Currency;
}

/** Minor units, or the reason why they could not be read. */
export type ReportedWallet = WalletName & ({ balanceMinor: bigint } | { unreadable: string });

export type WalletsAnswer =
  | {
      kind: 'reported';
      wallets: ReportedWallet[];
      /** The earliest moment of the balance, where that was before this poll. */
      asOf?: Date;
    }
  | { kind: 'unknown'; text: string };

export interface WalletsCall extends ProviderCall {
  /** For a provider that answers later. */
  questions: BalanceQuestions;
}

interface Account {
  /** Its name in statements, such as `pawapay`. */
  provider: string;
  title: string;
  /** The payments whose money is in its wallets. */
  payments: readonly PaymentsOf[];
}

export interface AskableWallets extends Account {
  /** The address of the poll: the provider, or a simulated one. */
  baseUrl: string;
  /** How far its balances may be behind its payments, in milliseconds. */
  behindMs: number;
  /** The fees that it may take of a wallet's turnover, per mille. Simulated providers have no such figure. */
  keepsPerMille: number;
  /** Up to this share a larger difference pauses no payout: it only opens a case. */
  mayKeepPerMille?: number;
  /** Whether a pause of the rail's payouts prevents further wrong payouts from its wallets. */
  paysOut: boolean;
  /** Never throws for a provider's answer. Safe to repeat. */
  ask(call: WalletsCall): Promise<WalletsAnswer>;
}

export type ProviderWallets = AskableWallets | (Account & { cannotBeAsked: string });

/** A wallet as it is in an answer. */
export interface WalletWritten {
  country?: unknown;
  currency: unknown;
  balance: unknown;
}

/** A longer text of a provider is no amount. */
const shownLength = 40;
/** No account has more; each becomes a permanent row of ours. */
const walletsMax = 500;

/**
 * Adds up the wallets of each country and currency. A currency that we do not know is left out: no payment of ours
 * uses it. One amount that cannot be read makes its whole sum unreadable.
 * @param mayOwe whether the provider documents balances below zero; otherwise a negative balance is invalid.
 */
export function readWallets(written: readonly WalletWritten[], { mayOwe = false } = {}): ReportedWallet[] {
  const wallets = new Map<string, ReportedWallet>();
  for (const { country: place, currency, balance } of written.slice(0, walletsMax)) {
    if (typeof currency !== 'string' || !isCurrency(currency)) continue;
    const country = typeof place === 'string' && /^[A-Z]{3}$/.test(place) ? place : null;
    const reported = minorOf(balance, currency, mayOwe);
    const key = `${country ?? ''}:${currency}`;
    const before = wallets.get(key) ?? { country, currency, balanceMinor: 0n };
    if ('unreadable' in before) continue;
    const read =
      reported === undefined
        ? { unreadable: `${cutText(JSON.stringify(balance ?? null), shownLength)} is not a balance` }
        : { balanceMinor: before.balanceMinor + reported };
    wallets.set(key, { country, currency, ...read });
  }
  return [...wallets.values()];
}

/** Texts and JSON numbers are balances. We write a number out, so that one beyond 15 digits is refused. */
function minorOf(balance: unknown, currency: Currency, mayOwe: boolean): bigint | undefined {
  if (typeof balance !== 'string' && typeof balance !== 'number') return undefined;
  const text = String(balance);
  const owes = mayOwe && text.startsWith('-');
  const minor = parseAmount(owes ? text.slice(1) : text, currency);
  return owes && minor !== undefined ? -minor : minor;
}

/** A provider's answer, if it can be read. */
export function jsonOf(
  answer: ProviderResponse | { kind: 'account_refused'; text: string },
): { json: unknown } | { kind: 'unknown'; text: string } {
  if (answer.kind !== 'answered') return { kind: 'unknown', text: answer.text };
  if (answer.status === 200 && answer.json !== undefined) return { json: answer.json };
  // The rest of the answer is stored nowhere: it may repeat the request.
  const what = answer.status === 200 ? ', and not JSON' : '';
  return { kind: 'unknown', text: `HTTP ${String(answer.status)}${what}` };
}

// Balance requests that are answered later, at an address that only the provider knows. Only the last request of each
// provider counts. Its answer is used once, and only while it is young: bookings since then make it less exact.

/** A run takes ten minutes, so that an answer that is late for one run is there for the next. */
const youngSeconds = 900;
const isYoung = 'asked_at > UTC_TIMESTAMP(3) - INTERVAL ? SECOND';

/** Minor units, or why there is no balance. */
export type LaterBalance = { balanceMinor: bigint } | { unreadable: string };

/** The balance at some moment from `askedAt` on. */
export type BalanceAnswer = LaterBalance & { askedAt: Date };

interface BalanceQuestions {
  /** Replaces the earlier request. @returns the answer to that one, if it came and was not used. */
  ask(token: string): Promise<BalanceAnswer | undefined>;
  /** @returns the answer to this one, if it has come and was not used. */
  take(token: string): Promise<BalanceAnswer | undefined>;
}

export function balanceQuestions(db: Database, { provider }: { provider: string }): BalanceQuestions {
  const now = db.raw<Date>('UTC_TIMESTAMP(3)');

  async function takeWhere(which: { token?: string }): Promise<BalanceAnswer | undefined> {
    const row = await db('balance_queries')
      .where({ provider, ...which })
      .whereNotNull('reported_at')
      .whereNull('taken_at')
      .whereRaw(isYoung, [youngSeconds])
      .first();
    if (!row) return undefined;
    const taken = await db('balance_queries')
      .where({ token: row.token })
      .whereNull('taken_at')
      .update({ taken_at: now });
    return taken === 1 ? answerOf(row) : undefined;
  }

  return {
    async ask(token) {
      const before = await takeWhere({});
      await db('balance_queries')
        .insert({
          provider,
          token,
          asked_at: now,
          reported_at: null,
          taken_at: null,
          balance_minor: null,
          note: '',
        })
        .onConflict('provider')
        .merge();
      return before;
    },
    take: (token) => takeWhere({ token }),
  };
}

function answerOf({ asked_at: askedAt, balance_minor: minor, note }: BalanceQuestionRow): BalanceAnswer {
  return { askedAt, ...(minor === null ? { unreadable: note } : { balanceMinor: BigInt(minor) }) };
}

/**
 * Stores a report to such an address. A repeated or a very late report changes nothing. @returns whether the address
 * exists.
 */
export async function storeReportedBalance(
  db: Database,
  { provider, token }: Pick<BalanceQuestionRow, 'provider' | 'token'>,
  reported: LaterBalance,
): Promise<boolean> {
  const kept = await db('balance_queries')
    .where({ provider, token })
    .whereNull('reported_at')
    .whereRaw(isYoung, [youngSeconds])
    .update({
      reported_at: db.raw<Date>('UTC_TIMESTAMP(3)'),
      ...('unreadable' in reported
        ? { balance_minor: null, note: cutText(reported.unreadable, 255) }
        : { balance_minor: reported.balanceMinor.toString() }),
    });
  return kept === 1 || (await db('balance_queries').where({ provider, token }).first('token')) !== undefined;
}
