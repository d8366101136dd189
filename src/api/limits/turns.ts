/**
 * Turns for work that nobody with keys asked for: it begins one after another, at a steady pace and in the gaps between
 * what merchants with keys begin, and never in a burst beside them. Whoever finds no gap is let through all the same now
 * and then; among those who wait, whoever has asked for least comes first.
 */
import { PaymentError } from '../../domain/errors';

export interface TurnsOptions {
  perMinute: number;
  /** True while a gap has to be waited for. */
  isBusy(): boolean;
  /** How much somebody has asked for lately: the fewer, the sooner. */
  askedBy(name: string): number;
  waitingMax?: number;
  /** How long, in milliseconds, somebody waits for a turn before being told to come back. */
  patienceMs?: number;
}

export interface Turns {
  /** @throws PaymentError RATE_LIMITED for somebody who would not be let into the queue. */
  look(name: string): void;
  /**
   * Resolves when it is somebody's turn.
   * @throws PaymentError RATE_LIMITED when enough wait who have not asked for far more, or no turn came in time.
   */
  take(name: string): Promise<void>;
}

/** However busy, one begins this often: at half the pace, and once a second where that is slower. */
const longestGapMs = 1_000;
/** How often a gap is looked for. */
const lookEveryMs = 10;

interface Waiting {
  name: string;
  begin(): void;
  refuse(): void;
}

export function createTurns(options: TurnsOptions): Turns {
  const { perMinute, isBusy, askedBy, waitingMax = 16, patienceMs = 3_000 } = options;
  const everyMs = 60_000 / perMinute;
  const atLeastEveryMs = Math.max(everyMs, Math.min(longestGapMs, 2 * everyMs));
  const queue: Waiting[] = [];
  let begunAt = -Infinity;
  let timer: NodeJS.Timeout | undefined;

  function refusal(): PaymentError {
    return new PaymentError('RATE_LIMITED', { retryAfterSeconds: Math.ceil(patienceMs / 1_000) });
  }

  /** Of those who have asked for most, the one who came last. */
  function greediest(): Waiting | undefined {
    let found: Waiting | undefined;
    for (const one of queue) if (!found || askedBy(one.name) >= askedBy(found.name)) found = one;
    return found;
  }

  /** Of those who have asked for least, the one who came first. */
  function modest(): Waiting | undefined {
    let found: Waiting | undefined;
    for (const one of queue) if (!found || askedBy(one.name) < askedBy(found.name)) found = one;
    return found;
  }

  function leave(one: Waiting): void {
    const place = queue.indexOf(one);
    if (place !== -1) queue.splice(place, 1);
  }

  function msToNext(): number {
    const sinceMs = performance.now() - begunAt;
    if (sinceMs < everyMs) return everyMs - sinceMs;
    return sinceMs < atLeastEveryMs && isBusy() ? lookEveryMs : 0;
  }

  function go(): void {
    timer = undefined;
    for (let next = modest(); next; next = modest()) {
      const waitMs = msToNext();
      if (waitMs > 0) {
        // Whoever waits keeps the process alive by their connection.
        timer = setTimeout(go, Math.ceil(waitMs)).unref();
        return;
      }
      leave(next);
      begunAt = performance.now();
      next.begin();
    }
  }

  /** Those of a flood ask for much the same: were each to take another's place, all of them would have to be read. */
  const hasRoomFor = (name: string, asked: number): boolean =>
    queue.length < waitingMax || asked * 2 < askedBy(greediest()?.name ?? name);

  return {
    look(name) {
      // As it will be once this is counted.
      if (!hasRoomFor(name, askedBy(name) + 1)) throw refusal();
    },
    take(name) {
      if (!hasRoomFor(name, askedBy(name))) return Promise.reject(refusal());
      if (queue.length >= waitingMax) greediest()?.refuse();
      return new Promise((resolve, reject) => {
        const one: Waiting = {
          name,
          begin() {
            clearTimeout(patience);
            resolve();
          },
          refuse() {
            clearTimeout(patience);
            leave(one);
            reject(refusal());
          },
        };
        const patience = setTimeout(one.refuse, patienceMs).unref();
        queue.push(one);
        if (!timer) go();
      });
    },
  };
}
