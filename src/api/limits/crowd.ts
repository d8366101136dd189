/**
 * Whoever waits for an acceptance at the same time: how many, and how long one more of them would. What makes them wait is
 * what they share, the processors and Temporal; the time of their providers is nobody's queue. So the answer is measured:
 * as many as are inside, times the time between two who leave while many are.
 */

/** Fewer than this leave as they came, which tells nothing of how fast they could. */
const manyFrom = 8;
/** Until it was measured. */
const firstGuessMs = 25;
/** Of what was known before, whenever another leaves. */
const remembered = 15 / 16;
/** Whoever is inside for longer waits for something else, such as a provider that hangs. */
const countedForMs = 2_000;

export interface Visit {
  /** Who is called, and has a speed of their own. */
  lane: string;
  merchantId: string;
}

export interface Crowd {
  /** How many of those inside wait for what is shared; with fractions, as many wait for a provider besides. */
  size(): number;
  /** Milliseconds for which one more of them would wait for an acceptance, without its provider's time. */
  waitMs(): number;
  /** Merchants who have somebody inside, and how many of `size` are this one's. */
  shares(merchantId: string): { merchants: number; own: number };
  enter(visit: Visit): Leave;
}

/**
 * To be called when one leaves, with the milliseconds that were its provider's. They are 'unknown' of work that was begun
 * and not served, or of which nobody told: then only that it made way is learnt. Without anything when none was begun, of
 * which nothing is learnt. Once is enough.
 */
export type Leave = (elsewhereMs?: number | 'unknown') => void;

interface Inside extends Visit {
  at: number;
}

export function createCrowd(now: () => number): Crowd {
  const inside = new Set<Inside>();
  /** By lane: of the milliseconds spent inside, those that were spent waiting for what is shared. */
  const spent = new Map<string, { own: number; all: number }>();
  let betweenMs = firstGuessMs;
  /** When somebody last left while many were inside, if there have been many ever since: nobody is slow who is not there. */
  let leftAt: number | undefined;

  function ownShare(lane: string): number {
    const { own, all } = spent.get(lane) ?? { own: 1, all: 1 };
    return all > 0 ? own / all : 1;
  }

  const isCounted = ({ at }: Inside) => at > now() - countedForMs;

  function size(): number {
    let sum = 0;
    for (const one of inside) if (isCounted(one)) sum += ownShare(one.lane);
    return sum;
  }

  function learnShare({ lane, at }: Inside, elsewhereMs: number): void {
    const all = now() - at;
    const own = Math.max(0, all - elsewhereMs);
    const before = spent.get(lane) ?? { own: 0, all: 0 };
    spent.set(lane, { own: before.own * remembered + own, all: before.all * remembered + all });
  }

  function learnPace(): void {
    if (leftAt !== undefined) {
      betweenMs = betweenMs * remembered + Math.min(now() - leftAt, countedForMs) * (1 - remembered);
    }
    leftAt = now();
  }

  return {
    size,
    waitMs: () => (size() + 1) * betweenMs,
    shares(merchantId) {
      const merchants = new Set([merchantId]);
      let own = 0;
      for (const one of inside) {
        if (!isCounted(one)) continue;
        merchants.add(one.merchantId);
        if (one.merchantId === merchantId) own += ownShare(one.lane);
      }
      return { merchants: merchants.size, own };
    },
    enter(visit) {
      if (size() + 1 < manyFrom) leftAt = undefined;
      const one = { ...visit, at: now() };
      inside.add(one);
      return (elsewhereMs) => {
        const wereMany = size() >= manyFrom;
        if (!inside.delete(one)) return;
        if (!wereMany) leftAt = undefined;
        if (elsewhereMs === undefined) return;
        if (elsewhereMs !== 'unknown') learnShare(one, elsewhereMs);
        // Who was counted no more makes no way for anybody by giving up.
        const makesWay = elsewhereMs !== 'unknown' || isCounted(one);
        if (wereMany && makesWay) learnPace();
      };
    },
  };
}
