/** A merchant's view of a service with little load: payments that arrive at a steady rate. */
import type { Database } from '../../../src/store/database';
import { openLoop, type OpenLoopPlan } from '../load/open-loop';
import type { Pay } from '../load/payment';
import { creationMs, percentiles, type Percentiles } from '../measures/statistics';
import { waitsOf } from './waits';

export interface Spread {
  p50: number;
  p99: number;
}

export interface SteadyFigures {
  payments: number;
  /** More than none means that the machine cannot handle even this rate. */
  turned_away: number;
  accept_ms: Spread;
  /** Until the money is booked. */
  accept_to_final_ms: Spread;
  /** Until the merchant has the webhook. */
  accept_to_delivered_ms: Spread;
}

export async function measureSteady(pay: Pay, db: Database, plan: OpenLoopPlan): Promise<SteadyFigures> {
  const { samples, turnedAway, failures } = await openLoop(pay, plan);
  if (failures[0] !== undefined) throw new Error(failures[0]);
  const waits = await waitsOf(db, samples);
  if (turnedAway > 0) throw new Error(`${turnedAway} payments were rejected at ${plan.perSecond} per second`);
  return {
    payments: samples.length,
    turned_away: turnedAway,
    accept_ms: spread(percentiles(creationMs(samples))),
    accept_to_final_ms: spread(percentiles(waits.map(({ finalMs }) => finalMs))),
    accept_to_delivered_ms: spread(percentiles(waits.map(({ deliveredMs }) => deliveredMs))),
  };
}

export function spread({ p50_ms: p50, p99_ms: p99 }: Percentiles): Spread {
  return { p50, p99 };
}
