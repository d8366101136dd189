import { parseArgs } from 'node:util';

export interface CrashOptions {
  /** How many stacks work at once. */
  lanes: number;
  rail: string | undefined;
  operation: string | undefined;
  /** The whole name of one point. */
  only: string | undefined;
  /** Of so many parts of all points the `part`-th: the parts together are all of them. */
  every: number;
  part: number;
  /** Where what was tried is kept, and what an earlier run has tried is found. */
  results: string | undefined;
  /** After which no further point is begun, in milliseconds. */
  msMax: number;
  /** Points are counted and listed, and not tried. */
  list: boolean;
}

/** @param text the command's arguments, as a JSON array. @throws Error for an option that is unknown or makes no sense. */
export function readOptions(text: string): CrashOptions {
  const { values } = parseArgs({
    args: JSON.parse(text) as string[],
    options: {
      lanes: { type: 'string', default: '8' },
      rail: { type: 'string' },
      operation: { type: 'string' },
      only: { type: 'string' },
      results: { type: 'string' },
      every: { type: 'string', default: '1' },
      part: { type: 'string', default: '1' },
      minutes: { type: 'string', default: '1440' },
      list: { type: 'boolean', default: false },
    },
  });
  const whole = (name: 'lanes' | 'every' | 'part' | 'minutes'): number => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number from 1`);
    return value;
  };
  return {
    lanes: whole('lanes'),
    rail: values.rail,
    operation: values.operation,
    only: values.only,
    results: values.results,
    every: whole('every'),
    part: whole('part'),
    msMax: whole('minutes') * 60_000,
    list: values.list,
  };
}
