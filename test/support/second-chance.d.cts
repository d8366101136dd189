export interface Counts {
  path: string;
  passed: number;
  failed: number;
  skipped: number;
  /** The full names of the tests that failed. */
  failures: string[];
}
export const racesMax: number;
export function worthASecondChance(files: readonly Counts[]): string[];
export function together(
  first: readonly Counts[],
  again: readonly Counts[],
): { files: Counts[]; races: { path: string; test: string }[] };
