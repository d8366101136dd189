/**
 * What a provider tells of the money that it keeps for us. It is asked every few minutes, and held against our books
 * (src/floats). What cannot be read is unknown, and never a difference.
 */
import { cutText } from '../domain/cut-text';
import { isCurrency, parseAmount, type Currency } from '../domain/money';
import type { PaymentsOf } from '../reconciliation/statement';
import type { Database } from '../store/database';
import type { BalanceQuestionRow } from '../store/control-tables';
import type { ProviderAnswer } from './provider-http';
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

// Questions about a balance that are answered later, at an address that nobody else knows. Of each provider the last one
// counts; its answer is taken once, and only while it is young: what is booked meanwhile makes it say less.

/** A round is ten minutes, so that what came too late for one is there for the next. */
const youngSeconds = 900;
const isYoung = 'asked_at > UTC_TIMESTAMP(3) - INTERVAL ? SECOND';

/** Minor units, or why nothing can be said. */
export type BalanceToldLater = { balanceMinor: bigint } | { unreadable: string };

/** The balance was that at some moment from `askedAt` on. */
export type BalanceAnswer = BalanceToldLater & { askedAt: Date };

interface BalanceQuestions {
  /** Replaces the question before. @returns the answer to that one, if it came and was not taken. */
  ask(token: string): Promise<BalanceAnswer | undefined>;
  /** @returns the answer to this one, if it has come and was not taken. */
  take(token: string): Promise<BalanceAnswer | undefined>;
}

export function balanceQuestions(db: Database, { provider }: { provider: string }): BalanceQuestions {
  const now = db.raw<Date>('UTC_TIMESTAMP(3)');

  async function takeWhere(which: { token?: string }): Promise<BalanceAnswer | undefined> {
    const row = await db('balance_questions')
      .where({ provider, ...which })
      .whereNotNull('told_at')
      .whereNull('taken_at')
      .whereRaw(isYoung, [youngSeconds])
      .first();
    if (!row) return undefined;
    const taken = await db('balance_questions')
      .where({ token: row.token })
      .whereNull('taken_at')
      .update({ taken_at: now });
    return taken === 1 ? answerOf(row) : undefined;
  }

  return {
    async ask(token) {
      const before = await takeWhere({});
      await db('balance_questions')
        .insert({
          provider,
          token,
          asked_at: now,
          told_at: null,
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

/** Keeps what was told to an address. What is told there again, or long after, changes nothing. @returns whether it is one. */
export async function keepBalanceTold(
  db: Database,
  { provider, token }: Pick<BalanceQuestionRow, 'provider' | 'token'>,
  told: BalanceToldLater,
): Promise<boolean> {
  const kept = await db('balance_questions')
    .where({ provider, token })
    .whereNull('told_at')
    .whereRaw(isYoung, [youngSeconds])
    .update({
      told_at: db.raw<Date>('UTC_TIMESTAMP(3)'),
      ...('unreadable' in told
        ? { balance_minor: null, note: cutText(told.unreadable, 255) }
        : { balance_minor: told.balanceMinor.toString() }),
    });
  return (
    kept === 1 || (await db('balance_questions').where({ provider, token }).first('token')) !== undefined
  );
}
