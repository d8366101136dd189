/** The merchants of a test file on a stack, each with a server that receives its webhooks. */
import { createMerchant, setMerchant, type MerchantInput } from '../../src/merchants/merchants';
import { secretBox } from '../../src/merchants/secrets';
import { faultsOfWebhooks } from './described-answers';
import type { Stack } from './stack';
import { receivedByAll, startReceiver, type WebhookReceiver } from './webhook-receiver';

export interface TestMerchant {
  merchantId: string;
  apiKey: string;
  apiSecret: string;
  webhookSecret: string;
  receiver: WebhookReceiver;
}

export interface MerchantsOfStack {
  createMerchant(name?: string, settings?: Omit<MerchantInput, 'name'>): Promise<TestMerchant>;
  /** @throws when any of them received a webhook that does not match docs/openapi.json. */
  end(): Promise<void>;
}

export function merchantsOf({ db, env }: Pick<Stack, 'db' | 'env'>): MerchantsOfStack {
  const receivers: WebhookReceiver[] = [];
  const [sealing = ''] = (env['MALIPO_SECRET_KEYS'] ?? '').split(',');
  const [id = '', key = ''] = sealing.split(':');
  const box = secretBox([{ id, key: Buffer.from(key, 'base64') }]);
  return {
    async createMerchant(name = 'Test Shop', settings = {}) {
      const receiver = await startReceiver();
      receivers.push(receiver);
      const created = await createMerchant(db, box, {
        name,
        environment: 'sandbox',
        // Tests send faster than a merchant; the limits have tests of their own.
        stkRate: 60_000,
        stkBurst: 60_000,
        duplicateWindow: 0,
        duplicateAlert: 'off',
        ...settings,
      });
      await setMerchant(
        db,
        created.merchant_id,
        { webhookUrl: receiver.url, callbackUrl: receiver.url },
        { environment: 'sandbox' },
      );
      return {
        merchantId: created.merchant_id,
        apiKey: created.api_key,
        apiSecret: created.api_secret,
        webhookSecret: created.webhook_secret,
        receiver,
      };
    },
    async end() {
      await Promise.all(receivers.map((receiver) => receiver.close()));
      const faults = await faultsOfWebhooks(receivedByAll);
      if (faults.length > 0)
        throw new Error(`a webhook is otherwise than docs/openapi.json says: ${faults.join('; ')}`);
    },
  };
}
