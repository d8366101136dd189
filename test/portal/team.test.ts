import { aMerchant, createPerson } from '../people/people-support';
import { call, sessionOf, startPortal, type TestPortal } from './portal-support';

let portal: TestPortal;
beforeAll(async () => {
  portal = await startPortal();
});
afterAll(() => portal.stop());

it('invites nobody so often that a mailbox is filled, however the address is written', async () => {
  const merchantId = await aMerchant(portal.db, portal.box);
  const owner = await createPerson(portal.db, 'owner@duka.example', { merchantId, role: 'owner' });
  const token = await sessionOf(portal, owner);
  const invite = (email: string) =>
    call(portal, {
      ...{ method: 'POST', path: `/m/${merchantId}/team/invite`, token },
      form: { email, role: 'viewer' },
    });
  for (const email of ['amina@duka.example', 'Amina@duka.example', ' amina@duka.example '])
    expect((await invite(email)).to).toContain('?done=invited');
  const refused = await invite('AMINA@duka.example');
  expect([refused.status, refused.text.includes('This address was mailed several times')]).toEqual([
    422,
    true,
  ]);
  expect(await portal.db('mails').where({ recipient: 'amina@duka.example' })).toHaveLength(3);
  expect((await invite('brian@duka.example')).status).toBe(303);
});

it('changes what the merchant is called and where customers come back to, and says what is wrong', async () => {
  const merchantId = await aMerchant(portal.db, portal.box);
  const as = async (role: 'owner' | 'finance') =>
    sessionOf(portal, await createPerson(portal.db, `${role}@settings.example`, { merchantId, role }));
  const [owner, finance] = [await as('owner'), await as('finance')];
  const path = `/m/${merchantId}/settings`;
  const form = {
    name: 'Duka <b>',
    returnUrl: 'https://duka.example/back?key=1',
    cancelUrl: '',
    walletCurrency: 'USD',
  };
  const post = (changes: Record<string, string>) =>
    call(portal, { method: 'POST', path, token: owner, form: { ...form, ...changes } });
  for (const wrong of [{ name: '' }, { returnUrl: 'javascript:alert(1)' }, { walletCurrency: 'XYZ' }])
    expect((await post(wrong)).status).toBe(422);
  expect((await post({})).to).toBe(`${path}?done=saved`);
  expect(await portal.db('merchants').where({ merchant_id: merchantId }).first()).toMatchObject({
    ...{ name: 'Duka <b>', return_url: form.returnUrl, cancel_url: null, wallet_currency: 'USD' },
  });
  const page = await call(portal, { method: 'GET', path, token: finance });
  expect([page.status, page.text.includes('<b>'), page.text.includes('key=1')]).toEqual([200, false, false]);
  const lines = await portal.db('audit_log').where({ action: 'merchant.set', subject_id: merchantId });
  expect([lines.length, JSON.stringify(lines).includes('key=1')]).toEqual([1, false]);
});
