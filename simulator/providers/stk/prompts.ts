/** The prompts on customers' handsets: accepted, decided after a while, and reported by callback. */
import { drawOnce, unused } from '../../identifiers';
import type { ProviderContext } from '../../provider';
import { callbackOf, forgedCallbacks } from './callback';
import { newCheckoutRequestId, newMerchantRequestId, newReceipt } from './identifiers';
import type { PromptRequest } from './requests';
import type { ResultCode } from './results';
import type { Scenario, Step } from './scenarios';

export interface Prompt extends PromptRequest {
  checkoutRequestId: string;
  merchantRequestId: string;
  createdAt: number;
  /** The query's result; absent while the prompt is open. */
  outcome?: ResultCode;
  /** What was paid. */
  payment?: { amount: number; receipt: string; at: number };
  /** When a user can no longer decide; absent without a user, and after a decision. */
  waitsUntil?: number;
  shortBy: number;
  partialMetadata: boolean;
  /** The query's result code while the prompt is open, if it is not the usual envelope. */
  openAs?: '1037' | '4999';
  /** The network showed no prompt, because there was an equal one a moment before. */
  isLimited?: true;
}

/** A user's actions on a prompt, and their result codes. An ignored prompt times out by itself. */
export const personActions = { pay: '0', cancel: '1032', ignore: undefined } as const satisfies Record<
  string,
  ResultCode | undefined
>;
export type PersonAction = keyof typeof personActions;

/**
 * At least two minutes must be between two prompts for the same amount and customer (result 17, "Rule limited", in the
 * provider's documentation of M-Pesa Express).
 */
const similarWithinMs = 120_000;

export interface Prompts {
  /** Whether the rule is on, and this payer had a prompt for the same amount a moment ago. */
  isLimited(request: PromptRequest): boolean;
  accept(request: PromptRequest, scenario: Scenario): Promise<Prompt>;
  find(checkoutRequestId: string): Prompt | undefined;
  /** By the receipt, or by the network's id of the prompt's payment; no other name works. */
  findPaid(receipt: string, merchantRequestId: string): Prompt | undefined;
  /** Prompts that wait for a user, newest first. */
  waiting(): Prompt[];
  /** The query knows at once; the callback follows. */
  decide(prompt: Prompt, action: PersonAction): Prompt;
}

interface StepJob {
  checkoutRequestId: string;
  step: Step;
}

const STEP = 'stk.step';

export function openPrompts({
  journal,
  clock,
  schedule,
  faults,
  callbacks,
  books,
}: ProviderContext): Prompts {
  const prompts = journal.collection<Prompt>('stk.prompts');
  const receipts = new Set<string>();
  const waiting = new Set<string>();
  /** The last prompt for each payer and amount. A prompt that the rule stopped does not count. */
  const askedAt = new Map<string, number>();
  const keyOf = ({ phone, amount }: PromptRequest) => `${phone} ${String(amount)}`;
  for (const prompt of prompts.values()) {
    const { checkoutRequestId, payment, waitsUntil, createdAt, isLimited } = prompt;
    if (!isLimited) askedAt.set(keyOf(prompt), createdAt);
    if (payment) receipts.add(payment.receipt);
    if (waitsUntil !== undefined) waiting.add(checkoutRequestId);
  }

  const save = (prompt: Prompt) => {
    prompts.put(prompt.checkoutRequestId, prompt);
    if (prompt.waitsUntil === undefined) waiting.delete(prompt.checkoutRequestId);
    else waiting.add(prompt.checkoutRequestId);
  };
  const pay = (prompt: Prompt): Prompt => {
    const at = clock.callersNow();
    const receipt = drawOnce(receipts, () => newReceipt(at));
    const amount = prompt.amount - prompt.shortBy;
    books.book({
      provider: 'stk',
      reference: prompt.checkoutRequestId,
      receipt,
      callerReference: prompt.accountReference,
      amount: `${String(amount)}.00`,
      currency: 'KES',
      phone: prompt.phone,
    });
    return { ...prompt, payment: { amount, receipt, at } };
  };
  const settle = (prompt: Prompt, outcome: ResultCode): Prompt => {
    const { waitsUntil: _, ...decided } = prompt;
    const settled = { ...(outcome === '0' ? pay(decided) : decided), outcome };
    save(settled);
    return settled;
  };
  const perform = async ({ checkoutRequestId, step }: StepJob): Promise<void> => {
    const open = prompts.get(checkoutRequestId);
    if (!open) return;
    const prompt = step.outcome === undefined ? open : settle(open, step.outcome);
    if (step.callback !== undefined) await notify(prompt, step.callback);
  };
  const notify = (prompt: Prompt, code: ResultCode) =>
    callbacks.send(callbackOf(prompt, code), { phone_number: prompt.phone }, prompt.checkoutRequestId, {
      forge: () => [...forgedCallbacks(prompt, code), callbackOf(prompt, code)],
      ...(code === '0' && {
        contradict: () => [{ ...callbackOf(prompt, '1032'), fault: 'contradict' }, callbackOf(prompt, code)],
      }),
    });
  schedule.on(STEP, (data) => perform(data as StepJob));

  const jobId = (checkoutRequestId: string, index: number) => `${STEP}:${checkoutRequestId}:${String(index)}`;
  const plan = (checkoutRequestId: string, from: number, steps: readonly Step[]) => {
    for (const [index, step] of steps.entries()) {
      schedule.add({
        id: jobId(checkoutRequestId, index),
        kind: STEP,
        dueAt: from + step.afterMs,
        bulkhead: checkoutRequestId,
        data: { checkoutRequestId, step } satisfies StepJob,
      });
    }
  };

  return {
    isLimited(request) {
      const since = clock.now() - (askedAt.get(keyOf(request)) ?? -Infinity);
      const isSwitchedOn = faults.take('stk', 'prompt', { phone_number: request.phone }, ['rule_limited']);
      return isSwitchedOn !== undefined && since < similarWithinMs;
    },
    async accept(request, scenario) {
      const createdAt = clock.now();
      const checkoutRequestId = unused(
        () => newCheckoutRequestId(createdAt, request.phone),
        (candidate) => prompts.get(candidate) !== undefined,
      );
      const last = scenario.steps.at(-1);
      const prompt: Prompt = {
        ...request,
        checkoutRequestId,
        merchantRequestId: newMerchantRequestId(),
        createdAt,
        shortBy: scenario.shortBy ?? 0,
        partialMetadata: scenario.partialMetadata ?? false,
        ...(scenario.isLimited && { isLimited: true }),
        ...(scenario.openAs && { openAs: scenario.openAs }),
        ...(scenario.person && last && { waitsUntil: createdAt + last.afterMs }),
      };
      if (!scenario.isLimited) askedAt.set(keyOf(request), createdAt);
      save(prompt);
      const [first, ...later] = scenario.steps;
      const overtakes = first && faults.take('stk', 'callback', { phone_number: request.phone }, ['reorder']);
      if (overtakes) await perform({ checkoutRequestId, step: first });
      plan(checkoutRequestId, createdAt, overtakes ? later : scenario.steps);
      return prompt;
    },
    find: (checkoutRequestId) => prompts.get(checkoutRequestId),
    findPaid: (receipt, merchantRequestId) =>
      [...prompts.values()].find(
        ({ payment, merchantRequestId: id }) =>
          payment && (receipt === '' ? id === merchantRequestId : payment.receipt === receipt),
      ),
    waiting: () => [...waiting].flatMap((id) => prompts.get(id) ?? []).reverse(),
    decide(prompt, action) {
      const { checkoutRequestId } = prompt;
      const code = personActions[action];
      if (code === undefined) {
        const { waitsUntil: _, ...ignored } = prompt;
        save(ignored);
        return ignored;
      }
      schedule.cancel(jobId(checkoutRequestId, 0));
      const decided = settle(prompt, code);
      plan(checkoutRequestId, clock.now(), [{ afterMs: 0, callback: code }]);
      return decided;
    },
  };
}
