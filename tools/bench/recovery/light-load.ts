/** A few payments per second, under any conditions: when each was accepted, and when it was announced. */
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../sandbox/services/wait-for';
import { clockMs, type Pay } from '../load/payment';

export interface LightLoad {
  /** When the first payment after this time was accepted, as the merchant saw it. */
  acceptedAfter(at: number): Promise<number>;
  /** When the first payment accepted after this time was settled and announced. */
  settledAfter(at: number): Promise<number>;
  stop(): Promise<void>;
}

interface Taken {
  acceptedAt: number;
  finishedAt?: number;
}

const everyMs = 250;
/** Shorter than a merchant's timeout: the measurement must not include a call to a dead process. */
const patienceMs = 120_000;

export function lightLoad(pay: Pay): LightLoad {
  const taken: Taken[] = [];
  const stopping = new AbortController();

  async function one(): Promise<void> {
    const answer = await pay().catch(() => undefined);
    if (answer?.kind !== 'accepted') return;
    const payment: Taken = { acceptedAt: clockMs() };
    taken.push(payment);
    payment.finishedAt = await answer.finished;
  }

  async function go(): Promise<void> {
    const all: Promise<void>[] = [];
    while (!stopping.signal.aborted) {
      all.push(one().catch(() => undefined));
      await delay(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    await Promise.all(all);
  }
  const going = go();

  const first = (what: string, find: () => number | undefined) =>
    waitFor(() => Promise.resolve(find()), { what, timeoutMs: patienceMs, everyMs: 10 });
  return {
    acceptedAfter: (at) =>
      first('an accepted payment', () => taken.find(({ acceptedAt }) => acceptedAt >= at)?.acceptedAt),
    settledAfter: (at) =>
      first('a settled payment', () => {
        const ends = taken.flatMap(({ acceptedAt, finishedAt }) =>
          acceptedAt >= at && finishedAt !== undefined ? [finishedAt] : [],
        );
        return ends.length === 0 ? undefined : Math.min(...ends);
      }),
    async stop() {
      stopping.abort();
      await going;
    },
  };
}
