import type { Log } from '../domain/log';
import type { PaymentKind, PaymentState } from '../domain/payment';
import type { Database } from '../store/database';
import type { Rail } from './rail';

/** The dependencies of the engine. One per process. */
export interface PaymentsContext {
  db: Database;
  rails: Rails;
  log: Log;
  /** Sandbox durations are divided by this. */
  timeScale: number;
  /** How long a merchant waits for the first answer, in milliseconds. */
  creationTimeoutMs: number;
  /** Counts the states that payments enter, and the cause: one of a few words. */
  observeTransition(rail: string, kind: PaymentKind, to: PaymentState, cause: string): void;
  /** True where the default limit applies to a payout without a limit of its kind (controls/default-limits.ts). */
  outflowDefaults?: boolean | undefined;
  /** How far the sandbox was advanced; absent in live, where time is never changed. */
  sandboxAheadMs?: (() => Promise<number>) | undefined;
}

export interface Rails {
  all: Rail[];
  /** @throws Error for a rail this deployment does not know. */
  get(name: string): Rail;
}

export function railsOf(all: Rail[]): Rails {
  const byName = new Map(all.map((rail) => [rail.name, rail]));
  return {
    all,
    get(name) {
      const rail = byName.get(name);
      if (!rail) throw new Error(`there is no rail ${name}`);
      return rail;
    },
  };
}
