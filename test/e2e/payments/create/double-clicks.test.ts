/** The same request twice within a moment, on every rail and in every direction: one payment. */
import { randomUUID } from 'node:crypto';
import { acceptances, outfit, answeredIdOf, type CreationRequest } from '../../../support/creation-requests';
import { expectClean } from '../../../support/expect-clean';
import { call, type ApiAnswer } from '../../../support/merchant-client';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';

const all = Object.entries(acceptances).map(([what, submissionResult]) => ({ what, submissionResult }));

describe('a double click', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 20 });
    // Sandbox time runs 20 times as fast: two minutes of the wall clock, however slow the machine is.
    merchant = await outfit(stack, await stack.createMerchant('Guarded', { duplicateWindow: 40 * 60 }));
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const send = (
    { path }: CreationRequest,
    body: Record<string, unknown>,
    headers: Record<string, string> = {},
    as = merchant,
  ): Promise<ApiAnswer> =>
    call(
      stack,
      as,
      'POST',
      path,
      'merchant_id' in body ? { ...body, merchant_id: as.merchantId } : body,
      headers,
    );
  const request = (submissionResult: CreationRequest, as = merchant) =>
    submissionResult.request(stack, as, randomUUID());

  it.each(all)('creates one $what, and returns its id', async ({ submissionResult }) => {
    const body = await request(submissionResult);
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(submissionResult, body)));
    const [living, ...others] = await submissionResult.living(stack.db, body);
    expect([living, others]).toEqual([expect.any(String), []]);
    const refused = answers.filter(({ status }) => status !== 200);
    const isAlwaysAnswered = submissionResult.isOnceForEver ?? submissionResult.isAnsweredAgain ?? false;
    expect(refused).toHaveLength(isAlwaysAnswered ? 0 : 4);
    for (const { status, body: reported } of refused) {
      expect([status, reported.code, reported.payment_id]).toEqual([409, 'DUPLICATE_PAYMENT', living]);
    }
    for (const answer of answers) expect(await answeredIdOf(stack.db, answer)).toBe(living);
  });

  it.each(all.filter(({ submissionResult }) => submissionResult.isOnceForEver !== true))(
    'with two Idempotency-Keys creates two: $what',
    async ({ submissionResult }) => {
      const body = await request(submissionResult);
      const keyed = () => send(submissionResult, body, { 'Idempotency-Key': randomUUID() });
      expect([(await keyed()).status, (await keyed()).status]).toEqual([200, 200]);
      expect(await submissionResult.living(stack.db, body)).toHaveLength(2);
    },
  );

  it.each(all.filter(({ submissionResult }) => submissionResult.isOnceForEver !== true))(
    'creates two for a merchant without the duplicate check: $what',
    async ({ submissionResult }) => {
      const open = await outfit(stack, await stack.createMerchant('Unguarded', { duplicateWindow: 0 }));
      const body = await request(submissionResult, open);
      const answers = [
        await send(submissionResult, body, {}, open),
        await send(submissionResult, body, {}, open),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(await submissionResult.living(stack.db, body)).toHaveLength(2);
    },
  );
});
