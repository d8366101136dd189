import { aMerchant, createPerson } from '../../support/users/users-support';
import { call, sessionOf, startPortal, type TestPortal } from '../../support/portal/portal-support';

let portal: TestPortal;
beforeAll(async () => {
  portal = await startPortal();
});
afterAll(() => portal.stop());

it('limits the invitations to one mailbox, in every spelling of the address', async () => {
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
  expect([refused.status, refused.text.includes('We sent several e-mails to this address')]).toEqual([
    422,
    true,
  ]);
  expect(await portal.db('mails').where({ recipient: 'amina@duka.example' })).toHaveLength(3);
  expect((await invite('brian@duka.example')).status).toBe(303);
});

it("changes the merchant's name and return URLs, and reports faults", async () => {
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

it('invites twenty users per day, with at most twenty open invitations', async () => {
  const merchantId = await aMerchant(portal.db, portal.box);
  const token = await sessionOf(
    portal,
    await createPerson(portal.db, 'boss@many.example', { merchantId, role: 'owner' }),
  );
  const path = `/m/${merchantId}/team/invite`;
  const invite = (n: number) =>
    call(portal, {
      method: 'POST',
      path,
      token,
      form: { email: `p${String(n)}@many.example`, role: 'viewer' },
    });
  for (let n = 0; n < 20; n += 1) expect((await invite(n)).status).toBe(303);
  const ofDay = await invite(20);
  expect([ofDay.status, ofDay.text.includes('Twenty users were invited today')]).toEqual([422, true]);
  const bucket = { bucket: `portal:invitations:${merchantId}` };
  expect(await portal.test.db('rate_limit_buckets').where(bucket).delete()).toBe(1);
  const open = await invite(20);
  expect([open.status, open.text.includes('invitations are not accepted yet')]).toEqual([422, true]);
  // A user with an open invitation can be invited again.
  expect((await invite(3)).status).toBe(303);
  await portal.test
    .db('memberships')
    .where({ merchant_id: merchantId, accepted_at: null })
    .update({ accepted_at: new Date() });
  expect((await invite(20)).status).toBe(303);
});

it('asks for confirmation before it removes a member, in both languages', async () => {
  const merchantId = await aMerchant(portal.db, portal.box);
  const owner = await createPerson(portal.db, 'boss@sure.example', { merchantId, role: 'owner' });
  const viewer = await createPerson(portal.db, 'viewer@sure.example', { merchantId, role: 'viewer' });
  const token = await sessionOf(portal, owner);
  const remove = (form: Record<string, string>, more: Partial<Parameters<typeof call>[1]> = {}) =>
    call(portal, { method: 'POST', path: `/m/${merchantId}/team/remove`, token, form, ...more });
  const members = () => portal.db('memberships').where({ merchant_id: merchantId }).pluck('user_id');
  const asked = await remove({ user: viewer.userId });
  expect([asked.status, asked.text.includes('Remove viewer@sure.example?')]).toEqual([200, true]);
  expect(await members()).toHaveLength(2);
  await call(portal, { method: 'POST', path: '/language', token, form: { language: 'sw', next: '/' } });
  expect((await remove({ user: viewer.userId })).text).toContain('Umwondoe viewer@sure.example?');
  for (const user of ['', 'x', '01890a5d-ac96-774b-bcce-b302099a8057'])
    expect((await remove({ user })).status).toBe(404);
  // The form of its button.
  const fields = [...asked.text.matchAll(/name="(user|sure)" value="([^"]*)"/g)].map(([, name, value]) => [
    name,
    value,
  ]);
  expect((await remove(Object.fromEntries(fields) as Record<string, string>)).to).toContain('?done=removed');
  expect(await members()).toEqual([owner.userId]);
});

it('mails an invited user only the invitation', async () => {
  const merchantId = await aMerchant(portal.db, portal.box);
  const boss = await createPerson(portal.db, 'boss@strangers.example', { merchantId, role: 'owner' });
  const token = await sessionOf(portal, boss);
  const post = (path: string, form: Record<string, string>) =>
    call(portal, { method: 'POST', path: `/m/${merchantId}/team/${path}`, token, form });
  expect((await post('invite', { email: 'stranger@strangers.example', role: 'viewer' })).status).toBe(303);
  const outsider = await portal.db('users').where({ email: 'stranger@strangers.example' }).first();
  const user = outsider?.user_id ?? '';
  for (const role of ['finance', 'developer', 'owner'])
    expect((await post('role', { user, role })).to).toContain('?done=role');
  expect((await post('remove', { user, sure: '1' })).to).toContain('?done=removed');
  const mailed = (recipient: string) => portal.db('mails').where({ recipient }).orderBy('created_at');
  expect((await mailed('stranger@strangers.example')).map(({ kind }) => kind)).toEqual(['portal-invitation']);
  expect((await mailed(boss.email)).map(({ kind }) => kind)).toEqual(Array<string>(5).fill('portal-change'));
});

it('limits role changes and the mails about them', async () => {
  const merchantId = await aMerchant(portal.db, portal.box);
  const member = (name: string, role: 'owner' | 'viewer') =>
    createPerson(portal.db, `${name}@often.example`, { merchantId, role });
  const [boss, viewer, other] = [
    await member('boss', 'owner'),
    await member('viewer', 'viewer'),
    await member('other', 'viewer'),
  ];
  const token = await sessionOf(portal, boss);
  const change = ({ userId }: { userId: string }, role: string) =>
    call(portal, {
      ...{ method: 'POST', path: `/m/${merchantId}/team/role`, token },
      form: { user: userId, role },
    });
  for (const role of ['developer', 'finance', 'viewer'])
    expect((await change(viewer, role)).status).toBe(303);
  const ofMails = await change(viewer, 'developer');
  expect([ofMails.status, ofMails.text.includes('We sent several e-mails to this address')]).toEqual([
    422,
    true,
  ]);
  expect(await portal.db('mails').where({ recipient: viewer.email })).toHaveLength(3);
  expect((await change(other, 'developer')).status).toBe(303);
  const outsider = { userId: '01890a5d-ac96-774b-bcce-b302099a8057' };
  for (let n = 5; n < 30; n += 1) expect((await change(outsider, 'viewer')).status).toBe(404);
  const ofTeam = await change(other, 'viewer');
  expect([ofTeam.status, Number(ofTeam.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
  // Removing a member is never rate-limited.
  const remove = { user: viewer.userId, sure: '1' };
  const gone = await call(portal, {
    ...{ method: 'POST', path: `/m/${merchantId}/team/remove`, token, form: remove },
  });
  expect(gone.to).toContain('?done=removed');
});

it('mails everyone who decides about money about each new member with that right', async () => {
  const merchantId = await aMerchant(portal.db, portal.box);
  const member = (name: string, role: 'owner' | 'finance' | 'developer' | 'viewer') =>
    createPerson(portal.db, `${name}@two.example`, { merchantId, role });
  const owner = await member('owner', 'owner');
  const finance = await member('finance', 'finance');
  for (const role of ['developer', 'viewer'] as const) await member(role, role);
  const token = await sessionOf(portal, owner);
  const post = (path: string, form: Record<string, string>) =>
    call(portal, { method: 'POST', path: `/m/${merchantId}/${path}`, token, form });
  await post('team/invite', { email: 'owner+second@two.example', role: 'finance' });
  await post('developers/access', { ipAllow: '41.90.64.0/24', checkoutHosts: '' });
  const mailed = async (kind: string) =>
    (await portal.db('mails').where({ kind }).where('recipient', 'like', '%@two.example')).map(
      ({ recipient, body }) => `${recipient}: ${body.split('\n')[4] ?? ''}`,
    );
  const reported = [
    'owner+second@two.example is invited with the role “finance”.',
    'The addresses that can use your API keys were changed. Allowed now: 41.90.64.0/24.',
  ];
  expect((await mailed('portal-change')).sort()).toEqual(
    [owner, finance].flatMap(({ email }) => reported.map((line) => `${email}: ${line}`)).sort(),
  );
});
