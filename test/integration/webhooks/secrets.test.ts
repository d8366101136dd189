/** Webhook secrets are shown once: a database that is lost meanwhile must not cost a merchant its secret. */
import {
  createMerchant,
  getMerchantOrThrow,
  rotateWebhookSecret,
  webhookSecretsOf,
} from '../../../src/merchants/merchants';
import type { Database } from '../../../src/store/database';
import { addEndpoint, changeEndpointSecret, listEndpoints } from '../../../src/webhooks/endpoints/endpoints';
import { box } from '../../support/merchants/merchant-support';
import { cutTransaction } from '../../support/cut-transaction';
import { createTestDatabase, type TestDatabase } from '../../support/database';

let test: TestDatabase;
let merchantId: string;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  const made = await createMerchant(test.db, box, { name: 'Duka', environment: 'sandbox' });
  merchantId = made.merchant_id;
});

const wanted = { url: 'http://127.0.0.1:4000/books', types: ['deposit.succeeded'] } as const;
/** The server has the COMMIT, but its answer is lost. */
const cut = () => cutTransaction(test.db, { nth: 1, moment: 'after', how: 'lost' });
const world = (db: Database) => ({ db, box, environment: 'sandbox' }) as const;
const secretsOf = async (endpointId: string) => {
  const row = (await listEndpoints(test.db, merchantId)).find(({ endpoint_id: id }) => id === endpointId);
  return row === undefined ? [] : webhookSecretsOf(box, { ...row, merchant_id: merchantId });
};

describe('a database that is lost after it has', () => {
  it('added an endpoint: the endpoint exists, and its secret is shown', async () => {
    const { endpoint, secret } = await addEndpoint(world(cut()), merchantId, wanted);
    expect(await listEndpoints(test.db, merchantId)).toHaveLength(1);
    expect(await secretsOf(endpoint.endpoint_id)).toEqual([secret]);
  });

  it('changed the secret of an endpoint: the previous one, which the merchant has, is still valid', async () => {
    const { endpoint, secret: before } = await addEndpoint(world(test.db), merchantId, wanted);
    const { secret } = await changeEndpointSecret(world(cut()), merchantId, endpoint.endpoint_id);
    expect(await secretsOf(endpoint.endpoint_id)).toEqual([secret, before]);
  });

  it('changed the secret of a merchant: the previous one, which the merchant has, is still valid', async () => {
    const [before] = webhookSecretsOf(box, await getMerchantOrThrow(test.db, merchantId));
    const secret = await rotateWebhookSecret(cut(), box, merchantId);
    expect(webhookSecretsOf(box, await getMerchantOrThrow(test.db, merchantId))).toEqual([secret, before]);
  });
});

it('added an endpoint: no later read can deny it', async () => {
  let isAdded = false;
  const db = new Proxy(test.db, {
    apply(target, self, given: unknown[]) {
      if (isAdded) throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
      return Reflect.apply(target, self, given) as unknown;
    },
    get(target, name) {
      if (name !== 'transaction') return Reflect.get(target, name) as unknown;
      return async (work: Parameters<Database['transaction']>[0]) => {
        const result: unknown = await target.transaction(work);
        isAdded = true;
        return result;
      };
    },
  });
  const { endpoint } = await addEndpoint(world(db), merchantId, wanted);
  expect(endpoint.url).toBe(wanted.url);
});
