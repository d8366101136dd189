/** The answers to the requests of a run, by operation. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { table } from '../../../src/cli/table';

/** By operation, then by kind of answer, and by status with its code; see hooks.py. */
type Counts = Record<string, Record<string, number>>;

const kinds = ['positive', 'negative', '2xx', '3xx', 'own 4xx', 'other 4xx', '5xx'] as const;

export interface Counted {
  cases: number;
  text: string;
  /** Operations that were never successful, or never rejected for a reason of their own. */
  unseen: string[];
}

/** @param folder with one file per process; no two have tested the same operation. */
export function readCounts(folder: string): Counted {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const all = files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Counts);
  const operations = all
    .flatMap((counts) => Object.entries(counts))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const rowOf = (of: Record<string, number>) => kinds.map((kind) => of[kind] ?? 0);
  const rows = operations.map(([name, of]) => [name, ...rowOf(of)] as const);
  const totals = kinds.map((_, n) => rows.reduce((sum, row) => sum + Number(row[n + 1]), 0));
  const shown = [...rows, ['all', ...totals] as const].map((row) => row.map(String));
  return {
    cases: (totals[0] ?? 0) + (totals[1] ?? 0),
    text: table(['operation', ...kinds], shown),
    unseen: operations.flatMap(([name, of]) => [
      ...((of['2xx'] ?? 0) + (of['3xx'] ?? 0) === 0
        ? [`${name} was never successful: ${answersIn(of)}`]
        : []),
      ...(of['own 4xx'] === undefined ? [`${name} was never rejected for a reason of its own`] : []),
    ]),
  };
}

/** For example `404 PAYMENT_NOT_FOUND 38, 401 2`. */
function answersIn(of: Record<string, number>): string {
  return Object.entries(of)
    .filter(([name]) => /^\d{3}(?: |$)/.test(name))
    .map(([name, count]) => `${name} ${String(count)}`)
    .join(', ');
}
