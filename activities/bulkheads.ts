/**
 * Bounded places per rail, so that a provider that hangs holds up its own payments and nobody else's. All rails'
 * places together are fewer than the worker's activity slots (see src/worker.ts).
 */
export interface Bulkhead {
  /** Runs `call` if a place is free. @returns 'busy' when none is. */
  run<T>(call: () => Promise<T>): Promise<T | 'busy'>;
}

function bulkhead(placesMax: number): Bulkhead {
  let taken = 0;
  return {
    async run(call) {
      if (taken >= placesMax) return 'busy';
      taken += 1;
      try {
        return await call();
      } finally {
        taken -= 1;
      }
    },
  };
}

/** One bulkhead per rail, made when the rail is first used. */
export function bulkheadPerRail(placesMax: number): (rail: string) => Bulkhead {
  const byRail = new Map<string, Bulkhead>();
  return (rail) => {
    let found = byRail.get(rail);
    if (!found) byRail.set(rail, (found = bulkhead(placesMax)));
    return found;
  };
}
