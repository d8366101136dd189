/**
 * What this process has under way, by the id of what it is about. A call that a workflow task could not wait for goes on,
 * and the activity that takes over waits for that very call instead of beginning another.
 */
export interface UnderWay<T> {
  /** Begins a call, or joins the one under way. */
  run(id: string, call: () => Promise<T>): Promise<T>;
  /** Resolves once nothing is under way any more, whatever became of it. */
  idle(): Promise<void>;
}

export function underWay<T>(): UnderWay<T> {
  const calls = new Map<string, Promise<T>>();
  return {
    run(id, call) {
      const found = calls.get(id);
      if (found) return found;
      const begun = call().finally(() => calls.delete(id));
      calls.set(id, begun);
      return begun;
    },
    async idle() {
      while (calls.size > 0) await Promise.allSettled(calls.values());
    },
  };
}

/** @returns undefined when it takes longer than `ms`; the call goes on, and whoever joins it learns how it ends. */
export async function within<T>(ms: number, call: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  // Nobody may be left to hear of its failure.
  call.catch(() => undefined);
  try {
    return await Promise.race([call, patience]);
  } finally {
    clearTimeout(timer);
  }
}
