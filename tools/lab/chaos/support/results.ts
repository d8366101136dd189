/** The results of seeds, in a file of JSON lines: several runs, on several days, are summed. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { countOf, type Chaos } from './chaos';
import type { Recovery } from './recovery';

export interface SeedResult {
  seed: number;
  minutes: number;
  /** The end of the run (ISO 8601), and its commit. */
  at: string;
  commit: string;
  operations: Record<string, number>;
  taken: number;
  refused: number;
  payments: Record<string, number>;
  /** Open cases, by reason. */
  asked: Record<string, number>;
  faults: Record<string, number>;
  recoveries: Recovery[];
  /** Absent if it did not come to rest. */
  convergedMs?: number;
  violations: string[];
}

export function resultOf(seed: number, minutes: number, chaos: Chaos): SeedResult {
  const { shopped, struck, recoveries, convergedMs, payments, asked, violations } = chaos;
  return {
    ...{ seed, minutes, at: new Date().toISOString(), commit: commitOf() },
    operations: countOf(shopped.map(({ operation }) => operation)),
    taken: shopped.filter(({ id }) => id !== undefined).length,
    refused: shopped.filter(({ refused }) => refused !== undefined).length,
    faults: countOf(struck.map(({ kind }) => kind)),
    ...{ payments, asked, recoveries, violations },
    ...(convergedMs !== undefined && { convergedMs: Math.round(convergedMs) }),
  };
}

function commitOf(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

export function keepResult(file: string, result: SeedResult): void {
  appendFileSync(file, `${JSON.stringify(result)}\n`);
}

export function readResults(file: string): SeedResult[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as SeedResult);
}
