import { parseArgs } from 'node:util';
import type { SidePlan } from './measures/side';

export interface BenchOptions {
  json: boolean;
  sides: SidePlan;
  steadySeconds: number;
  overloadSeconds: number;
  /** Where the siege is to be measured, and nothing else: how long each half of it lasts. */
  siegeSeconds?: number;
}

/** Fewer could not fill a loop of 20, whose first and last payments are not counted, for any time at all. */
const paymentsMin = 60;

/** @throws Error for an option that is unknown or makes no sense. */
export function readOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      json: { type: 'boolean' },
      quick: { type: 'boolean' },
      siege: { type: 'boolean' },
      payments: { type: 'string' },
    },
  });
  const { json = false, quick = false, siege = false } = values;
  const rounds = quick ? 1 : 2;
  const payments = Number(values.payments ?? (quick ? 120 : 400));
  if (!Number.isInteger(payments) || payments / rounds < paymentsMin) {
    throw new Error(`--payments must be a whole number from ${paymentsMin * rounds}`);
  }
  return {
    json,
    sides: {
      rounds,
      crowded: Math.floor(payments / rounds),
      alone: quick ? 30 : 50,
      warmUp: quick ? 60 : 100,
    },
    steadySeconds: quick ? 4 : 15,
    overloadSeconds: quick ? 2 : 5,
    ...(siege && { siegeSeconds: quick ? 10 : 30 }),
  };
}
