/** A merchant whose program follows our rules: it repeats a request with its key until it is answered. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { paymentIdOf, stkPush, call, type ApiAnswer } from '../../support/merchant-client';
import type { Stack, TestMerchant } from '../../support/stack';

const comeBackLater = new Set([
  'ACCEPTANCE_UNKNOWN',
  'REQUEST_IN_PROGRESS',
  'RATE_LIMITED',
  'SERVICE_BUSY',
  'SERVICE_UNAVAILABLE',
]);
const pauseMs = 200;
const patienceMs = 120_000;

export interface Sent {
  /** Every answer on the way; the last one counts. */
  answers: ApiAnswer[];
  /** Requests without any answer. */
  broken: number;
}

export interface Pushed extends Sent {
  paymentId: string;
}

/** Pushes until the payment is accepted. */
export async function pushUntilAccepted(
  stack: Pick<Stack, 'apiUrl'>,
  merchant: TestMerchant,
  changes: Record<string, unknown> = {},
): Promise<Pushed> {
  const sent = await sendUntilAccepted(stack, merchant, { path: '/api/v1/stk_push', body: stkPush(changes) });
  return { ...sent, paymentId: paymentIdOf(sent.answers.at(-1) as ApiAnswer) };
}

/**
 * Repeats a request with one key, its own if it has one, until it is accepted.
 * @throws on any answer other than "accepted" and "try again later", and after the time limit.
 */
export async function sendUntilAccepted(
  stack: Pick<Stack, 'apiUrl'>,
  merchant: TestMerchant,
  { path, body, key: idempotencyKey = randomUUID() }: { path: string; body: object; key?: string },
): Promise<Sent> {
  const key = { 'Idempotency-Key': idempotencyKey };
  const answers: ApiAnswer[] = [];
  const deadline = Date.now() + patienceMs;
  let broken = 0;
  while (Date.now() < deadline) {
    if (broken + answers.length > 0) await delay(pauseMs);
    const answer = await call(stack, merchant, 'POST', path, body, key).catch(() => undefined);
    if (!answer) {
      broken += 1;
      continue;
    }
    answers.push(answer);
    if (answer.status === 200) return { answers, broken };
    if (!comeBackLater.has(answer.body.code ?? '')) {
      throw new Error(`was answered: ${JSON.stringify(answers.map(({ body: reported }) => reported))}`);
    }
  }
  throw new Error(`not accepted in ${patienceMs} ms, last answered ${JSON.stringify(answers.at(-1)?.body)}`);
}

/** Does `work` for 0 … count-1, this many at once. */
export async function inParallel<T>(
  count: number,
  atOnce: number,
  work: (index: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  async function runner(): Promise<void> {
    while (next < count) {
      const index = next;
      next += 1;
      results[index] = await work(index);
    }
  }
  await Promise.all(Array.from({ length: atOnce }, runner));
  return results;
}
