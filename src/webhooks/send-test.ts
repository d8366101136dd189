/** A webhook that tells of nothing: a merchant sees whether its address is reached, and its signature checked. */
import { v7 as uuidV7 } from 'uuid';
import type { Environment } from '../config';
import { PaymentError } from '../domain/errors';
import { faultOfUrl } from '../merchants/allowed-url';
import { webhookSecretsOf } from '../merchants/merchants';
import type { SecretBox } from '../merchants/secrets';
import type { MerchantRow, OutboxRow } from '../store/tables';
import { bulkheads } from './bulkheads';
import { connectionsPerOrigin, guardedAgent } from './guarded-agent';
import { postWebhook, type PostResult } from './post';
import { signatureHeaders } from './signature';

/** Its caller waits. */
const timeoutMs = 5_000;
const inFlightMax = 10;

export interface SentTest extends PostResult {
  webhookId: string;
  sentAt: Date;
}

export interface TestSender {
  /**
   * Sends one, once.
   * @throws PaymentError WEBHOOK_WITHOUT_ADDRESS, or SERVICE_BUSY while many are under way.
   */
  send(merchant: MerchantRow, endpoint: OutboxRow['endpoint']): Promise<SentTest>;
  close(): Promise<void>;
}

export function createTestSender({
  box,
  environment,
}: {
  box: SecretBox;
  environment: Environment;
}): TestSender {
  const agent = guardedAgent({ environment, connectTimeoutMs: timeoutMs });
  const perOriginMax = connectionsPerOrigin;
  const places = bulkheads({ inFlightMax, awaitedMax: inFlightMax, slowMax: inFlightMax, perOriginMax });

  return {
    async send(merchant, endpoint) {
      const url = merchant[endpoint];
      // The rules may have become stricter since it was set.
      if (url === null || faultOfUrl(url, environment) !== undefined) {
        throw new PaymentError('WEBHOOK_WITHOUT_ADDRESS', {
          message: `There is no ${endpoint} that a webhook can be sent to`,
        });
      }
      const leave = places.enter(new URL(url).origin);
      if (!leave) throw new PaymentError('SERVICE_BUSY', { retryAfterSeconds: 2 });
      const [webhookId, sentAt] = [uuidV7(), new Date()];
      const body = JSON.stringify({ type: 'test', event_id: webhookId, timestamp: sentAt.toISOString() });
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Malipo-Webhooks/1',
        'x-callback-type': 'Test',
        ...signatureHeaders(webhookId, sentAt, body, webhookSecretsOf(box, merchant)),
      };
      try {
        return { ...(await postWebhook(agent, { url, headers, body, timeoutMs })), webhookId, sentAt };
      } finally {
        leave();
      }
    },
    close: () => agent.close(),
  };
}
