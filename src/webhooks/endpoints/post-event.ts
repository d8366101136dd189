/** One try to tell an endpoint of an event. */
import type { Environment } from '../../config';
import { faultOfUrl } from '../../merchants/allowed-url';
import { webhookSecretsOf } from '../../merchants/merchants';
import type { SecretBox } from '../../merchants/secrets';
import type { EventRow, WebhookEndpointRow } from '../../store/tables';
import { guardedAgent } from '../guarded-agent';
import { postWebhook, type PostResult } from '../post';
import { signatureHeaders } from '../signature';

export const timeoutMs = 10_000;

export interface EventPoster {
  post(endpoint: WebhookEndpointRow, event: EventRow): Promise<PostResult>;
  close(): Promise<void>;
}

export function eventPoster({ box, environment }: { box: SecretBox; environment: Environment }): EventPoster {
  const agent = guardedAgent({ environment, connectTimeoutMs: timeoutMs / 2 });
  return {
    async post(endpoint, event) {
      // The rules may have become stricter since it was added.
      const fault = faultOfUrl(endpoint.url, environment);
      if (fault !== undefined)
        return { httpStatus: null, error: `the URL ${fault}`, excerpt: null, durationMs: 0, timedOut: false };
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Malipo-Webhooks/1',
        'x-callback-type': event.callback_type,
        'x-event-type': event.type,
        ...signatureHeaders(event.event_id, new Date(), event.body, webhookSecretsOf(box, endpoint)),
      };
      return postWebhook(agent, { url: endpoint.url, headers, body: event.body, timeoutMs });
    },
    close: () => agent.close(),
  };
}
