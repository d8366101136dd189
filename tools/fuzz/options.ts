import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { readReplay, type FuzzRequest } from './request';
import type { FuzzPlan } from './run';

export interface FuzzOptions extends FuzzPlan {
  replay?: FuzzRequest;
}

const concurrency = 24;

/** @throws Error for an unknown or invalid option. */
export function readOptions(args: string[]): FuzzOptions {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string' },
      minutes: { type: 'string' },
      requests: { type: 'string' },
      replay: { type: 'string' },
    },
  });
  const { seed = String(randomInt(1_000_000)), minutes = '5', requests = '1000000', replay } = values;
  const number = (name: string, text: string, max: number): number => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= 0 && value <= max)) {
      throw new Error(`--${name} must be a number up to ${String(max)}`);
    }
    return value;
  };
  return {
    seed: Math.floor(number('seed', seed, 4_294_967_295)),
    msMax: number('minutes', minutes, 24 * 60) * 60_000,
    requestsMax: Math.floor(number('requests', requests, 100_000_000)),
    concurrency,
    ...(replay !== undefined && { replay: readReplay(replay) }),
  };
}
