/** Merchants who ask for whatever comes to their mind, and repeat what was not answered under the same key. */
import { setTimeout as delay } from 'node:timers/promises';
import { operations } from '../../crash/operations';
import type { Operation, Story } from '../../crash/operations/operation';
import { trialName, type Lane } from '../../crash/support/lane';
import { isFinal } from '../../../src/domain/payment';
import type { TestMerchant } from '../../support/stack';
import type { Chance } from './random';
import type { World } from './world';

export interface Shopped {
  operation: string;
  /** Stands in the references of all that it began. */
  name: string;
  merchant: TestMerchant;
  /** Absent where what comes before it, such as the deposit of a refund, was not done. */
  story?: Story;
  /** The payment that the merchant was told of, and when (`performance.now()`). */
  id?: string;
  toldAt?: number;
  /** From the first time that it was asked for, in milliseconds. */
  tookMs?: number;
  /** What the merchant was told instead. */
  refused?: string;
}

/** Those that a merchant can ask for beside others: none that sets what all share. */
const shared = /^(?:stk\/push-swept|momo\/payout-cancelled|cli\/)/;
const shoppedOperations: readonly Operation[] = operations.filter(({ name }) => !shared.test(name));

const pauseMs = 200;

export interface ShopOptions {
  isOver(): boolean;
  /** How long an answer is waited for, in milliseconds. */
  patienceMs: number;
  onShopped?(one: Shopped): void;
}

/** Shops one thing after the other until `isOver`; what is begun then is brought to its end. */
export async function shop(
  world: Pick<World, 'stack'>,
  chance: Chance,
  merchant: TestMerchant,
  { isOver, patienceMs, onShopped }: ShopOptions,
): Promise<Shopped[]> {
  const lane = { stack: world.stack, merchant } as Lane;
  const shopped: Shopped[] = [];
  while (!isOver()) {
    const operation = chance.pick(shoppedOperations);
    const thinksMs = chance.between(0, 800);
    const name = trialName();
    const done = await shopOne(lane, operation, { name, patienceMs });
    const one = { merchant, operation: operation.name, name, ...done };
    shopped.push(one);
    onShopped?.(one);
    await delay(thinksMs);
  }
  return shopped;
}

async function shopOne(
  lane: Lane,
  operation: Operation,
  { name, patienceMs }: { name: string; patienceMs: number },
): Promise<Pick<Shopped, 'story' | 'id' | 'toldAt' | 'tookMs' | 'refused'>> {
  const story = await operation.begin(lane, name).catch(() => undefined);
  if (!story) return {};
  const askedAt = performance.now();
  const until = askedAt + patienceMs;
  let id: string | undefined;
  let said = 'nothing';
  while (id === undefined) {
    if (performance.now() > until)
      throw new Error(
        `${operation.name} was not answered in ${String(patienceMs)} ms; what was last heard: ${said}`,
      );
    try {
      id = await story.ask();
    } catch (error) {
      // Without a line to look the id up by there is nothing to know yet.
      said = error instanceof Error ? error.message : String(error);
      if (said.includes('answered otherwise')) throw error;
      if (said.startsWith('was answered')) return { story, refused: said };
    }
    if (id === undefined) await delay(pauseMs);
  }
  const toldAt = performance.now();
  await act(lane, story, id, until);
  return { story, id, toldAt, tookMs: toldAt - askedAt };
}

/** The customer comes back until it is done, or there is nothing to pay any more. */
async function act({ stack: { db } }: Lane, story: Story, id: string, until: number): Promise<void> {
  while (story.acts && performance.now() < until) {
    try {
      const payment = await db('payments').where({ payment_id: id }).first('state');
      if (!payment || isFinal(payment.state)) return;
      await story.acts(id);
      return;
    } catch {
      await delay(pauseMs);
    }
  }
}
