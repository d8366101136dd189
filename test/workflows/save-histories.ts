/** Makes the saved histories anew: one real payment for each. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PaymentState } from '../../src/domain/payment';
import { paymentIdOf } from '../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { atRest, ended, push } from '../rails/stk/payment-story';
import { getPaymentOrThrow } from '../../src/payments/payments';
import { connectEngine } from './temporal-client';

interface Run {
  phone: string;
  ends: PaymentState;
  /** How often the merchant's server fails before it takes the webhook. */
  webhookFailures?: number;
}

const runs: Record<string, Run> = {
  'stk-succeeded': { phone: '254708374149', ends: 'succeeded' },
  'stk-failed': { phone: '254711223344', ends: 'failed' },
  'stk-timed-out-then-paid': { phone: '254700000704', ends: 'succeeded' },
  'stk-refused': { phone: '254700000709', ends: 'failed' },
  'stk-webhook-retried': { phone: '254708374149', ends: 'succeeded', webhookFailures: 1 },
};

export const stories = Object.keys(runs);

/** What tells where and by whom a history was made, and nothing about the workflow. */
const untold = new Set([
  'identity',
  'stackTrace',
  'binaryChecksum',
  'workerVersion',
  'buildId',
  'inheritedBuildId',
]);

interface MessageClass {
  toObject(message: object, options: { longs: NumberConstructor; bytes: StringConstructor }): unknown;
}

/**
 * The history as plain JSON that the replayer takes as it is. The SDK's historyToJSON fails wherever npm has installed
 * protobufjs more than once, as it does here.
 */
function textOf(history: object): string {
  const plain = (history.constructor as unknown as MessageClass).toObject(history, {
    longs: Number,
    bytes: String,
  });
  const told = JSON.stringify(plain, (key, value: unknown) => (untold.has(key) ? undefined : value), 1);
  return `${told}\n`;
}

export async function saveHistories(folder: string): Promise<void> {
  const stack = await startStack({ timeScale: 20 });
  const engine = await connectEngine(stack);
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const [name, run] of Object.entries(runs)) {
      const payment = await getPaymentOrThrow(stack.db, await live(stack, run));
      const handle = engine.client.workflow.getHandle(payment.workflow_id);
      await handle.result();
      writeFileSync(join(folder, `${name}.json`), textOf(await handle.fetchHistory()));
    }
  } finally {
    await engine.close();
    await stack.stop();
  }
}

async function live(stack: Stack, { phone, ends, webhookFailures = 0 }: Run): Promise<string> {
  const merchant: TestMerchant = await stack.createMerchant();
  let left = webhookFailures;
  merchant.receiver.answerWith((_request, response) => {
    response.statusCode = left > 0 ? 500 : 200;
    left -= 1;
    response.end();
  });
  const paymentId = paymentIdOf(await push(stack, merchant, { phone_number: phone }));
  await ended(stack.db, paymentId, [ends]);
  await atRest(stack.db, paymentId);
  return paymentId;
}
