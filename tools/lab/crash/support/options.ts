import { parseArgs } from 'node:util';

export interface CrashOptions {
  /** The number of concurrent stacks. */
  stacks: number;
  rail: string | undefined;
  operation: string | undefined;
  /** The full name of one point. */
  only: string | undefined;
  /** The `part`-th of so many parts of all points: together the parts are all points. */
  every: number;
  part: number;
  /** The file of the results, where an earlier run's results are found too. */
  results: string | undefined;
  /** After this time no further point is started, in milliseconds. */
  msMax: number;
  /** Points are counted and listed, but not tried. */
  list: boolean;
}

/** @param text the command's arguments, as a JSON array. @throws Error for an unknown or invalid option. */
export function readOptions(text: string): CrashOptions {
  const { values } = parseArgs({
    args: JSON.parse(text) as string[],
    options: {
      stacks: { type: 'string', default: '8' },
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
  const whole = (name: 'stacks' | 'every' | 'part' | 'minutes'): number => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number from 1`);
    return value;
  };
  return {
    stacks: whole('stacks'),
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
