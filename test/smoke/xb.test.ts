import { expectClean } from '../support/expect-clean';
import { creditsOf, ended } from '../support/payment-story';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { verifySignature } from '../support/webhook-receiver';
import { paymentOf, push } from '../support/rails/xb/payment-story';

describe('a cross-border push from request to webhook', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  it.each([
    ['UGX', '256700000789', 20_000n],
    ['TZS', '255700000789', 2_000_000n],
  ])('is accepted, paid, credited and announced in %s', async (currency, phone_number, credited) => {
    const answer = await push(stack, merchant, { currency, phone_number });
    expect(answer.body).toMatchObject({ success: true, data: { state: 'PENDING' } });
    const { payment_id: id } = await paymentOf(stack.db, answer);
    const complete = await merchant.receiver.next(
      ({ body }) => body['id'] === id && (body['invoice'] as { state: string }).state === 'COMPLETE',
    );
    verifySignature(complete, merchant.webhookSecret);
    expect(complete.body).toMatchObject({
      invoice: { value: '20000', currency, api_ref: answer.body.data?.api_ref },
    });
    await ended(stack.db, id, ['succeeded']);
    expect(await creditsOf(stack.db, id)).toEqual([credited]);
  });
});
