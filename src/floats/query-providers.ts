/** Queries one provider for the balances of our wallets, compares them with our books and stores the result. */
import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuid } from 'uuid';
import type { Environment } from '../config';
import type { Database, Transaction } from '../store/database';
import type { FloatCheckRow, FloatWalletKey, FloatWalletRow } from '../store/control-tables';
import { inTransaction } from '../store/transaction';
import {
  balanceQuestions,
  type AskableWallets,
  type ReportedWallet,
  type WalletsAnswer,
} from '../rail-kit/provider-wallets';
import { act } from './act';
import { inWallets, turnoverAfter } from './books';
import { feesAreTaken, isDoubted, keyOf, noFees, nothing, seenOf, unknownOf, type Seen } from './judge';
import type { CheckLease } from './check-run';

/** The time limits of the call, and of waiting for it, in milliseconds. */
const callMs = 15_000;
const patienceMs = 20_000;
/** The clocks of our hosts, which date the bookings, differ by at most this. */
const clocksDifferMs = 60_000;

type WalletCheckWritten = Omit<FloatCheckRow, 'check_id'>;

export interface WalletCheck extends WalletCheckWritten {
  /** The balance differs, but a second answer must confirm it before anything is done. */
  isDoubted: boolean;
}

export interface FloatCheckOptions {
  turn: CheckLease;
  environment: Environment;
  /** Cancels the query: then nothing is written. */
  signal?: AbortSignal | undefined;
}

/** @returns what was written; nothing if the lease was lost in the meantime. */
export async function checkProvider(
  db: Database,
  wallets: AskableWallets,
  { turn, environment, signal }: FloatCheckOptions,
): Promise<WalletCheck[]> {
  const askedAt = await nowOf(db);
  const fees = feesAreTaken(environment, wallets) ? wallets : noFees;
  const answer = await inTime(db, wallets, signal);
  if (signal?.aborted) return [];
  const { asOf = askedAt } = answer.kind === 'reported' ? answer : {};
  const earliest = Math.min(asOf.getTime(), askedAt.getTime());
  const since = new Date(earliest - wallets.behindMs - clocksDifferMs);
  const { counted_seq: counted } = await turn.round(db);
  const moved = answer.kind === 'reported' ? await turnoverAfter(db, wallets, counted, since) : [];
  return inTransaction(db, async (trx) => {
    // Fails if another worker has taken the lease or counted further.
    const round = await turn.hold(trx);
    if (round?.counted_seq !== counted) return [];
    const reported = answer.kind === 'reported' ? answer.wallets : [];
    const rows = await rowsOf(trx, wallets, reported, { askedAt, counted });
    const sums = inWallets(rows, moved);
    const seen = rows.map((row) => {
      const its = reported.find((one) => isSame(row, one));
      if (answer.kind === 'unknown') return unknownOf(row, answer.text);
      if (!its) return unknownOf(row, 'the provider did not report it');
      if ('unreadable' in its) return unknownOf(row, its.unreadable);
      return seenOf(row, its.balanceMinor, sums.get(row) ?? nothing, fees);
    });
    if (seen.length > 0) await trx('float_checks').insert(seen.map((one) => writtenOf(one, askedAt)));
    for (const one of seen) await keep(trx, one, askedAt);
    for (const one of seen) await act(trx, one, wallets);
    return seen.map((one) => ({ ...writtenOf(one, askedAt), isDoubted: isDoubted(one) }));
  });
}

function writtenOf({ row, note, judgement, balanceMinor }: Seen, askedAt: Date): WalletCheckWritten {
  return {
    ...keyOf(row),
    asked_at: askedAt,
    note,
    verdict: judgement?.verdict ?? 'unknown',
    balance_minor: balanceMinor?.toString() ?? null,
    least_minor: judgement?.trusted.least.toString() ?? null,
    most_minor: judgement?.trusted.most.toString() ?? null,
    gap_minor: judgement?.gapMinor.toString() ?? '0',
  };
}

/** Stores the result. Without a balance, the last known values stay. */
async function keep(trx: Transaction, seen: Seen, askedAt: Date): Promise<void> {
  const { row, judgement, expected, inARow, note, balanceMinor, turnoverMinor, unplacedMinor } = seen;
  const known =
    judgement === undefined
      ? {}
      : {
          reported_at: askedAt,
          verdict: judgement.verdict,
          in_a_row: inARow,
          balance_minor: balanceMinor?.toString() ?? null,
          seen_lo: judgement.seen.least.toString(),
          seen_hi: judgement.seen.most.toString(),
          seen_turnover: turnoverMinor?.toString() ?? null,
          seen_unplaced: unplacedMinor?.toString() ?? null,
          offset_lo: judgement.offset.least.toString(),
          offset_hi: judgement.offset.most.toString(),
          gap_minor: judgement.gapMinor.toString(),
          ...(expected && {
            coming_minor: expected.coming.toString(),
            going_minor: expected.going.toString(),
          }),
          ...(judgement.verdict !== 'short' && { paused_for_minor: null }),
          ...(row.offset_lo === null && {
            turnover_from: turnoverMinor?.toString() ?? '0',
            unplaced_from: unplacedMinor?.toString() ?? '0',
          }),
        };
  await trx('float_wallets')
    .where(keyOf(row))
    .update({ asked_at: askedAt, note, ...known });
}

/** The locked rows of the provider's wallets; new wallets get a row. */
async function rowsOf(
  trx: Transaction,
  { provider }: AskableWallets,
  reported: readonly ReportedWallet[],
  { askedAt, counted }: { askedAt: Date; counted: string },
): Promise<FloatWalletRow[]> {
  const ofProvider = () =>
    trx('float_wallets').where({ provider }).orderBy(['country', 'currency']).forUpdate();
  const known = await ofProvider();
  const fresh = reported.filter((one) => !known.some((row) => isSame(row, one)));
  if (fresh.length > 0) {
    await trx('float_wallets').insert(
      fresh.map(({ country, currency }) => ({
        provider,
        country: country ?? '',
        currency,
        counted_seq: counted,
      })),
    );
  }
  const rows = fresh.length > 0 ? await ofProvider() : known;
  // If only the answer to a COMMIT was lost, the rows are already written and are left out.
  return rows.filter(
    (row) => row.counted_seq === counted && (row.asked_at === null || row.asked_at < askedAt),
  );
}

const isSame = (row: FloatWalletKey, { country, currency }: ReportedWallet) =>
  row.country === (country ?? '') && row.currency === currency;

/** Calls the provider. A late answer counts as no answer. */
async function inTime(
  db: Database,
  wallets: AskableWallets,
  signal: AbortSignal | undefined,
): Promise<WalletsAnswer> {
  const timer = new AbortController();
  const ending = signal ? AbortSignal.any([timer.signal, signal]) : timer.signal;
  const none: WalletsAnswer = { kind: 'unknown', text: 'no answer in time' };
  const late = delay(patienceMs, none, { signal: ending }).catch(() => none);
  try {
    const call = { timeoutMs: callMs, requestId: uuid(), questions: balanceQuestions(db, wallets) };
    return await Promise.race([wallets.ask(call), late]);
  } catch {
    return { kind: 'unknown', text: 'the query failed' };
  } finally {
    timer.abort();
  }
}

async function nowOf(db: Database): Promise<Date> {
  const [[row]] = (await db.raw('SELECT UTC_TIMESTAMP(3) AS now')) as unknown as [[{ now: Date }]];
  return row.now;
}
