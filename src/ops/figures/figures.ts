/** What an API process shows in its metrics of the world around it: each subject is read at a pace of its own. */
import type { Log } from '../../domain/log';

export interface Figures {
  /** What could not be read, in the log. */
  what: string;
  everyMs: number;
  /** Not at once but at any moment until then: what reads much, processes that start together do not read together. */
  firstWithinMs?: number;
  /** Reads it, and sets its gauges. What it cannot read it shows as unknown, or leaves as it was, and throws. */
  show(): Promise<void>;
}

/** Begins at once, unless it says otherwise. What takes longer than its pace is not begun a second time. @returns what ends it. */
export function keepShowing(figures: readonly Figures[], log: Log): { stop(): void } {
  let isStopped = false;
  const timers = new Set<NodeJS.Timeout>();
  for (const one of figures) {
    let isAtIt = false;
    async function once(): Promise<void> {
      if (isAtIt) return;
      isAtIt = true;
      try {
        await one.show();
      } catch (error) {
        if (!isStopped) log.warn('a figure of the metrics could not be read', { what: one.what, error });
      } finally {
        isAtIt = false;
      }
    }
    const begin = (): void => {
      void once();
      timers.add(setInterval(() => void once(), one.everyMs));
    };
    if (one.firstWithinMs === undefined) begin();
    else timers.add(setTimeout(begin, Math.random() * one.firstWithinMs));
  }
  return {
    stop() {
      isStopped = true;
      for (const timer of timers) clearInterval(timer);
    },
  };
}
