export interface Counts {
  path: string;
  passed: number;
  failed: number;
}
export function worthASecondChance(files: Counts[]): string[];
export function together(
  first: Counts[],
  again: Counts[],
): { passed: number; failed: number; raced: string[] };
