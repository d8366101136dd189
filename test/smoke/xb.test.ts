import { creditsOf, ended } from '../support/payments/timeline';
import { paymentOf, push } from '../support/rails/xb/payments';
import { verifySignature } from '../support/webhook-receiver';
import { smoke } from './stage';

const stage = smoke();

it.each([
  ['UGX', '256700000789', 20_000n],
  ['TZS', '255700000789', 2_000_000n],
])(
  'a cross-border push in %s is accepted, paid and booked, and its merchant gets a signed webhook',
  async (currency, phone_number, credited) => {
    const { stack, merchant } = stage;
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
  },
);
