/**
 * Questions about a balance that are answered later, at an address that nobody else knows. Of each provider the last one
 * counts; its answer is taken once, and only while it is young: what is booked meanwhile makes it say less.
 */
import { cutText } from '../domain/cut-text';
import type { BalanceQuestionRow } from '../store/float-tables';
import type { Database } from '../store/database';

/** A round is ten minutes, so that what came too late for one is there for the next. */
const youngSeconds = 900;
const isYoung = 'asked_at > UTC_TIMESTAMP(3) - INTERVAL ? SECOND';

/** Minor units, or why nothing can be said. */
export type BalanceToldLater = { balanceMinor: bigint } | { unreadable: string };

/** The balance was that at some moment from `askedAt` on. */
export type BalanceAnswer = BalanceToldLater & { askedAt: Date };

export interface BalanceQuestions {
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
