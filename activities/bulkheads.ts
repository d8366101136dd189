/**
 * A concurrency limit per rail, so that a provider that does not answer delays only its own payments. The limits of
 * all rails together are below the worker's activity slots (see src/worker.ts).
 */
export interface Bulkhead {
  /** Runs `call` below the limit. @returns 'busy' at the limit. */
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

/** One bulkhead per rail, created at the rail's first use. */
export function bulkheadPerRail(placesMax: number): (rail: string) => Bulkhead {
  const byRail = new Map<string, Bulkhead>();
  return (rail) => {
    let found = byRail.get(rail);
    if (!found) byRail.set(rail, (found = bulkhead(placesMax)));
    return found;
  };
}
