import { showControls } from '../../../src/domain/controls';

/** What a person waiting at the terminal sees: one line when a long step begins, one every 10 s, one at its end. */
const repeatMs = 10_000;

/** Progress goes to stderr, so that a command's own output on stdout stays clean. */
export function say(line: string): void {
  process.stderr.write(`${showControls(line)}\n`);
}

export async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
  const startedAt = Date.now();
  const elapsed = () => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
  say(`… ${title}`);
  const repeat = setInterval(() => {
    say(`… ${title} (${elapsed()})`);
  }, repeatMs);
  try {
    const result = await work();
    say(`✓ ${title} (${elapsed()})`);
    return result;
  } catch (error) {
    say(`✗ ${title} (${elapsed()})`);
    throw error;
  } finally {
    clearInterval(repeat);
  }
}
