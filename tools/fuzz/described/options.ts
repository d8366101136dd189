import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

export interface Options {
  seed: string;
  /** The total number of generated requests, divided among the operations; boundary values of fields are extra. */
  cases: number;
  /** Beginnings of paths; empty for every path. */
  only: string[];
}

/** @throws an Error for an unknown option or an invalid value. */
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
