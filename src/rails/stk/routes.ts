import { randomBytes } from 'node:crypto';
import type { Environment } from '../../config';
import type { Endpoint } from '../../rail-kit/endpoint';
import { getMerchantPaymentOrThrow } from '../../payments/read/payments';
import type { RailApi } from '../../rail-kit/rail';
import { stkPushAbout, stkStatusAbout } from './description';
import { draftOf, stkPushBody, stkStatusQuery } from './requests';
import { acceptedBody, statusBody } from './responses';
import type { StkSettings } from './settings';

export function stkEndpoints(
  api: RailApi,
  { amountMax }: Pick<StkSettings, 'amountMax'>,
  environment: Environment,
): Endpoint[] {
  return [
    {
      method: 'POST',
      path: '/api/v1/stk_push',
      access: 'keys',
      scope: 'collect',
      rateLimit: 'stk',
      input: stkPushBody(amountMax),
      about: stkPushAbout,
      starts: true,
      async handle(call) {
        const callbackToken = randomBytes(16).toString('hex');
        const draft = () => Promise.resolve(draftOf(call.input, call.merchant, callbackToken));
        const { payment } = await api.accept(call, draft);
        return { status: 200, body: acceptedBody(payment, environment) };
      },
    },
    {
      method: 'GET',
      path: '/api/v1/stk_push/status',
      access: 'keys',
      scope: 'read',
      rateLimit: 'api',
      input: stkStatusQuery,
      about: stkStatusAbout,
      starts: false,
      async handle({ merchant, input }) {
        const paymentId = input['payment_id'] as string;
        const payment = await getMerchantPaymentOrThrow(api.db, merchant.merchant_id, 'stk', paymentId);
        return { status: 200, body: statusBody(payment) };
      },
    },
  ];
}
