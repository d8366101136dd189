/** The last lines of a run name its failed tests and their reasons. */
interface Counts {
  path: string;
  failures: string[];
  reasons?: string[];
}
const { failedTests } = jest.requireActual<{ failedTests: (files: Counts[]) => string[] }>(
  '../../support/failed-tests.cjs',
);

it('a failed test has its message, without colours, blank lines and stack', () => {
  const reason = '\u001b[31mError: expected 1\u001b[39m\n\nreceived 2\n    at a (b.ts:1:2)\n    at c';
  expect(failedTests([{ path: 'test/a.test.ts', failures: ['is paid'], reasons: [reason] }])).toEqual([
    'FAILED test/a.test.ts: is paid',
    '  Error: expected 1',
    '  received 2',
  ]);
});

it('tests that failed for one reason are one entry', () => {
  const failures = ['one', 'two', 'three'];
  expect(failedTests([{ path: 'a', failures, reasons: ['down', 'down', 'other'] }])).toEqual([
    'FAILED a: one (and 1 more)',
    '  down',
    'FAILED a: three',
    '  other',
  ]);
});

it('shows a dozen reasons, and a dozen lines of each', () => {
  const failures = Array.from({ length: 40 }, (_, n) => `test ${String(n)}`);
  const reasons = failures.map((name) => Array.from({ length: 50 }, () => `the line of ${name}`).join('\n'));
  const lines = failedTests([{ path: 'a', failures, reasons }]);
  expect(lines).toHaveLength(12 * 13 + 1);
  expect(lines.at(-1)).toBe('28 more reasons are in the log above');
});

it('prints nothing where every test passed', () => {
  expect(failedTests([{ path: 'a', failures: [] }])).toEqual([]);
});
