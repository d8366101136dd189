/** What each file of the smoke tier begins with: a merchant of its own on the stack that all of them use. */
import { expectClean } from '../support/expect-clean';
import { sharedStack } from '../support/shared-stack';
import type { Stack, TestMerchant } from '../support/stack';

export interface Smoke {
  stack: Stack;
  merchant: TestMerchant;
}

/** @returns what is there once the first test begins. Its last word is that `malipo verify` finds nothing. */
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
