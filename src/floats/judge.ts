/**
 * What a wallet tells, against what our books say that it holds. Both are known up to what is under way; so is what it
 * held before, and whatever else our books do not know of: that is learnt from each answer that agrees, and narrower
 * with each that is given while less is under way, unless an operator states it.
 */
import type { Environment } from '../config';
import { cutText } from '../domain/cut-text';
import { isThisMachine } from '../domain/ip-address';
import type { AskableWallets } from '../rail-kit/provider-wallets';
import type { FloatVerdict, FloatWalletKey, FloatWalletRow } from '../store/control-tables';
import type { Moved } from './books';

/** From the least to the most that an amount can be, in minor units. */
export interface Between {
  least: bigint;
  most: bigint;
}

interface Known {
  /** What is there and our books do not know of; undefined before anything was told. */
  offset: Between | undefined;
  /** What our books have moved there in all. */
  netMinor: bigint;
  /** It may hold so much less, and so much more. */
  less: bigint;
  more: bigint;
}

export interface Judgement {
  verdict: Exclude<FloatVerdict, 'unknown'>;
  /** How much is missing, or too much, at the least. */
  gapMinor: bigint;
  /** And at the most: what is under way may show in it or not. */
  gapAtMostMinor: bigint;
  /** What is there and our books do not know of, by this answer alone. */
  seen: Between;
  /** The same by all answers that agree. */
  offset: Between;
  /** What our books say that it would hold. */
  believed: Between;
}

function judge(balanceMinor: bigint, { offset, netMinor, less, more }: Known): Judgement {
  const seen = { least: balanceMinor - netMinor - more, most: balanceMinor - netMinor + less };
  const kept = offset ?? seen;
  const believed = { least: kept.least + netMinor - less, most: kept.most + netMinor + more };
  const beyond = (verdict: 'short' | 'over', gapMinor: bigint): Judgement => ({
    verdict,
    gapMinor,
    gapAtMostMinor: gapMinor + (verdict === 'short' ? less : more),
    seen,
    offset: kept,
    believed,
  });
  if (seen.most < kept.least) return beyond('short', kept.least - seen.most);
  if (seen.least > kept.most) return beyond('over', seen.least - kept.most);
  const agreed = {
    least: seen.least > kept.least ? seen.least : kept.least,
    most: seen.most < kept.most ? seen.most : kept.most,
  };
  return { verdict: 'agrees', gapMinor: 0n, gapAtMostMinor: 0n, seen, offset: agreed, believed };
}

/**
 * Whether providers are allowed for fees that nobody has stated. They are not in our books when they are taken, and a payout
 * must not be stopped for them; the simulated providers, on this machine, take none.
 */
export function feesAreTaken(environment: Environment, { baseUrl }: { baseUrl: string }): boolean {
  // A provider's own sandbox takes them as live does.
  return environment === 'live' || !URL.canParse(baseUrl) || !isThisMachine(new URL(baseUrl).hostname);
}

/** What a provider may have kept of a turnover. */
function feesOf(turnoverMinor: bigint, perMille: number): bigint {
  return (turnoverMinor * BigInt(perMille) + 999n) / 1_000n;
}

// A wallet, what its provider told of it, and what that says beside our books.

/** The balance and the books are not read at the same instant, so that one answer alone proves nothing. */
const answersToAct = 2;

/** A wallet and what was told of it. */
export interface Seen {
  row: FloatWalletRow;
  note: string;
  judgement?: Judgement;
  /** Of what was said to move by hand, what has not shown. */
  expected?: Expected;
  /** How often the verdict was the same, with this one. */
  inARow: number;
  balanceMinor?: bigint;
  /** As much of what is missing may be fees, beyond those that are allowed for. */
  feesDoubtedMinor?: bigint;
  turnoverMinor?: bigint;
  unplacedMinor?: bigint;
}

/** See `AskableWallets`. */
type FeesTaken = Pick<AskableWallets, 'keepsPerMille' | 'mayKeepPerMille'>;
export const noFees: FeesTaken = { keepsPerMille: 0 };

export const nothing: Moved = { net: 0n, turnover: 0n, less: 0n, more: 0n, unplaced: 0n };

export function unknownOf(row: FloatWalletRow, text: string): Seen {
  return { row, note: cutText(text, 255), inARow: row.in_a_row };
}

export function seenOf(row: FloatWalletRow, balanceMinor: bigint, sum: Moved, taken: FeesTaken): Seen {
  const turnoverMinor = BigInt(row.turnover_minor) + sum.turnover;
  const isFirst = row.offset_lo === null || row.offset_hi === null;
  const since = isFirst ? turnoverMinor : BigInt(row.turnover_from);
  const keeps = row.fee_per_mille ?? taken.keepsPerMille;
  const mayKeep = row.fee_per_mille ?? taken.mayKeepPerMille ?? keeps;
  const fees = feesOf(turnoverMinor - since, keeps);
  const feesDoubtedMinor = feesOf(turnoverMinor - since, mayKeep) - fees;
  const unplacedMinor = BigInt(row.unplaced_minor) + sum.unplaced;
  const unplaced = unplacedMinor - (isFirst ? unplacedMinor : BigInt(row.unplaced_from));
  const known = {
    offset: isFirst ? undefined : { least: BigInt(row.offset_lo ?? 0), most: BigInt(row.offset_hi ?? 0) },
    netMinor: BigInt(row.counted_minor) + sum.net,
    less: sum.less + fees + unplaced,
    more: sum.more + unplaced,
  };
  const said = { coming: BigInt(row.coming_minor), going: BigInt(row.going_minor) };
  const { judgement, expected } = judgeExpecting(balanceMinor, known, said);
  const inARow = judgement.verdict === row.verdict ? row.in_a_row + 1 : 1;
  return {
    row,
    note: '',
    judgement,
    expected,
    inARow,
    balanceMinor,
    feesDoubtedMinor,
    turnoverMinor,
    unplacedMinor,
  };
}

/** It differs, and nothing is done before another answer says so. */
export const isDoubted = ({ judgement, inARow }: Seen) =>
  judgement !== undefined && judgement.verdict !== 'agrees' && inARow < answersToAct;

export const keyOf = ({ provider, country, currency }: FloatWalletKey) => ({ provider, country, currency });

// What an operator said to move by hand moves later: until it shows, a wallet may hold what it did, or what it will.

/** Minor units. */
interface Expected {
  /** Is put there, and has not shown. */
  coming: bigint;
  /** Is taken out, and still shows. */
  going: bigint;
}

/**
 * Where an answer can only be read in one way, it tells what has shown, and what is there besides. Where it can be read in
 * several it teaches nothing: what was learnt from the wrong one would be a difference later.
 * @returns what is still expected, too.
 */
function judgeExpecting(
  balanceMinor: bigint,
  { offset, ...known }: Known,
  expected: Expected,
): { judgement: Judgement; expected: Expected } {
  const { coming, going } = expected;
  if (!offset || (coming === 0n && going === 0n))
    return { judgement: judge(balanceMinor, { offset, ...known }), expected };
  const shifted = (less: bigint, more: bigint) =>
    judge(balanceMinor, { ...known, offset: { least: offset.least - less, most: offset.most + more } });
  const readings = [...new Set([0n, coming])]
    .flatMap((come) => [...new Set([0n, going])].map((gone) => ({ come, gone })))
    .map(({ come, gone }) => ({
      judgement: shifted(gone - come, come - gone),
      expected: { coming: coming - come, going: going - gone },
    }))
    .filter(({ judgement }) => judgement.verdict === 'agrees');
  const [only, another] = readings;
  // A part of it may show as well.
  return only && !another ? only : { judgement: { ...shifted(going, coming), offset }, expected };
}
