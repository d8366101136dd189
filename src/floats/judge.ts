/**
 * Compares a wallet's balance with our books. Both are exact except for payments in progress. The money that our books do not
 * have (from before, or added by hand) is estimated as a range. Each matching balance narrows the range, and more so when fewer
 * payments are in progress. An operator can set it by an opening adjustment.
 */
import type { Environment } from '../config';
import { cutText } from '../domain/cut-text';
import { isThisMachine } from '../domain/ip-address';
import type { AskableWallets } from '../rail-kit/provider-wallets';
import type { FloatVerdict, FloatWalletKey, FloatWalletRow } from '../store/control-tables';
import type { Turnover } from './books';

/** The lowest and the highest possible amount, in minor units. */
export interface Between {
  least: bigint;
  most: bigint;
}

interface Known {
  /** Money in the wallet that our books do not have; undefined before the first balance. */
  offset: Between | undefined;
  /** The net sum of all our bookings there. */
  netMinor: bigint;
  /** The wallet may have this much less or more. */
  less: bigint;
  more: bigint;
}

export interface Judgement {
  verdict: Exclude<FloatVerdict, 'unknown'>;
  /** The lowest possible difference. */
  gapMinor: bigint;
  /** The highest possible difference: payments in progress may or may not be in the balance. */
  gapAtMostMinor: bigint;
  /** The money that our books do not have, by this balance only. */
  seen: Between;
  /** The same, by all matching balances. */
  offset: Between;
  /** The balance that we expect. */
  trusted: Between;
}

function judge(balanceMinor: bigint, { offset, netMinor, less, more }: Known): Judgement {
  const seen = { least: balanceMinor - netMinor - more, most: balanceMinor - netMinor + less };
  const kept = offset ?? seen;
  const trusted = { least: kept.least + netMinor - less, most: kept.most + netMinor + more };
  const beyond = (verdict: 'short' | 'over', gapMinor: bigint): Judgement => ({
    verdict,
    gapMinor,
    gapAtMostMinor: gapMinor + (verdict === 'short' ? less : more),
    seen,
    offset: kept,
    trusted,
  });
  if (seen.most < kept.least) return beyond('short', kept.least - seen.most);
  if (seen.least > kept.most) return beyond('over', seen.least - kept.most);
  const agreed = {
    least: seen.least > kept.least ? seen.least : kept.least,
    most: seen.most < kept.most ? seen.most : kept.most,
  };
  return { verdict: 'agrees', gapMinor: 0n, gapAtMostMinor: 0n, seen, offset: agreed, trusted };
}

/**
 * Whether a default allowance for fees applies. Our books do not have fees when the provider takes them, and payouts must not be
 * paused for them. The simulated providers, on this machine, take no fees.
 */
export function feesAreTaken(environment: Environment, { baseUrl }: { baseUrl: string }): boolean {
  // A provider's own sandbox takes fees like live.
  return environment === 'live' || !URL.canParse(baseUrl) || !isThisMachine(new URL(baseUrl).hostname);
}

/** The fees that a provider may have taken of a turnover, rounded up. */
function feesOf(turnoverMinor: bigint, perMille: number): bigint {
  return (turnoverMinor * BigInt(perMille) + 999n) / 1_000n;
}

// The result of a query for one wallet.

/** The balance and the books are not read at the same instant, so one answer proves nothing. */
const answersToAct = 2;

/** A wallet and its reported balance. */
export interface Seen {
  row: FloatWalletRow;
  note: string;
  judgement?: Judgement;
  /** Recorded transfers that the balance does not show yet. */
  expected?: Expected;
  /** How many times in a row the verdict was the same, including this one. */
  inARow: number;
  balanceMinor?: bigint;
  /** The part of the missing amount that may be fees above the allowance. */
  feesDoubtedMinor?: bigint;
  turnoverMinor?: bigint;
  unplacedMinor?: bigint;
}

/** See `AskableWallets`. */
type FeesTaken = Pick<AskableWallets, 'keepsPerMille' | 'mayKeepPerMille'>;
export const noFees: FeesTaken = { keepsPerMille: 0 };

export const nothing: Turnover = { net: 0n, turnover: 0n, less: 0n, more: 0n, unplaced: 0n };

export function unknownOf(row: FloatWalletRow, text: string): Seen {
  return { row, note: cutText(text, 255), inARow: row.in_a_row };
}

export function seenOf(row: FloatWalletRow, balanceMinor: bigint, sum: Turnover, taken: FeesTaken): Seen {
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
  const shownBalance = { coming: BigInt(row.coming_minor), going: BigInt(row.going_minor) };
  const { judgement, expected } = judgeExpecting(balanceMinor, known, shownBalance);
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

/** The balance differs, but a second answer must confirm it before anything is done. */
export const isDoubted = ({ judgement, inARow }: Seen) =>
  judgement !== undefined && judgement.verdict !== 'agrees' && inARow < answersToAct;

export const keyOf = ({ provider, country, currency }: FloatWalletKey) => ({ provider, country, currency });

// A recorded transfer happens later: until the balance shows it, the wallet may have the old or the new amount.

/** Minor units. */
interface Expected {
  /** Recorded transfers into the wallet that the balance does not show yet. */
  coming: bigint;
  /** Recorded transfers out of the wallet that the balance does not show yet. */
  going: bigint;
}

/**
 * If the balance fits exactly one combination of transfers, these have arrived, and the range is narrowed. If it fits several, the
 * range stays: a wrong guess would be a difference later.
 * @returns also the transfers that are still expected.
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
  // A part of a transfer may have arrived, too.
  return only && !another ? only : { judgement: { ...shifted(going, coming), offset }, expected };
}
