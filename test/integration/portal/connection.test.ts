/** Changes of a merchant's server addresses: each is mailed, and they are rate-limited. */
import { aMerchant, createPerson } from '../../support/users/users-support';
import { call, sessionOf, startPortal, type TestPortal } from '../../support/portal/portal-support';

let portal: TestPortal;
beforeAll(async () => {
  portal = await startPortal();
});
afterAll(() => portal.stop());

async function aShop(name: string) {
  const merchantId = await aMerchant(portal.db, portal.box);
  const join = (role: 'owner' | 'finance' | 'developer') =>
    createPerson(portal.db, `${role}@${name}.example`, { merchantId, role });
  const [owner, finance, developer] = [await join('owner'), await join('finance'), await join('developer')];
  const token = await sessionOf(portal, developer);
  const base = `/m/${merchantId}`;
  const seenAt = async (path: string, form: string) => {
    const page = await call(portal, { method: 'GET', path: `${base}/${path}`, token });
    const from = page.text.indexOf(`action="${base}/${form}`);
    return {
      action: /action="([^"]*)"/.exec(page.text.slice(from))?.[1] ?? '',
      seen: /name="seen" value="([^"]*)"/.exec(page.text.slice(from))?.[1] ?? '',
    };
  };
  const to = async ({ email }: { email: string }) =>
    (await portal.db('mails').where({ recipient: email }).orderBy('created_at')).map(
      ({ body }) => body.split('\n')[4],
    );
  const post = (path: string, form: Record<string, string> = {}) =>
    call(portal, { method: 'POST', path: path.startsWith('/') ? path : `${base}/${path}`, token, form });
  return { merchantId, owner, finance, developer, base, seenAt, to, post };
}

const addresses = {
  webhookUrl: 'https://duka.example/hook?key=secret',
  callbackUrl: '',
  returnUrl: '',
  cancelUrl: '',
};

it('is mailed to everyone who decides about money, without secrets of the URLs', async () => {
  const shop = await aShop('hooks');
  expect((await shop.post('developers/addresses', addresses)).status).toBe(303);
  // Saving the same values again sends no mail.
  expect((await shop.post('developers/addresses', addresses)).status).toBe(303);
  const { seen } = await shop.seenAt('developers', 'developers/webhook-secret');
  expect((await shop.post('developers/webhook-secret', { seen })).status).toBe(200);
  const added = await shop.post('endpoints', {
    ...{ url: 'https://books.example/in?key=secret', deposit: '1', seen: 'none' },
  });
  expect(added.status).toBe(200);
  const one = await shop.seenAt('endpoints', 'endpoints/');
  expect((await shop.post(one.action, { seen: one.seen })).status).toBe(200);
  expect((await shop.post(one.action.replace(/secret$/, 'end'))).status).toBe(303);
  const reported = [
    'Addresses of your server were changed. They are now: webhook_url: duka.example.',
    'Webhooks are signed with a new secret.',
    'An additional webhook address was added: books.example.',
    'Webhooks to the additional address books.example are signed with a new secret.',
    'The additional webhook address books.example was removed.',
  ];
  expect(await shop.to(shop.owner)).toEqual(reported);
  expect(await shop.to(shop.finance)).toEqual(reported);
  expect(await shop.to(shop.developer)).toEqual([]);
});

it('is rate-limited, because each change writes a permanent audit line', async () => {
  const shop = await aShop('often');
  const lines = () =>
    portal.db('audit_log').where({ subject_id: shop.merchantId }).whereNot({ acted_by: 'engine' });
  const before = (await lines()).length;
  for (let n = 0; n < 30; n += 1)
    expect((await shop.post('developers/addresses', addresses)).status).toBe(303);
  const { seen } = await shop.seenAt('developers', 'developers/webhook-secret');
  const refused = [
    await shop.post('developers/addresses', addresses),
    await shop.post('developers/access', { ipAllow: '', checkoutHosts: '' }),
    await shop.post('developers/webhook-secret', { seen }),
    await shop.post('endpoints', { url: 'https://books.example/in', deposit: '1', seen: 'none' }),
  ];
  expect(refused.map(({ status, headers }) => [status, Number(headers.get('retry-after')) > 0])).toEqual(
    refused.map(() => [429, true]),
  );
  expect((await lines()).length - before).toBe(30);
});
