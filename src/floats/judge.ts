/**
 * What a wallet tells, against what our books say that it holds. Both are known up to what is under way; so is what it
 * held before, and whatever else our books do not know of: that is learnt from each answer that agrees, and narrower
 * with each that is given while less is under way, unless an operator states it.
 */
import type { Environment } from '../config';
import { isThisMachine } from '../domain/ip-address';
import type { FloatVerdict } from '../store/float-tables';

/** From the least to the most that an amount can be, in minor units. */
export interface Between {
  least: bigint;
  most: bigint;
}

export interface Known {
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

export function judge(balanceMinor: bigint, { offset, netMinor, less, more }: Known): Judgement {
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
export function feesOf(turnoverMinor: bigint, perMille: number): bigint {
  return (turnoverMinor * BigInt(perMille) + 999n) / 1_000n;
}
