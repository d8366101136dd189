/** Prints to the simulator's terminal. Callers' texts are escaped, so they cannot move the cursor. */
import { inspect } from 'node:util';

const control = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

export function complain(what: string, error?: unknown): void {
  const text = error === undefined ? what : `${what} ${inspect(error)}`;
  const shown = text.replaceAll(control, (sign) => `\\x{${sign.charCodeAt(0).toString(16)}}`);
  process.stderr.write(`${shown}\n`);
}
