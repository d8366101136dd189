/** A running call is joined, but not forever. */
import { underWay } from '../../../activities/under-way';

const joinedForMs = 30_000;

function aProcess({ idleWithinMs }: { idleWithinMs?: number } = {}) {
  let now = 0;
  const ends: ((result: string) => void)[] = [];
  const only: boolean[] = [];
  const calls = underWay<string>({
    joinedForMs: () => joinedForMs,
    ...(idleWithinMs !== undefined && { idleWithinMs, now: Date.now }),
    ...(idleWithinMs === undefined && { now: () => now }),
  });
  const call = ({ isOnly }: { isOnly: boolean }) => {
    only.push(isOnly);
    return new Promise<string>((resolve) => ends.push(resolve));
  };
  return {
    ...calls,
    begin: (id: string) => calls.run(id, call),
    ends,
    only,
    later: (ms: number) => {
      now += ms;
    },
  };
}

it('is joined while it may still end', async () => {
  const { begin, ends, later } = aProcess();
  const first = begin('a');
  later(joinedForMs - 1);
  const second = begin('a');
  expect(ends).toHaveLength(1);
  ends[0]?.('done');
  expect(await Promise.all([first, second])).toEqual(['done', 'done']);
});

it('is not joined when it is too old, and the new call knows that it is not the only one', async () => {
  const { begin, ends, only, later } = aProcess();
  const hung = begin('a');
  later(joinedForMs);
  const second = begin('a');
  const joined = begin('a');
  ends[1]?.('of the second');
  expect(await Promise.all([second, joined])).toEqual(['of the second', 'of the second']);
  const third = begin('a');
  ends[0]?.('late');
  expect(await hung).toBe('late');
  // The old call does not remove the new one.
  const fourth = begin('a');
  expect(ends).toHaveLength(3);
  ends[2]?.('of the third');
  expect(await Promise.all([third, fourth])).toEqual(['of the third', 'of the third']);
  expect(only).toEqual([true, false, false]);
  void begin('a');
  expect(only.at(-1)).toBe(true);
});

it('delays the end of a process only for a while', async () => {
  const { begin, idle } = aProcess({ idleWithinMs: 20 });
  void begin('never ends');
  await idle();
});
