/** Asks one provider what its wallets hold, and writes down what came of it beside our books. */
import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuid } from 'uuid';
import type { Environment } from '../config';
import type { Database, Transaction } from '../store/database';
import type { FloatProofRow, FloatWalletKey, FloatWalletRow } from '../store/control-tables';
import { inTransaction } from '../store/transaction';
import {
  balanceQuestions,
  type AskableWallets,
  type WalletTold,
  type WalletsAnswer,
} from '../rail-kit/provider-wallets';
import { act } from './act';
import { inWallets, movedAfter } from './books';
import { feesAreTaken, isDoubted, keyOf, noFees, nothing, seenOf, unknownOf, type Seen } from './judge';
import type { Turn } from './round';

/** What the call is given, and after how long nobody waits for it any more, in milliseconds. */
const callMs = 15_000;
const patienceMs = 20_000;
/** The clocks of our hosts, which date the books, differ by no more. */
const clocksDifferMs = 60_000;

type ProofWritten = Omit<FloatProofRow, 'proof_id'>;

export interface Proof extends ProofWritten {
  /** It differs, and nothing is done before another answer says so. */
  isDoubted: boolean;
}

export interface ProveOptions {
  turn: Turn;
  environment: Environment;
  /** Ends the waiting: nothing is written then. */
  signal?: AbortSignal | undefined;
}

/** @returns what was written: nothing where the turn was lost meanwhile. */
export async function proveProvider(
  db: Database,
  wallets: AskableWallets,
  { turn, environment, signal }: ProveOptions,
): Promise<Proof[]> {
  const askedAt = await nowOf(db);
  const fees = feesAreTaken(environment, wallets) ? wallets : noFees;
  const answer = await inTime(db, wallets, signal);
  if (signal?.aborted) return [];
  const { asOf = askedAt } = answer.kind === 'told' ? answer : {};
  const earliest = Math.min(asOf.getTime(), askedAt.getTime());
  const since = new Date(earliest - wallets.behindMs - clocksDifferMs);
  const { counted_seq: counted } = await turn.round(db);
  const moved = answer.kind === 'told' ? await movedAfter(db, wallets, counted, since) : [];
  return inTransaction(db, async (trx) => {
    // Nobody adds up beside us, and of two who believe that it is their turn one is wrong.
    const round = await turn.hold(trx);
    if (round?.counted_seq !== counted) return [];
    const told = answer.kind === 'told' ? answer.wallets : [];
    const rows = await rowsOf(trx, wallets, told, { askedAt, counted });
    const sums = inWallets(rows, moved);
    const seen = rows.map((row) => {
      const its = told.find((one) => isSame(row, one));
      if (answer.kind === 'unknown') return unknownOf(row, answer.text);
      if (!its) return unknownOf(row, 'the provider did not tell of it');
      if ('unreadable' in its) return unknownOf(row, its.unreadable);
      return seenOf(row, its.balanceMinor, sums.get(row) ?? nothing, fees);
    });
    if (seen.length > 0) await trx('float_proofs').insert(seen.map((one) => writtenOf(one, askedAt)));
    for (const one of seen) await keep(trx, one, askedAt);
    for (const one of seen) await act(trx, one, wallets);
    return seen.map((one) => ({ ...writtenOf(one, askedAt), isDoubted: isDoubted(one) }));
  });
}

function writtenOf({ row, note, judgement, balanceMinor }: Seen, askedAt: Date): ProofWritten {
  return {
    ...keyOf(row),
    asked_at: askedAt,
    note,
    verdict: judgement?.verdict ?? 'unknown',
    balance_minor: balanceMinor?.toString() ?? null,
    least_minor: judgement?.believed.least.toString() ?? null,
    most_minor: judgement?.believed.most.toString() ?? null,
    gap_minor: judgement?.gapMinor.toString() ?? '0',
  };
}

/** What was not told leaves everything as it was seen last. */
async function keep(trx: Transaction, seen: Seen, askedAt: Date): Promise<void> {
  const { row, judgement, expected, inARow, note, balanceMinor, turnoverMinor, unplacedMinor } = seen;
  const known =
    judgement === undefined
      ? {}
      : {
          told_at: askedAt,
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
          ...(judgement.verdict !== 'short' && { stopped_for_minor: null }),
          ...(row.offset_lo === null && {
            turnover_from: turnoverMinor?.toString() ?? '0',
            unplaced_from: unplacedMinor?.toString() ?? '0',
          }),
        };
  await trx('float_wallets')
    .where(keyOf(row))
    .update({ asked_at: askedAt, note, ...known });
}

/** Locked, those that were told of for the first time with them. */
async function rowsOf(
  trx: Transaction,
  { provider }: AskableWallets,
  told: readonly WalletTold[],
  { askedAt, counted }: { askedAt: Date; counted: string },
): Promise<FloatWalletRow[]> {
  const ofProvider = () =>
    trx('float_wallets').where({ provider }).orderBy(['country', 'currency']).forUpdate();
  const known = await ofProvider();
  const fresh = told.filter((one) => !known.some((row) => isSame(row, one)));
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
  // The answer to a COMMIT may be all that was lost: what is written is not written twice.
  return rows.filter(
    (row) => row.counted_seq === counted && (row.asked_at === null || row.asked_at < askedAt),
  );
}

const isSame = (row: FloatWalletKey, { country, currency }: WalletTold) =>
  row.country === (country ?? '') && row.currency === currency;

/** Who does not answer in time has not answered, whatever becomes of the call. */
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
    return { kind: 'unknown', text: 'it could not be asked' };
  } finally {
    timer.abort();
  }
}

async function nowOf(db: Database): Promise<Date> {
  const [[row]] = (await db.raw('SELECT UTC_TIMESTAMP(3) AS now')) as unknown as [[{ now: Date }]];
  return row.now;
}
