/** A test webhook: a merchant sees whether its address is reachable, and its signature check works. */
import { v7 as uuidV7 } from 'uuid';
import type { Environment } from '../config';
import { PaymentError } from '../domain/errors';
import { testBody } from '../domain/event';
import { faultOfUrl } from '../merchants/allowed-url';
import { webhookSecretsOf } from '../merchants/merchants';
import type { SecretBox } from '../merchants/secrets';
import type { MerchantRow, OutboxRow, WebhookEndpointRow } from '../store/tables';
import { createPoster } from './attempts';
import { bulkheads } from './bulkheads';
import { connectionsPerOrigin } from './guarded-agent';
import type { PostResult } from './post';

/** Short, because a caller waits. */
const timeoutMs = 5_000;
const inFlightMax = 10;

export interface SentTest extends PostResult {
  webhookId: string;
  sentAt: Date;
}

/** The owner of the signing secrets. */
type Owner = Parameters<typeof webhookSecretsOf>[1];

export interface TestSender {
  /**
   * Sends one test webhook, once.
   * @throws PaymentError WEBHOOK_WITHOUT_ADDRESS, or SERVICE_BUSY while many are under way.
   */
  send(merchant: MerchantRow, endpoint: OutboxRow['endpoint']): Promise<SentTest>;
  /** Sends one to a further endpoint, signed with that endpoint's own secret. */
  sendTo(endpoint: WebhookEndpointRow): Promise<SentTest>;
  close(): Promise<void>;
}

export function createTestSender({
  box,
  environment,
}: {
  box: SecretBox;
  environment: Environment;
}): TestSender {
  const poster = createPoster({ environment, timeoutMs });
  const perOriginMax = connectionsPerOrigin;
  const places = bulkheads({ inFlightMax, awaitedMax: inFlightMax, slowMax: inFlightMax, perOriginMax });

  async function sendSigned(url: string | null, owner: Owner, what: string): Promise<SentTest> {
    // The rules may have become stricter since it was set.
    if (url === null || faultOfUrl(url, environment) !== undefined) {
      throw new PaymentError('WEBHOOK_WITHOUT_ADDRESS', {
        message: `There is no ${what} that a webhook can be sent to`,
      });
    }
    const entered = places.enter(new URL(url).origin);
    if ('comeBackInMs' in entered) throw new PaymentError('SERVICE_BUSY', { retryAfterSeconds: 2 });
    const [webhookId, sentAt] = [uuidV7(), new Date()];
    try {
      const result = await poster.post({
        ...{ url, id: webhookId, callbackType: 'Test', at: sentAt },
        body: JSON.stringify(testBody(webhookId, sentAt)),
        secrets: webhookSecretsOf(box, owner),
      });
      return { ...result, webhookId, sentAt };
    } finally {
      entered.leave();
    }
  }

  return {
    send: (merchant, endpoint) => sendSigned(merchant[endpoint], merchant, endpoint),
    sendTo: (endpoint) => sendSigned(endpoint.url, endpoint, 'endpoint'),
    close: () => poster.close(),
  };
}
