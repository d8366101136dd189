/** The endpoints that belong to no rail. */
import { body, moment, uuid, word } from '../rail-kit/answer-fields';
import type { AnyEndpoint } from '../rail-kit/endpoint';
import type { PartDescription } from '../rail-kit/description';
import type { Rail } from '../rail-kit/rail';
import type { Database } from '../store/database';
import { voucherEndpoints, type VoucherServices } from '../vouchers/routes';
import { balanceEndpoints, type BalanceServices } from './balance';
import { endpointDeliveryEndpoints, type EndpointDeliveryServices } from './endpoint-deliveries';
import { eventsEndpoint } from './events';
import { paymentsEndpoints } from './payments';
import { requestsEndpoint } from './requests';
import { statementEndpoint } from './statement';
import { webhookEndpointEndpoints, type WebhookEndpointServices } from './webhook-endpoints';
import { webhookEndpoints, type WebhookServices } from './webhooks';

interface OwnServices extends BalanceServices {
  db: Database;
  /** Undefined where there is no mail server: nobody would ever get a code. */
  vouchers: VoucherServices | undefined;
  webhooks: WebhookServices & WebhookEndpointServices & EndpointDeliveryServices;
  /** Tell what a payment's customer should do next. */
  rails: readonly Rail[];
}

export function ownEndpoints(services: OwnServices): AnyEndpoint[] {
  return [
    ...balanceEndpoints(services),
    statementEndpoint(services.db, services.timezone),
    eventsEndpoint(services.db),
    requestsEndpoint(services.db),
    ...paymentsEndpoints(services),
    ...webhookEndpoints(services.webhooks),
    ...webhookEndpointEndpoints(services.webhooks),
    ...endpointDeliveryEndpoints(services.webhooks),
    ...(services.vouchers ? voucherEndpoints(services.vouchers, services.timezone) : []),
  ];
}

export const ownDescription: PartDescription = {
  about: "A merchant's balance, statement, payments, events, webhooks and vouchers",
  webhooks: [
    {
      id: 'test',
      summary: 'Tells of nothing: sent where `testWebhook` or `testWebhookEndpoint` asks for it',
      callbackType: 'Test',
      endpoint: 'webhook_url',
      isSentOnce: true,
      body: body({
        type: word(['test'], 'That it is a test'),
        event_type: word(['test'], 'The same, as every webhook says its type'),
        callback_type: word(['Test'], 'As the `X-Callback-Type` header has it, which no signature covers'),
        event_id: uuid('Its `webhook-id`'),
        timestamp: moment('When it was sent'),
      }),
    },
  ],
};
