/**
 * When a webhook is tried again: fourteen tries over 72 hours, quick ones for a restart of the merchant's server,
 * far ones for a weekend outage.
 */
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Milliseconds before each try, counted from the one before. */
export const pausesMs = [
  0,
  10 * second,
  1 * minute,
  5 * minute,
  15 * minute,
  30 * minute,
  1 * hour,
  2 * hour,
  4 * hour,
  8 * hour,
  12 * hour,
  12 * hour,
  16 * hour,
  16 * hour,
] as const;

export const triesMax = pausesMs.length;

/** A pause is up to this much longer or shorter, so that merchants who failed together do not return together. */
const jitter = 0.1;

export interface Pace {
  /** How many times faster than the wall clock durations run; 1 in live. */
  timeScale: number;
  /** Between 0 and 1. */
  random?: (() => number) | undefined;
}

/** @returns milliseconds until the next try after `tries` failed ones, or undefined after the last. */
export function pauseAfter(tries: number, { timeScale, random = Math.random }: Pace): number | undefined {
  const pauseMs = pausesMs[tries];
  if (pauseMs === undefined) return undefined;
  return Math.round((pauseMs * (1 + jitter * (2 * random() - 1))) / timeScale);
}
