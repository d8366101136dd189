/** Merchants who come whether the last one was served or not: so many payments a second, each asked for once. */
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { call, paymentIdOf, stkPush } from '../../../support/merchant-client';
import type { Stack, TestMerchant } from '../../../support/stack';

const eachMs = 200;

export interface Asked {
  /** By this process's own clock, in milliseconds. */
  beganMs: number;
  /** Undefined where no answer came. */
  status: number | undefined;
  /** From the call to the whole answer. */
  tookMs: number;
  /** Of what was accepted. */
  paymentId: string | undefined;
  /** What was said instead, and when to come back. */
  otherwise: string | undefined;
  retryAfter: string | undefined;
}

export interface SteadyLoad {
  /** What has been answered so far. */
  asked: readonly Asked[];
  /** Waits until so many more were accepted. */
  acceptMore(count: number): Promise<void>;
  /** Takes on nothing new, and resolves when all are answered. */
  end(): Promise<void>;
}

/** Five payments a second. */
export function steadyLoad(stack: Stack, merchant: TestMerchant): SteadyLoad {
  const asked: Asked[] = [];
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

export function failedOf(asked: readonly Asked[]): Asked[] {
  return asked.filter(({ status }) => status !== 200);
}

export function slowestOf(asked: readonly Asked[]): number {
  return Math.max(0, ...asked.map(({ tookMs }) => tookMs));
}
