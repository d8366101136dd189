/**
 * What this process has under way, by the id of what it is about. A call that a workflow task could not wait for goes on,
 * and the activity that takes over waits for that very call instead of beginning another.
 */
export interface UnderWay<T> {
  /**
   * Begins a call, or joins the one under way. One that may never end, because whom it waits for is gone, is left alone.
   * @param call learns whether it is the only one for this id.
   */
  run(id: string, call: (how: { isOnly: boolean }) => Promise<T>): Promise<T>;
  /** Resolves once nothing is under way any more, whatever became of it, or after a while. */
  idle(): Promise<void>;
}

export interface Patience {
  /** How long a call is joined after it has begun, in milliseconds. */
  joinedForMs(): number;
  /** How long the end of all calls is waited for, in milliseconds. */
  idleWithinMs?: number;
  now?(): number;
}

interface Call<T> {
  begunAt: number;
  end: Promise<T>;
}

/** Less than a container has to stop after its activities had their time (see docker-compose.yml). */
const idleWithinMsDefault = 20_000;

export function underWay<T>({
  joinedForMs,
  idleWithinMs = idleWithinMsDefault,
  now = Date.now,
}: Patience): UnderWay<T> {
  /** The newest of each id last. */
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
