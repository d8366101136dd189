import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oneAtATime } from '../../../tools/sandbox/services/one-at-a-time';

const folder = mkdtempSync(join(tmpdir(), 'malipo-one-at-a-time-'));
const lock = join(folder, 'tool.lock');
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('work that all clones of one user share', () => {
  it('is done by one after the other, whichever fails', async () => {
    let atWork = 0;
    let most = 0;
    const work = (fails: boolean) => async () => {
      atWork += 1;
      most = Math.max(most, atWork);
      await new Promise((resolve) => setImmediate(resolve));
      atWork -= 1;
      if (fails) throw new Error('no such module');
      return 'made';
    };
    const ended = await Promise.allSettled(
      [false, true, false].map((fails) => oneAtATime(lock, work(fails))),
    );
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(most).toBe(1);
    expect(existsSync(lock)).toBe(false);
  });

  it('is taken over from a process that died', async () => {
    // No process has this number.
    writeFileSync(lock, '4194999 1');
    await expect(oneAtATime(lock, () => Promise.resolve('made'))).resolves.toBe('made');
  });
});
