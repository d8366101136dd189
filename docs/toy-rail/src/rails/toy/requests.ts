import Joi from 'joi';
import type { PaymentDraft } from '../../rail-kit/draft';
import { amountField, requiredText } from '../../rail-kit/fields';

/** The body of POST /api/v1/toy/collect. */
export const collectBody = Joi.object({
  amount: amountField({ currency: 'KES', min: '1', max: '1000' }).required(),
  phone_number: requiredText(15).description('Who pays').example('254700000001'),
  order_id: requiredText(100).description('Your reference').example('ORDER-1'),
});

/** The query of GET /api/v1/toy/status. */
export const statusQuery = Joi.object({
  payment_id: requiredText(36)
    .description('The payment_id of the answer')
    .example('01890a5d-ac96-774b-bcce-b302099a8057'),
});

interface CollectInput {
  amount: bigint;
  phone_number: string;
  order_id: string;
}

export function draftOf(input: Record<string, unknown>): PaymentDraft {
  const { amount, phone_number: phone, order_id: orderId } = input as unknown as CollectInput;
  return {
    rail: 'toy',
    kind: 'deposit',
    provider: 'toybank',
    currency: 'KES',
    requestedMinor: amount,
    phoneNumber: phone,
    orderId,
    sameness: { counterparty: phone, reference: orderId },
  };
}
