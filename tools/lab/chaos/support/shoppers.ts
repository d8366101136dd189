/** Merchants who ask for whatever comes to their mind, and repeat what was not answered under the same key. */
import { setTimeout as delay } from 'node:timers/promises';
import { operations } from '../../crash/operations';
import type { Operation, Story } from '../../crash/operations/operation';
import { trialName, type Lane } from '../../crash/support/lane';
import { isFinal } from '../../../../src/domain/payment';
import type { TestMerchant } from '../../../../test/support/stack';
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
  /** What must not happen to anybody, whatever breaks: no answer for too long, or one that nobody has described. */
  wrong?: string;
}

/** Those that a merchant can ask for beside others: none that sets what all share. */
const shared = /^(?:stk\/push-swept|momo\/payout-cancelled|cli\/)/;
const shoppedOperations: readonly Operation[] = operations.filter(({ name }) => !shared.test(name));

const pauseMs = 200;

export interface ShopOptions {
  isOver(): boolean;
  /** Until when an answer is waited for to what was asked for at a time (`performance.now()`), as things stand. */
  patientUntil(askedAt: number): number;
  onShopped?(one: Shopped): void;
}

/** Shops one thing after the other until `isOver`; what is begun then is brought to its end. */
export async function shop(
  world: Pick<World, 'asCalled'>,
  chance: Chance,
  merchant: TestMerchant,
  { isOver, patientUntil, onShopped }: ShopOptions,
): Promise<Shopped[]> {
  const lane = { stack: world.asCalled, merchant } as Lane;
  const shopped: Shopped[] = [];
  while (!isOver()) {
    const operation = chance.pick(shoppedOperations);
    const thinksMs = chance.between(0, 800);
    const name = trialName();
    const done = await shopOne(lane, operation, { name, patientUntil }).catch((error: unknown) => ({
      wrong: messageOf(error),
    }));
    const one = { merchant, operation: operation.name, name, ...done };
    shopped.push(one);
    onShopped?.(one);
    await delay(thinksMs);
  }
  return shopped;
}

type Done = Pick<Shopped, 'story' | 'id' | 'toldAt' | 'tookMs' | 'refused' | 'wrong'>;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
/** An answer that docs/openapi.json does not know (test/support/watch-answers.ts). */
const isUndescribed = (said: string): boolean => said.includes('answered otherwise');

async function shopOne(
  lane: Lane,
  operation: Operation,
  { name, patientUntil }: Pick<ShopOptions, 'patientUntil'> & { name: string },
): Promise<Done> {
  const story = await operation.begin(lane, name).catch((error: unknown) => {
    if (isUndescribed(messageOf(error))) throw error;
    return undefined;
  });
  if (!story) return {};
  const askedAt = performance.now();
  const isPatient = () => performance.now() <= patientUntil(askedAt);
  let said = 'nothing';
  while (isPatient()) {
    try {
      const id = await story.ask();
      if (id !== undefined) {
        const toldAt = performance.now();
        await act(lane, story, id, isPatient);
        return { story, id, toldAt, tookMs: toldAt - askedAt };
      }
    } catch (error) {
      // Without a line to look the id up by there is nothing to know yet.
      said = messageOf(error);
      if (isUndescribed(said)) return { story, wrong: said };
      if (said.startsWith('was answered')) return { story, refused: said };
    }
    await delay(pauseMs);
  }
  const askedForMs = Math.round(performance.now() - askedAt);
  return { story, wrong: `was not answered in ${String(askedForMs)} ms; what was last heard: ${said}` };
}

/** The customer comes back until it is done, or there is nothing to pay any more. */
async function act(
  { stack: { db } }: Lane,
  story: Story,
  id: string,
  isPatient: () => boolean,
): Promise<void> {
  while (story.acts && isPatient()) {
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
