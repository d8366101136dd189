import { racesMax, together, worthASecondChance, type Counts } from '../../support/second-chance.cjs';

const file = (path: string, ...failures: string[]): Counts => ({
  path,
  passed: 2,
  failed: failures.length,
  skipped: 0,
  failures,
});

describe('a second chance', () => {
  it('is for the few files with a failed test', () => {
    const files = [file('test/faults/deploy.test.ts'), file('test/faults/failover.test.ts', 'one', 'two')];
    expect(worthASecondChance(files)).toEqual(['test/faults/failover.test.ts']);
    expect(worthASecondChance([file('test/faults/deploy.test.ts')])).toEqual([]);
  });

  it('is for none if more tests failed than a run may have races', () => {
    const failures = Array.from({ length: racesMax }, (_, at) => `test ${String(at)}`);
    expect(worthASecondChance([file('a', ...failures)])).toEqual(['a']);
    expect(worthASecondChance([file('a', ...failures), file('b', 'one more')])).toEqual([]);
  });

  it('is for none once chaos has found something, except if a planted fault did not show', () => {
    const other = file('/somewhere/test/faults/deploy.test.ts', 'one');
    const chaos = '/somewhere/test/faults/chaos/chaos.test.ts';
    expect(worthASecondChance([other, file(chaos, 'a seed')])).toEqual([]);
    expect(worthASecondChance([other, file(chaos)])).toEqual([other.path]);
    const planted = '/somewhere/test/faults/chaos/planted.test.ts';
    expect(worthASecondChance([file(planted, 'is found')])).toEqual([planted]);
  });
});

describe('a run with a second chance', () => {
  it('counts a file that passed alone by that result, and names each test that had failed', () => {
    const first = [file('a'), file('b', 'one', 'two'), file('c', 'three')];
    const again = [file('b'), file('c', 'three')];
    expect(together(first, again)).toEqual({
      files: [file('a'), file('b'), file('c', 'three')],
      races: [
        { path: 'b', test: 'one' },
        { path: 'b', test: 'two' },
      ],
    });
  });

  it('has no races if nothing ran again', () => {
    expect(together([file('a')], [])).toEqual({ files: [file('a')], races: [] });
  });
});
