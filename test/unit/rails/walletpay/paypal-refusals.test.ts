/** Which of the merchant's fields a refusal of the wallet provider is about. */
import type { ProviderAnswer } from '../../../../src/rail-kit/provider-http';
import {
  notAccepted,
  orderRefusals,
  payoutRefusals,
} from '../../../../src/rails/walletpay/providers/paypal/refusals';

function refusal(status: number, name: string, detail: Record<string, string>): ProviderAnswer {
  const json = { name, message: 'It was refused.', debug_id: 'd-1', details: [detail] };
  return { kind: 'answered', status, json, text: JSON.stringify(json) };
}

const unitPath = "/purchase_units/@reference_id=='default'";

describe('a refused order', () => {
  it.each([
    [`${unitPath}/amount/value`, 'amount'],
    ['/purchase_units/0/amount/value', 'amount'],
    [`${unitPath}/amount`, 'amount'],
    [`${unitPath}/amount/currency_code`, 'currency'],
    // The description is the merchant's name and its order_id.
    [`${unitPath}/description`, 'order_id'],
  ])('about %s names %s', (field, ours) => {
    const answer = refusal(400, 'INVALID_REQUEST', { field, issue: 'INVALID_PARAMETER_VALUE' });
    expect(notAccepted(answer, orderRefusals)).toEqual({
      kind: 'refused',
      publicCode: 'PROVIDER_REJECTED_REQUEST',
      providerCode: 'INVALID_PARAMETER_VALUE',
      text: 'It was refused.',
      field: ours,
    });
  });

  it.each([
    `${unitPath}/custom_id`,
    `${unitPath}/invoice_id`,
    '/intent',
    'PayPal-Request-Id',
    '/payment_source/paypal/experience_context/return_url',
    '',
  ])('about %j, which is ours, names nothing', (field) => {
    const answer = refusal(422, 'UNPROCESSABLE_ENTITY', { field, issue: 'NEVER_SEEN' });
    const refused = notAccepted(answer, orderRefusals);
    expect(refused).toMatchObject({ kind: 'refused', publicCode: 'PROVIDER_REJECTED_REQUEST' });
    expect(refused).not.toHaveProperty('field');
  });
});

describe('a refused payout', () => {
  it.each([
    ['items[0].receiver', 'recipient_email'],
    ['/items/0/receiver', 'recipient_email'],
    ['items[0].note', 'note'],
    ['items[0].amount.value', 'amount'],
    ['items[0].amount', 'amount'],
    ['items[0].amount.currency', 'currency'],
  ])('about %s names %s', (field, ours) => {
    const answer = refusal(400, 'VALIDATION_ERROR', { field, issue: 'Value is invalid' });
    expect(notAccepted(answer, payoutRefusals)).toMatchObject({
      kind: 'refused',
      publicCode: 'PROVIDER_REJECTED_REQUEST',
      field: ours,
    });
  });

  it.each(['sender_batch_header.sender_batch_id', 'items[0].sender_item_id', 'items[0].recipient_type'])(
    'about %j, which is ours, names nothing',
    (field) => {
      const answer = refusal(400, 'VALIDATION_ERROR', { field, issue: 'Value is invalid' });
      expect(notAccepted(answer, payoutRefusals)).not.toHaveProperty('field');
    },
  );
});
