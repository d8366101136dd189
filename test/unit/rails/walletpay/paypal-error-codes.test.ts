/** The merchant's field that an error of the wallet provider concerns. */
import type { ProviderResponse } from '../../../../src/rail-kit/provider-http';
import {
  notAccepted,
  orderErrorCodes,
  payoutErrorCodes,
} from '../../../../src/rails/walletpay/providers/paypal/error-codes';

function denial(status: number, name: string, detail: Record<string, string>): ProviderResponse {
  const json = { name, message: 'It was refused.', debug_id: 'd-1', details: [detail] };
  return { kind: 'answered', status, json, text: JSON.stringify(json) };
}

const unitPath = "/purchase_units/@reference_id=='default'";

describe('a rejected order', () => {
  it.each([
    [`${unitPath}/amount/value`, 'amount'],
    ['/purchase_units/0/amount/value', 'amount'],
    [`${unitPath}/amount`, 'amount'],
    [`${unitPath}/amount/currency_code`, 'currency'],
    // The description is the merchant's name and its order_id.
    [`${unitPath}/description`, 'order_id'],
  ])('about %s names %s', (field, ours) => {
    const answer = denial(400, 'INVALID_REQUEST', { field, issue: 'INVALID_PARAMETER_VALUE' });
    expect(notAccepted(answer, orderErrorCodes)).toEqual({
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
    const answer = denial(422, 'UNPROCESSABLE_ENTITY', { field, issue: 'NEVER_SEEN' });
    const refused = notAccepted(answer, orderErrorCodes);
    expect(refused).toMatchObject({ kind: 'refused', publicCode: 'PROVIDER_REJECTED_REQUEST' });
    expect(refused).not.toHaveProperty('field');
  });
});

describe('a rejected payout', () => {
  it.each([
    ['items[0].receiver', 'recipient_email'],
    ['/items/0/receiver', 'recipient_email'],
    ['items[0].note', 'note'],
    ['items[0].amount.value', 'amount'],
    ['items[0].amount', 'amount'],
    ['items[0].amount.currency', 'currency'],
  ])('about %s names %s', (field, ours) => {
    const answer = denial(400, 'VALIDATION_ERROR', { field, issue: 'Value is invalid' });
    expect(notAccepted(answer, payoutErrorCodes)).toMatchObject({
      kind: 'refused',
      publicCode: 'PROVIDER_REJECTED_REQUEST',
      field: ours,
    });
  });

  it.each(['sender_batch_header.sender_batch_id', 'items[0].sender_item_id', 'items[0].recipient_type'])(
    'about %j, which is ours, names nothing',
    (field) => {
      const answer = denial(400, 'VALIDATION_ERROR', { field, issue: 'Value is invalid' });
      expect(notAccepted(answer, payoutErrorCodes)).not.toHaveProperty('field');
    },
  );
});
