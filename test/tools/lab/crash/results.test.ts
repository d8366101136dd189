import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportOf } from '../../../../tools/lab/crash/support/report';
import { partOf, resultsIn, together } from '../../../../tools/lab/crash/support/results';
import type { Tried } from '../../../../tools/lab/crash/support/run';

const folder = mkdtempSync(join(tmpdir(), 'malipo-results-'));
const file = join(folder, 'results.jsonl');
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const tried = (boundary: string, faults: string[] = []): Tried => ({
  point: { operation: 'stk/push', victim: 'worker', boundary },
  tries: 1,
  trial: { crossings: {}, killed: true, faults, ends: ['succeeded'], ms: 1_000 },
});

describe('a run of crash points in parts', () => {
  it('continues where the previous one ended, repeats violations, and reports on both', () => {
    const first = resultsIn(file);
    expect(first.before).toEqual([]);
    first.add(tried('a.before'));
    first.add(tried('b.before', ['was told nothing']));

    const second = resultsIn(file);
    expect(second.isDone(tried('a.before').point)).toBe(true);
    expect(second.isDone(tried('b.before').point)).toBe(false);
    const now = [tried('b.before'), tried('c.before')];
    const report = reportOf({ points: [], tried: together(second.before, now), broken: [] });
    expect(report.at(-1)).toBe('3 points, 3 tried, 3 killed there, 0 not passed, 0 violations');
  });

  it('has parts that are all points together, each in one of them', () => {
    const points = Array.from({ length: 300 }, (_, n) => tried(`point-${String(n)}.before`).point);
    const parts = points.map((point) => partOf(point, 3));
    expect(new Set(parts)).toEqual(new Set([1, 2, 3]));
    expect(points.map((point) => partOf(point, 3))).toEqual(parts);
    expect(new Set(points.map((point) => partOf(point, 1)))).toEqual(new Set([1]));
  });
});
