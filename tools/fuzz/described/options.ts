import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

export interface Options {
  seed: string;
  /** How many are to be made up in all, shared by the operations; what lies at the limits of fields comes on top. */
  cases: number;
  /** Beginnings of paths; none: every path. */
  only: string[];
}

/** @throws an Error for an option that is none, or has no such value. */
export function readOptions(args: string[]): Options {
  const options = {
    seed: { type: 'string' },
    cases: { type: 'string' },
    only: { type: 'string', multiple: true },
  } as const;
  const {
    seed = String(randomInt(1_000_000)),
    cases = '1200',
    only = [],
  } = parseArgs({ args, options }).values;
  for (const [name, text] of Object.entries({ seed, cases })) {
    if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number`);
  }
  return { seed, cases: Number(cases), only };
}
