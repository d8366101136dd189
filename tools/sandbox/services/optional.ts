import { say } from './progress';

/** Gets something optional. On failure (no network, an old Go) it returns undefined, and prints why in one line. */
export async function optional<T>(get: () => Promise<T>): Promise<T | undefined> {
  try {
    return await get();
  } catch (error) {
    say(`it is skipped: ${inOneLine(error)}`);
    return undefined;
  }
}

/** The start of a command's error and its last line, which has the reason. */
function inOneLine(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error)).trim().split('\n');
  return [...new Set([lines[0], lines.at(-1)])].map((line = '') => line.trim()).join(' ');
}
