import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChaos } from '../../../tools/lab/chaos/support/chaos';
import { summaryOf } from '../../../tools/lab/chaos/support/report';
import { keepResult, readResults, resultOf, type SeedResult } from '../../../tools/lab/chaos/support/results';
import { startWorld } from '../../../tools/lab/chaos/support/world';

jest.mock('../../../tools/lab/chaos/support/world', () => ({
  ...jest.requireActual<object>('../../../tools/lab/chaos/support/world'),
  startWorld: jest.fn(),
}));

const result = (seed: number, changes: Partial<SeedResult>): SeedResult => ({
  ...{ seed, minutes: 3, at: '2026-11-24T20:00:00.000Z', commit: 'abc1234' },
  ...{ operations: { 'stk/push': 2 }, taken: 2, refused: 0, payments: { succeeded: 2 }, asked: {} },
  ...{ faults: { 'api killed': 1 }, recoveries: [], convergedMs: 2_000, violations: [] },
  ...changes,
});

it('sums the seeds of several runs from one file, including the recovery times', () => {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-results-'));
  const file = join(folder, 'chaos.jsonl');
  const recovered = (acceptedMs: number) => ({ kind: 'api killed', acceptedMs, endedMs: 500 });
  keepResult(file, result(1, { recoveries: [recovered(1_000)] }));
  keepResult(file, result(2, { recoveries: [recovered(9_000)], convergedMs: 8_000 }));
  const { convergedMs: _, ...never } = result(3, { violations: ['did not come to rest', 'and another'] });
  keepResult(file, never);
  const lines = summaryOf(readResults(file));
  rmSync(folder, { recursive: true });
  expect(lines).toContain('api killed, 3; 1.0, 9.0, 0.5, 0.5');
  expect(lines.at(-1)).toBe(
    '3 seeds, 9 min with faults: 6 operations, 6 payments, 3 faults, ' +
      'at rest after p50 2.0 s, at most 8.0 s, 2 violations in 1 seeds',
  );
});

it('a failing run is a violation of its seed, and does not stop the others', async () => {
  jest.mocked(startWorld).mockRejectedValue(new Error('no port is free'));
  const chaos = await runChaos({ seed: 9, ms: 1, say: () => undefined });
  expect(resultOf(9, 3, chaos)).toMatchObject({
    violations: ['could not start: no port is free'],
    operations: {},
    faults: {},
  });
});
