/** The start of each smoke test file: a merchant of its own on the shared stack. */
import { expectClean } from '../support/expect-clean';
import { sharedStack } from '../support/shared-stack';
import type { Stack, TestMerchant } from '../support/stack';

export interface Smoke {
  stack: Stack;
  merchant: TestMerchant;
}

/** @returns what exists once the first test begins. At the end, `malipo verify` must find no violation. */
export function smoke(): Smoke {
  const stage: Partial<Smoke> = {};
  beforeAll(async () => {
    stage.stack = await sharedStack();
    stage.merchant = await stage.stack.createMerchant();
  });
  afterAll(async () => {
    if (stage.stack === undefined) return;
    await expectClean(stage.stack);
    await stage.stack.stop();
  });
  return stage as Smoke;
}
