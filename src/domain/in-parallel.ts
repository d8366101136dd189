/**
 * Runs a function for each item, with limited concurrency, until one says stop or fails. @returns the error, if there
 * was one.
 */
export async function inParallel<T>(
  all: readonly T[],
  atOnce: number,
  act: (one: T) => Promise<'go_on' | 'stop'>,
): Promise<{ done: T[]; left: T[]; error?: Error }> {
  const waiting = [...all];
  const done: T[] = [];
  const left: T[] = [];
  let error: Error | undefined;
  const isOver = () => error !== undefined || left.length > 0;
  async function work(): Promise<void> {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      try {
        const verdict = isOver() ? 'stop' : await act(one);
        (verdict === 'go_on' ? done : left).push(one);
      } catch (thrown) {
        error ??= thrown instanceof Error ? thrown : new Error(String(thrown));
        left.push(one);
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  return { done, left, ...(error === undefined ? {} : { error }) };
}
