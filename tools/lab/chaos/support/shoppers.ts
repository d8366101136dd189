/** Merchants who make random requests, and repeat unanswered ones with the same key. */
import { setTimeout as delay } from 'node:timers/promises';
import { operations } from '../../crash/operations';
import type { Operation, Trial } from '../../crash/operations/operation';
import { trialName, type TestRig } from '../../crash/support/test-rig';
import { isFinal } from '../../../../src/domain/payment';
import type { TestMerchant } from '../../../../test/support/stack';
import type { Chance } from './random';
import type { World } from './world';

export interface Shopped {
  operation: string;
  /** Part of the references of everything it started. */
  name: string;
  merchant: TestMerchant;
  /** Absent if an earlier step, such as the deposit of a refund, failed. */
  history?: Trial;
  /** The payment in the merchant's answer, and when it came (`performance.now()`). */
  id?: string;
  reportedAt?: number;
  /** From the first request, in milliseconds. */
  tookMs?: number;
  /** The error that the merchant got instead. */
  refused?: string;
  /** What must never happen, under any faults: no answer for too long, or one that is not described. */
  wrong?: string;
}

/** Operations that a merchant can run beside others: none that changes shared settings. */
const shared = /^(?:stk\/push-swept|momo\/payout-cancelled|cli\/)/;
const shoppedOperations: readonly Operation[] = operations.filter(({ name }) => !shared.test(name));

const pauseMs = 200;

export interface ShopOptions {
  isOver(): boolean;
  /** Until when to wait for an answer to a request of that time (`performance.now()`), in the current conditions. */
  patientUntil(askedAt: number): number;
  onShopped?(one: Shopped): void;
}

/** Makes one request after the other until `isOver`; then finishes the last one. */
export async function shop(
  world: Pick<World, 'asCalled'>,
  chance: Chance,
  merchant: TestMerchant,
  { isOver, patientUntil, onShopped }: ShopOptions,
): Promise<Shopped[]> {
  const bulkhead = { stack: world.asCalled, merchant } as TestRig;
  const shopped: Shopped[] = [];
  while (!isOver()) {
    const operation = chance.pick(shoppedOperations);
    const thinksMs = chance.between(0, 800);
    const name = trialName();
    const done = await shopOne(bulkhead, operation, { name, patientUntil }).catch((error: unknown) => ({
      wrong: messageOf(error),
    }));
    const one = { merchant, operation: operation.name, name, ...done };
    shopped.push(one);
    onShopped?.(one);
    await delay(thinksMs);
  }
  return shopped;
}

type Done = Pick<Shopped, 'history' | 'id' | 'reportedAt' | 'tookMs' | 'refused' | 'wrong'>;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
/** An answer that docs/openapi.json does not describe (test/support/watch-answers.ts). */
const isUndescribed = (answer: string): boolean => answer.includes('answered otherwise');

async function shopOne(
  bulkhead: TestRig,
  operation: Operation,
  { name, patientUntil }: Pick<ShopOptions, 'patientUntil'> & { name: string },
): Promise<Done> {
  const history = await operation.begin(bulkhead, name).catch((error: unknown) => {
    if (isUndescribed(messageOf(error))) throw error;
    return undefined;
  });
  if (!history) return {};
  const askedAt = performance.now();
  const isPatient = () => performance.now() <= patientUntil(askedAt);
  let answer = 'nothing';
  while (isPatient()) {
    try {
      const id = await history.ask();
      if (id !== undefined) {
        const reportedAt = performance.now();
        await act(bulkhead, history, id, isPatient);
        return { history, id, reportedAt, tookMs: reportedAt - askedAt };
      }
      answer = history.lastAnswer?.() ?? 'nothing';
    } catch (error) {
      // Without a connection to find the id, nothing is known yet.
      answer = messageOf(error);
      if (isUndescribed(answer)) return { history, wrong: answer };
      if (answer.startsWith('was answered')) return { history, refused: answer };
    }
    await delay(pauseMs);
  }
  const askedForMs = Math.round(performance.now() - askedAt);
  return { history, wrong: `was not answered in ${String(askedForMs)} ms; the last answer: ${answer}` };
}

/** The customer tries again until it is done, or there is nothing left to pay. */
async function act(
  { stack: { db } }: TestRig,
  history: Trial,
  id: string,
  isPatient: () => boolean,
): Promise<void> {
  while (history.acts && isPatient()) {
    try {
      const payment = await db('payments').where({ payment_id: id }).first('state');
      if (!payment || isFinal(payment.state)) return;
      await history.acts(id);
      return;
    } catch {
      await delay(pauseMs);
    }
  }
}
