import { together, worthASecondChance, type Counts } from '../../support/second-chance.cjs';

/** A run of files named by number, of which these failed. */
function run(length: number, ...failed: number[]): Counts[] {
  return Array.from({ length }, (_, at) => ({
    path: String(at),
    passed: 2,
    failed: failed.includes(at) ? 1 : 0,
  }));
}

describe('a second chance', () => {
  it('is for the few files of a long run that failed', () => {
    expect(worthASecondChance(run(100, 7, 9, 11))).toEqual(['7', '9', '11']);
    const dozen = Array.from({ length: 12 }, (_, at) => at);
    expect(worthASecondChance(run(100, ...dozen))).toHaveLength(12);
    expect(worthASecondChance(run(100))).toEqual([]);
  });

  it('is for nobody when many failed, or when few were run', () => {
    const many = Array.from({ length: 13 }, (_, at) => at);
    expect(worthASecondChance(run(100, ...many))).toEqual([]);
    expect(worthASecondChance(run(99, 1))).toEqual([]);
  });

  it.each(['chaos/chaos', 'crash/crash-points', 'sequences/core', 'second-checker/rails'])(
    'is for nobody once test/%s.test.ts has failed: it breaks things on purpose',
    (name) => {
      const found = { path: `/somewhere/test/${name}.test.ts`, passed: 1, failed: 1 };
      expect(worthASecondChance([...run(100, 7), found])).toEqual([]);
      expect(worthASecondChance([...run(100, 7), { ...found, failed: 0 }])).toEqual(['7']);
    },
  );

  it('is for a fault that was planted, and did not show itself', () => {
    const path = '/somewhere/test/faults/chaos/planted.test.ts';
    expect(worthASecondChance([...run(100), { path, passed: 0, failed: 1 }])).toEqual([path]);
  });

  it('counts, and names what it saved; what fails again has failed', () => {
    const again = [
      { path: '1', passed: 3, failed: 0 },
      { path: '2', passed: 2, failed: 1 },
    ];
    expect(together(run(4, 1, 2), again)).toEqual({ passed: 9, failed: 1, raced: ['1'] });
    expect(together(run(4), [])).toEqual({ passed: 8, failed: 0, raced: [] });
  });

  it('may be taken twice', () => {
    const again = [
      { path: '1', passed: 2, failed: 1 },
      { path: '1', passed: 3, failed: 0 },
    ];
    expect(together(run(4, 1), again)).toEqual({ passed: 9, failed: 0, raced: ['1'] });
  });
});
