/** How late callbacks come, counted in steps: what is kept of thousands is a dozen numbers. Pure. */

/** The upper ends of the steps, in seconds; the last one counts all that is longer. */
const stepsSeconds = [0, 1, 2, 5, 10, 20, 30, 60, 120, Infinity] as const;

/** One number for each step. */
export type Lags = readonly number[];

export const noLags: Lags = stepsSeconds.map(() => 0);

/** @param ms 0 or less where it came before anybody knew. */
export function withLag(lags: Lags, ms: number): Lags {
  const at = stepsSeconds.findIndex((seconds) => ms <= seconds * 1_000);
  return lags.map((n, step) => (step === at ? n + 1 : n));
}

export function sumOfLags(all: readonly Lags[]): Lags {
  return noLags.map((_, step) => all.reduce((sum, lags) => sum + (lags[step] ?? 0), 0));
}

/**
 * @param share such as 0.99.
 * @returns seconds within which so large a share has come: the end of its step; undefined where none has come.
 */
export function quantileOf(lags: Lags, share: number): number | undefined {
  const total = lags.reduce((sum, n) => sum + n, 0);
  if (total === 0) return undefined;
  let counted = 0;
  return stepsSeconds.find((_, step) => (counted += lags[step] ?? 0) >= total * share);
}

export const textOfLags = (lags: Lags): string => lags.join(',');

/** What cannot be read counts as nothing: another version may count in other steps. */
export function readLags(text: string): Lags {
  const numbers = text.split(',').map(Number);
  const isOurs = numbers.length === noLags.length && numbers.every((n) => Number.isSafeInteger(n) && n >= 0);
  return isOurs ? numbers : noLags;
}
