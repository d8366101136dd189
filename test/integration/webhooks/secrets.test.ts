/** Secrets of webhooks are shown once: a database that is lost in the middle must not cost a merchant one. */
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
/** The server has the COMMIT, and its answer is lost. */
const cut = () => cutTransaction(test.db, { nth: 1, moment: 'after', how: 'lost' });
const world = (db: Database) => ({ db, box, environment: 'sandbox' }) as const;
const secretsOf = async (endpointId: string) => {
  const row = (await listEndpoints(test.db, merchantId)).find(({ endpoint_id: id }) => id === endpointId);
  return row === undefined ? [] : webhookSecretsOf(box, { ...row, merchant_id: merchantId });
};

describe('a database that is lost after it has', () => {
  it('added an endpoint has added one, whose secret is shown', async () => {
    const { endpoint, secret } = await addEndpoint(world(cut()), merchantId, wanted);
    expect(await listEndpoints(test.db, merchantId)).toHaveLength(1);
    expect(await secretsOf(endpoint.endpoint_id)).toEqual([secret]);
  });

  it('changed the secret of an endpoint leaves the one before, which the merchant has', async () => {
    const { endpoint, secret: before } = await addEndpoint(world(test.db), merchantId, wanted);
    const { secret } = await changeEndpointSecret(world(cut()), merchantId, endpoint.endpoint_id);
    expect(await secretsOf(endpoint.endpoint_id)).toEqual([secret, before]);
  });

  it('changed the secret of a merchant leaves the one before, which the merchant has', async () => {
    const [before] = webhookSecretsOf(box, await getMerchantOrThrow(test.db, merchantId));
    const secret = await rotateWebhookSecret(cut(), box, merchantId);
    expect(webhookSecretsOf(box, await getMerchantOrThrow(test.db, merchantId))).toEqual([secret, before]);
  });
});

it('reads nothing once an endpoint is added, so that nothing can say that it is not', async () => {
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
