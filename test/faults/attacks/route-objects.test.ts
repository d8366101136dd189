/** An address or a form may name only objects of the page's merchant; and in live, a password alone gives no access. */
import { openSession } from '../../../src/users/sessions';
import type { Person } from '../../../src/users/users';
import { makeBatch } from '../../../src/portal/payouts/batches';
import { portalRoutes, type PortalRoute } from '../../../src/portal/routes';
import { inTransaction } from '../../../src/store/transaction';
import { aMerchant, createPerson } from '../../support/users/users-support';
import { insertPayment } from '../../support/verify/books-support';
import {
  aKeyThatWaits,
  anEndpoint,
  aWebhook,
  call,
  createPlatformPerson,
  sessionOf,
  startPortal,
  type TestPortal,
} from '../../support/portal/portal-support';
import { asOurs } from '../../support/own-rows';

const nameOf = ({ method, path }: PortalRoute) => `${method} ${path}`;
const everyRoute = portalRoutes.map((route) => [nameOf(route), route] as const);

interface Shop {
  merchantId: string;
  owner: Person;
  /** By the names in the addresses. */
  objects: Record<string, string>;
}

async function aShop(portal: TestPortal, name: string): Promise<Shop> {
  const { db, box, test } = portal;
  const merchantId = await aMerchant(db, box, name);
  const owner = await createPerson(db, `owner@${name.toLowerCase()}.example`, { merchantId, role: 'owner' });
  // Another user who could decide.
  const finance = `finance@${name.toLowerCase()}.example`;
  await createPerson(db, finance, { merchantId, role: 'finance' });
  const { payment_id: payment } = await insertPayment(db, { merchantId, rail: 'stk' });
  const webhook = await aWebhook(db, { merchantId, paymentId: payment });
  const rows = [{ phone_number: '+254708374149', amount: '1.00', currency: 'KES', account_reference: 'x' }];
  const made = { merchantId, rail: 'momo', name: 'List', rows, userId: owner.userId };
  const batch = await inTransaction(db, (trx) => makeBatch(trx, made));
  await test
    .db('payout_batches')
    .where({ batch_id: batch })
    .update({ state: 'waiting', asked_at: new Date() });
  await asOurs(db, 'payout_batches', batch);
  return {
    merchantId,
    owner,
    objects: {
      ...{ payment, webhook, batch },
      endpoint: await anEndpoint(portal, merchantId),
      confirmation: await aKeyThatWaits(portal, merchantId, owner),
    },
  };
}

const objectNames = ['payment', 'webhook', 'batch', 'endpoint', 'confirmation'];
const addressOf = (path: string, { merchantId, objects }: Pick<Shop, 'merchantId' | 'objects'>) =>
  path.replace(':merchant', merchantId).replace(/:(\w+)/g, (_, name: string) => objects[name] ?? 'x');

describe('a merchant’s own address with another merchant’s object', () => {
  let portal: TestPortal;
  let own: Shop;
  let theirs: Shop;
  beforeAll(async () => {
    portal = await startPortal();
    [own, theirs] = [await aShop(portal, 'Own'), await aShop(portal, 'Theirs')];
  });
  afterAll(() => portal.stop());

  const ofObjects = everyRoute.filter(([, { path }]) =>
    objectNames.some((name) => path.includes(`:${name}`)),
  );

  it('is tried with every kind of object that an address can name', () => {
    const named = new Set(portalRoutes.flatMap(({ path }) => path.match(/(?<=:)\w+/g) ?? []));
    const notOfMerchants = ['merchant', 'token', 'rail', 'case', 'unmatched', 'shop', 'id', 'statement'];
    expect([...named].sort()).toEqual([...notOfMerchants, ...objectNames].sort());
  });

  it.each(ofObjects)('%s', async (_, { method, path }) => {
    const at = addressOf(path, { merchantId: own.merchantId, objects: theirs.objects });
    const token = await sessionOf(portal, own.owner);
    const form = { reason: 'x', amount: '1', left: '10000' };
    const answer = await call(portal, { method, path: at, token, form });
    expect([answer.status, answer.text.includes('Page not found')]).toEqual([404, true]);
    expect(await portal.db('audit_log').where({ acted_by: `user:${own.owner.userId}` })).toEqual([]);
  });

  it.each(['developers/keys/revoke', 'developers/keys/scopes', 'team/role', 'team/remove'])(
    'in the form of %s',
    async (page) => {
      const key = await portal.db('api_keys').where({ merchant_id: theirs.merchantId }).first('api_key');
      const form = { key: key?.api_key ?? '', user: theirs.owner.userId, role: 'viewer' };
      expect(form.key).not.toBe('');
      const token = await sessionOf(portal, own.owner);
      const path = `/m/${own.merchantId}/${page}`;
      expect((await call(portal, { method: 'POST', path, token, form })).status).toBe(404);
    },
  );

  it('in the form that ends a session', async () => {
    const { userId } = theirs.owner;
    await openSession(portal.db, { userId, address: '', agent: '', passedSecond: false });
    const session = await portal.db('user_sessions').where({ user_id: userId }).first('session_id');
    const token = await sessionOf(portal, own.owner);
    const form = { session: session?.session_id ?? '' };
    const path = '/security/sessions/end';
    expect((await call(portal, { method: 'POST', path, token, form })).status).toBe(404);
    expect(await portal.db('user_sessions').where({ user_id: userId })).toHaveLength(1);
  });
});

describe('in live, by a password alone', () => {
  let portal: TestPortal;
  let shop: Shop;
  let operator: Person;
  beforeAll(async () => {
    portal = await startPortal({ environment: 'live' });
    shop = await aShop(portal, 'Live');
    operator = await createPlatformPerson(portal, 'operator');
  });
  afterAll(() => portal.stop());

  const guarded = everyRoute.filter(([, { who }]) => who !== 'anybody' && who !== 'half');

  it.each(guarded)('%s leads to the page for adding a second factor', async (_, { method, path }) => {
    for (const person of [shop.owner, operator]) {
      const token = await sessionOf(portal, person);
      const answer = await call(portal, {
        method,
        path: addressOf(path, shop),
        token,
        form: { reason: 'x' },
      });
      expect([answer.status, answer.to]).toEqual([303, '/security/app']);
    }
  });
});

/** Actions that send money or give access: the API denies them for a suspended merchant too. */
const onlyWhileActive = [
  ...['payments/:payment/refund', 'payments/:payment/cancel', 'payouts/one', 'payouts/file'],
  ...['payouts/:batch/ask', 'payouts/:batch/approve', 'developers/keys', 'developers/addresses'],
  ...['developers/access', 'developers/webhook-secret', 'developers/test', 'endpoints'],
  ...['endpoints/:endpoint/secret', 'webhooks/:webhook/resend', 'developers/keys/scopes'],
  'keys/:confirmation/confirm',
].map((page) => `POST /m/:merchant/${page}`);

describe('for a merchant who is suspended', () => {
  let portal: TestPortal;
  let shop: Shop;
  beforeAll(async () => {
    portal = await startPortal();
    shop = await aShop(portal, 'Suspended');
    await portal.test.db('merchants').where({ merchant_id: shop.merchantId }).update({ status: 'suspended' });
  });
  afterAll(() => portal.stop());

  const ofMerchants = everyRoute.filter(
    ([, { who, method }]) => typeof who !== 'string' && method === 'POST',
  );

  it.each(ofMerchants)('%s', async (name, { method, path }) => {
    const token = await sessionOf(portal, shop.owner);
    const { status, text } = await call(portal, { method, path: addressOf(path, shop), token });
    const isRefused = text.includes('This merchant is suspended');
    expect([isRefused, isRefused ? status : 422]).toEqual([onlyWhileActive.includes(name), 422]);
  });
});
