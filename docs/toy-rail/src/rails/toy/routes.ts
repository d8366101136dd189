import { getMerchantPaymentOrThrow } from '../../payments/read/payments';
import type { Endpoint } from '../../rail-kit/endpoint';
import type { RailApi } from '../../rail-kit/rail';
import { toyAbout } from './description';
import { collectBody, draftOf, statusQuery } from './requests';
import { createdBody, statusBody } from './responses';

export function toyEndpoints(api: RailApi): Endpoint[] {
  return [
    {
      method: 'POST',
      path: '/api/v1/toy/collect',
      access: 'keys',
      scope: 'collect',
      rateLimit: 'api',
      input: collectBody,
      about: toyAbout.collect,
      starts: true,
      async handle(call) {
        const { payment } = await api.accept(call, draftOf(call.input));
        return { status: 200, body: createdBody(payment) };
      },
    },
    {
      method: 'GET',
      path: '/api/v1/toy/status',
      access: 'keys',
      scope: 'read',
      rateLimit: 'api',
      input: statusQuery,
      about: toyAbout.status,
      starts: false,
      async handle({ merchant, input }) {
        const id = input['payment_id'] as string;
        const payment = await getMerchantPaymentOrThrow(api.db, merchant.merchant_id, 'toy', id);
        return { status: 200, body: statusBody(payment) };
      },
    },
  ];
}
