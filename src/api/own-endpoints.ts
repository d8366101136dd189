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
  /** Undefined without a mail server: no recipient would ever get a code. */
  vouchers: VoucherServices | undefined;
  webhooks: WebhookServices & WebhookEndpointServices & EndpointDeliveryServices;
  /** The link of the page that shows the payment's customer the next step. */
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
      summary: 'A test webhook, sent by `testWebhook` or `testWebhookEndpoint`',
      callbackType: 'Test',
      endpoint: 'webhook_url',
      isSentOnce: true,
      body: body({
        type: word(['test'], 'Marks the webhook as a test'),
        event_type: word(['test'], 'The same as `type`, where other webhooks have their event type'),
        callback_type: word(
          ['Test'],
          'The value of the `X-Callback-Type` header. The signature does not cover the header',
        ),
        event_id: uuid('The `webhook-id` of the webhook'),
        timestamp: moment('When the webhook was sent'),
      }),
    },
  ],
};
