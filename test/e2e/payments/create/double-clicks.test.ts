/** The same request twice within a moment, on every rail and in every direction: one payment. */
import { randomUUID } from 'node:crypto';
import { acceptances, outfit, toldIdOf, type Acceptance } from '../../../support/acceptances';
import { expectClean } from '../../../support/expect-clean';
import { call, type ApiAnswer } from '../../../support/merchant-client';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';

const all = Object.entries(acceptances).map(([what, acceptance]) => ({ what, acceptance }));

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
    { path }: Acceptance,
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
  const request = (acceptance: Acceptance, as = merchant) => acceptance.request(stack, as, randomUUID());

  it.each(all)('makes one of $what, and tells which', async ({ acceptance }) => {
    const body = await request(acceptance);
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(acceptance, body)));
    const [living, ...others] = await acceptance.living(stack.db, body);
    expect([living, others]).toEqual([expect.any(String), []]);
    const refused = answers.filter(({ status }) => status !== 200);
    const isAlwaysAnswered = acceptance.isOnceForEver ?? acceptance.isAnsweredAgain ?? false;
    expect(refused).toHaveLength(isAlwaysAnswered ? 0 : 4);
    for (const { status, body: told } of refused) {
      expect([status, told.code, told.payment_id]).toEqual([409, 'DUPLICATE_PAYMENT', living]);
    }
    for (const answer of answers) expect(await toldIdOf(stack.db, answer)).toBe(living);
  });

  it.each(all.filter(({ acceptance }) => acceptance.isOnceForEver !== true))(
    'with two Idempotency-Keys makes two of $what',
    async ({ acceptance }) => {
      const body = await request(acceptance);
      const keyed = () => send(acceptance, body, { 'Idempotency-Key': randomUUID() });
      expect([(await keyed()).status, (await keyed()).status]).toEqual([200, 200]);
      expect(await acceptance.living(stack.db, body)).toHaveLength(2);
    },
  );

  it.each(all.filter(({ acceptance }) => acceptance.isOnceForEver !== true))(
    'makes two of $what for a merchant who has switched the guard off',
    async ({ acceptance }) => {
      const open = await outfit(stack, await stack.createMerchant('Unguarded', { duplicateWindow: 0 }));
      const body = await request(acceptance, open);
      const answers = [await send(acceptance, body, {}, open), await send(acceptance, body, {}, open)];
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(await acceptance.living(stack.db, body)).toHaveLength(2);
    },
  );
});
