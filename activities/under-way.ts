/**
 * The running calls of this process, by the id of their payment or webhook. A call that outlasts its workflow task
 * continues, and the activity that takes over waits for that very call instead of starting another.
 */
export interface UnderWay<T> {
  /**
   * Starts a call, or joins the running one. A call that runs for too long, for example because its server is gone,
   * is not joined.
   * @param call receives whether it is the only one for this id.
   */
  run(id: string, call: (how: { isOnly: boolean }) => Promise<T>): Promise<T>;
  /** Resolves once no call is running any more, whatever its result, or after a time limit. */
  idle(): Promise<void>;
}

export interface RetryTimes {
  /** How long after its start a call can be joined, in milliseconds. */
  joinedForMs(): number;
  /** How long to wait for the end of all calls, in milliseconds. */
  idleWithinMs?: number;
  now?(): number;
}

interface Call<T> {
  begunAt: number;
  end: Promise<T>;
}

/** Less than a container has left to stop after its activities' time (see deploy/compose/production.yml). */
const idleWithinMsDefault = 20_000;

export function underWay<T>({
  joinedForMs,
  idleWithinMs = idleWithinMsDefault,
  now = Date.now,
}: RetryTimes): UnderWay<T> {
  /** The newest call of each id is the last. */
  const calls = new Map<string, Call<T>[]>();

  function forget(id: string, call: Call<T>): void {
    const others = (calls.get(id) ?? []).filter((other) => other !== call);
    if (others.length > 0) calls.set(id, others);
    else calls.delete(id);
  }

  return {
    run(id, call) {
      const others = calls.get(id) ?? [];
      const last = others.at(-1);
      if (last && now() - last.begunAt < joinedForMs()) return last.end;
      const begun: Call<T> = {
        begunAt: now(),
        end: call({ isOnly: others.length === 0 }).finally(() => {
          forget(id, begun);
        }),
      };
      calls.set(id, [...others, begun]);
      return begun.end;
    },
    async idle() {
      const until = now() + idleWithinMs;
      for (let leftMs = idleWithinMs; calls.size > 0 && leftMs > 0; leftMs = until - now()) {
        const ends = [...calls.values()].flat().map(({ end }) => end);
        await within(leftMs, Promise.allSettled(ends));
      }
    },
  };
}

/**
 * @returns undefined when it takes longer than `ms`; the call continues, and a caller that joins it gets its result.
 */
export async function within<T>(ms: number, call: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  // The call may fail when no caller waits any more.
  call.catch(() => undefined);
  try {
    return await Promise.race([call, patience]);
  } finally {
    clearTimeout(timer);
  }
}
