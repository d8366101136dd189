/**
 * A merchant sets a URL that leads to an internal address: directly, or when its name resolves to another address
 * later.
 */
import { setMerchant } from '../../../src/merchants/merchants';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { silentLog } from '../../support/silent-log';
import { createDeliverer } from '../../../src/webhooks/deliver';
import type { Lookup } from '../../../src/webhooks/guarded-agent';
import {
  always,
  box,
  enqueue,
  newMerchant,
  startReceiver,
  type Receiver,
} from '../../support/webhooks/webhook-support';

const inside = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0.0.0.0', '10.0.0.1', '172.16.0.1'],
  ...[
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
  ],
  ...[
    '[::1]',
    '[::]',
    '[fe80::1]',
    '[fc00::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::7f00:1]',
  ],
  ...[
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    'localhost',
    'api.localhost',
    'metadata',
    'db.internal',
    'nas.local',
  ],
  ...['user@example.com', 'user:pass@example.com', 'example.com:22', 'example.com:25', 'example.com:1023'],
];
const otherSchemes = [
  'http://example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com/',
  'javascript:1',
];
const addressesInside = [
  ...['127.0.0.1', '10.1.2.3', '169.254.169.254', '100.64.0.1', '0.0.0.0', '::1', 'fd00::1', 'fe80::1'],
  ...['::ffff:127.0.0.1', '64:ff9b::a9fe:a9fe'],
];

describe('a webhook URL in live', () => {
  let database: TestDatabase;
  let receiver: Receiver;
  let merchantId: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    receiver = await startReceiver(always(200));
    merchantId = (await newMerchant(database.db)).merchant_id;
  });
  afterAll(async () => {
    expect(receiver.received).toEqual([]);
    await receiver.close();
    await database.drop();
  });

  const urls = [...inside.map((host) => `https://${host}/hook`), ...otherSchemes];
  it.each(urls)('%s is rejected when it is set', async (webhookUrl) => {
    await expect(
      setMerchant(database.db, merchantId, { webhookUrl }, { environment: 'live' }),
    ).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  async function deliver(webhookUrl: string, lookup: Lookup) {
    // Written past the rules: like a URL that was allowed when it was set.
    await database.db('merchants').where({ merchant_id: merchantId }).update({ webhook_url: webhookUrl });
    const webhookId = await enqueue(database.db, merchantId);
    const deliverer = createDeliverer({
      db: database.db,
      box,
      environment: 'live',
      timeScale: 1,
      log: silentLog,
      lookup,
    });
    const outcome = await deliverer.deliver(webhookId);
    await deliverer.close();
    const [tried] = await database.db('webhook_deliveries').where({ webhook_id: webhookId });
    return { outcome, tried };
  }

  it.each(addressesInside)('is not called when its name now resolves to %s', async (address) => {
    const family = address.includes(':') ? 6 : 4;
    const port = new URL(receiver.url).port;
    const { outcome, tried } = await deliver(`https://shop.example.com:${port}/hook`, () =>
      Promise.resolve([{ address, family }]),
    );
    expect(outcome.kind).toBe('retry');
    expect(tried).toMatchObject({ http_status: null, error: expect.stringContaining('not public') });
  });

  it('is not called when one of its addresses is internal, whatever the others are', async () => {
    const { tried } = await deliver('https://shop.example.com/hook', () =>
      Promise.resolve([
        { address: '93.184.216.34', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ]),
    );
    expect(tried?.error).toContain('not public');
  });

  it('is not called when it is an internal address without a name', async () => {
    const lookup = jest.fn(() => Promise.resolve([]));
    const { tried } = await deliver(`https://127.0.0.1:${new URL(receiver.url).port}/hook`, lookup);
    expect(tried?.error).toContain('must name a host on the public internet');
    expect(lookup).not.toHaveBeenCalled();
  });
});
