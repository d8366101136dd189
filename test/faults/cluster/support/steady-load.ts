/**
 * Merchants who call at a fixed rate, whatever the earlier answers: a number of payments per second, each requested
 * once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { call, paymentIdOf, stkPush } from '../../../support/merchant-client';
import type { Stack, TestMerchant } from '../../../support/stack';

export interface SentRequest {
  /** By this process's own clock, in milliseconds. */
  beganMs: number;
  /** Undefined without an answer. */
  status: number | undefined;
  /** From the call to the complete answer. */
  tookMs: number;
  /** Of an accepted request. */
  paymentId: string | undefined;
  /** The error, and its Retry-After. */
  otherwise: string | undefined;
  retryAfter: string | undefined;
}

export interface SteadyLoad {
  /** The requests answered so far. */
  asked: readonly SentRequest[];
  /** Waits until this many more are accepted. */
  acceptMore(count: number): Promise<void>;
  /** Starts no new request, and resolves when all are answered. */
  end(): Promise<void>;
}

export function steadyLoad(stack: Stack, merchant: TestMerchant, perSecond = 5): SteadyLoad {
  const eachMs = 1_000 / perSecond;
  const asked: SentRequest[] = [];
  const open = new Set<Promise<void>>();
  let isOver = false;

  async function ask(): Promise<void> {
    const beganMs = performance.now();
    const took = () => ({ beganMs, tookMs: performance.now() - beganMs });
    try {
      const answer = await call(stack, merchant, 'POST', '/api/v1/stk_push', stkPush());
      const isAccepted = answer.status === 200;
      asked.push({
        ...took(),
        status: answer.status,
        paymentId: isAccepted ? paymentIdOf(answer) : undefined,
        otherwise: isAccepted ? undefined : JSON.stringify(answer.body),
        retryAfter: answer.headers.get('retry-after') ?? undefined,
      });
    } catch (error) {
      const nothing = { status: undefined, paymentId: undefined, retryAfter: undefined };
      asked.push({ ...took(), ...nothing, otherwise: String(error) });
    }
  }

  async function goOn(): Promise<void> {
    const startedAt = performance.now();
    for (let n = 0; !isOver; n += 1) {
      const asking = ask();
      open.add(asking);
      void asking.then(() => open.delete(asking));
      await delay(Math.max(0, startedAt + (n + 1) * eachMs - performance.now()));
    }
  }
  const going = goOn();
  const accepted = () => asked.filter(({ paymentId }) => paymentId !== undefined).length;

  return {
    asked,
    async acceptMore(count) {
      const before = accepted();
      const what = `${String(count)} more payments to be accepted`;
      await waitFor(async () => accepted() >= before + count, { what, timeoutMs: 120_000 });
    },
    async end() {
      isOver = true;
      await going;
      await Promise.all(open);
    },
  };
}

export function failedOf(asked: readonly SentRequest[]): SentRequest[] {
  return asked.filter(({ status }) => status !== 200);
}

export function slowestOf(asked: readonly SentRequest[]): number {
  return Math.max(0, ...asked.map(({ tookMs }) => tookMs));
}
