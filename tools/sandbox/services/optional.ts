import { say } from './progress';

/**
 * Gets what one can do without: where that fails (no network, a Go too old), it is as if it were not there, and why is
 * said in a line.
 */
export async function optional<T>(get: () => Promise<T>): Promise<T | undefined> {
  try {
    return await get();
  } catch (error) {
    say(`it is done without: ${inOneLine(error)}`);
    return undefined;
  }
}

/** Of a command its beginning and its last line, which has the reason. */
function inOneLine(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error)).trim().split('\n');
  return [...new Set([lines[0], lines.at(-1)])].map((line = '') => line.trim()).join(' ');
}
