/** Passkeys with a simulated device: bound to the user and the origin, and each answer counts once. */
import { findSession } from '../../../src/users/sessions';
import type { Person } from '../../../src/users/users';
import { siteOf } from '../../../src/users/passkeys';
import { aMerchant, codeOf, createPerson, giveSecondFactor } from '../../support/users/users-support';
import { call, sessionOf, startPortal, type TestPortal } from '../../support/portal/portal-support';
import { softPasskey, type Asking, type SoftPasskey } from './soft-passkey';

let portal: TestPortal;
let merchantId: string;
beforeAll(async () => {
  portal = await startPortal({ environment: 'live', publicUrl: 'https://portal.example' });
  merchantId = await aMerchant(portal.db, portal.box);
});
afterAll(() => portal.stop());

const site = { origin: 'https://portal.example', rpId: 'portal.example' };
/** Over https the cookies have another name. */
const as = (token: string) => ({ cookie: `__Host-session=${token}`, origin: site.origin });
const get = (token: string, path: string) => call(portal, { method: 'GET', path, token, headers: as(token) });
const post = (token: string, path: string, form: Record<string, string> = {}) =>
  call(portal, { method: 'POST', path, token, form, headers: as(token) });
const tokenIn = ({ cookies }: { cookies: string[] }) =>
  /^__Host-session=([\w-]{43});/.exec(cookies.find((one) => one.startsWith('__Host-session=')) ?? '')?.[1] ??
  '';
const unescaped = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');

/** The page's options for the device, and its encrypted challenge. */
function askedBy({ text }: { text: string }): { challenge: string; encrypted: string } {
  const options = unescaped(/data-passkey="([^"]*)"/.exec(text)?.[1] ?? '{}');
  const encrypted = unescaped(/name="encrypted" value="([^"]*)"/.exec(text)?.[1] ?? '');
  return { ...(JSON.parse(options) as { challenge: string }), encrypted };
}

let persons = 0;
async function aPerson() {
  persons += 1;
  const email = `p${String(persons)}@duka.example`;
  return createPerson(portal.db, email, { merchantId, role: 'owner' });
}

async function added(person: Person, device: SoftPasskey, about: Partial<Asking> = {}) {
  const token = await sessionOf(portal, person);
  const { challenge, encrypted } = askedBy(await get(token, '/security/passkey'));
  const passkey = device.register({ ...site, challenge, ...about });
  return post(token, '/security/passkey', { passkey, encrypted, name: 'my <b>phone' });
}

const keysOf = ({ userId }: Person) => portal.db('passkeys').where({ user_id: userId });
const inOf = async (token: string) => (await findSession(portal.db, token))?.passedSecond;

it('adds the first passkey with recovery codes, signs in with it, and asks for it before dangerous actions', async () => {
  const [person, device] = [await aPerson(), softPasskey()];
  const first = await sessionOf(portal, person);
  // In live, a user without a second factor cannot continue.
  expect((await get(first, `/m/${merchantId}`)).to).toBe('/security/app');
  const made = await added(person, device);
  expect([made.status, made.text.match(/<code>/g)?.length]).toEqual([200, 10]);
  const page = await get(tokenIn(made), '/security');
  expect([page.text.includes('my &lt;b&gt;phone'), page.text.includes('<b>phone')]).toEqual([true, false]);
  expect(await keysOf(person)).toMatchObject([{ transports: 'internal', sign_count: '0' }]);

  const token = await sessionOf(portal, person);
  expect((await get(token, `/m/${merchantId}`)).to).toMatch(/^\/second-factor/);
  const { challenge, encrypted } = askedBy(await get(token, '/second-factor?next=%2Fsecurity'));
  const form = { passkey: device.answer({ ...site, challenge }), encrypted, next: '/security' };
  const shown = await post(token, '/second-factor', form);
  expect([shown.status, shown.to, await inOf(tokenIn(shown))]).toEqual([303, '/security', true]);
  expect(await findSession(portal.db, token)).toBeUndefined();

  const stale = await sessionOf(portal, person, { passedSecond: true, isFresh: false });
  const removal = await post(stale, '/security/passkey/remove', { passkey: 'x' });
  expect(removal.to).toBe('/confirm?next=%2Fsecurity');
  const again = askedBy(await get(stale, removal.to));
  const proof = {
    passkey: device.answer({ ...site, challenge: again.challenge }),
    encrypted: again.encrypted,
  };
  const confirmed = await post(stale, '/confirm', { ...proof, next: '/security' });
  expect([confirmed.to, (await findSession(portal.db, tokenIn(confirmed)))?.isFresh]).toEqual([
    '/security',
    true,
  ]);
  const lines = await portal
    .db('audit_log')
    .where({ acted_by: `user:${person.userId}` })
    .orderBy('seq');
  expect(lines.map(({ action, details }) => `${action} ${details}`)).toEqual([
    'user.passkey.add {}',
    'user.second_factor {"with":"passkey"}',
    'user.second_factor {"with":"passkey"}',
  ]);
  expect(await portal.db('mails').where({ recipient: person.email }).pluck('body')).toEqual([
    expect.stringContaining('a passkey was added'),
  ]);
});

it.each<[string, Partial<Asking>]>([
  ['a fake site', { origin: 'https://portal.example.evil' }],
  ['a page without TLS', { origin: 'http://portal.example' }],
  ['another RP id', { rpId: 'evil.example' }],
  ['another challenge', { challenge: 'x'.repeat(43) }],
])('rejects an answer that was made for %s', async (_where, about) => {
  const [person, device] = [await aPerson(), softPasskey()];
  const refused = await added(person, device, about);
  expect([refused.status, await keysOf(person)]).toEqual([422, []]);
  await added(person, device);
  const token = await sessionOf(portal, person);
  const { challenge, encrypted } = askedBy(await get(token, '/second-factor'));
  const passkey = device.answer({ ...site, challenge, ...about });
  const answer = await post(token, '/second-factor', { passkey, encrypted });
  expect([answer.status, await inOf(token)]).toEqual([422, false]);
});

it("accepts an answer once, in the same session, from the passkey's owner", async () => {
  const [person, device] = [await aPerson(), softPasskey()];
  await added(person, device);
  const [token, other] = [await sessionOf(portal, person), await sessionOf(portal, person)];
  const { challenge, encrypted } = askedBy(await get(token, '/second-factor'));
  // Like most devices, this one has no counter. The single use must not depend on it.
  const form = { passkey: device.answer({ ...site, challenge }, false), encrypted };
  expect((await post(other, '/second-factor', form)).status).toBe(422);
  const [one, two] = await Promise.all([
    post(token, '/second-factor', form),
    post(token, '/second-factor', form),
  ]);
  expect([one.status, two.status].sort()).toEqual([303, expect.any(Number)]);
  const winner = tokenIn(one) || tokenIn(two);
  expect([tokenIn(one), tokenIn(two)].filter(Boolean)).toEqual([winner]);
  expect((await post(winner, '/confirm', form)).status).toBe(422);

  const [thief, own] = [await aPerson(), softPasskey()];
  await added(thief, own);
  const theirs = await sessionOf(portal, thief);
  const asked = askedBy(await get(theirs, '/second-factor'));
  const foreign = device.answer({ ...site, challenge: asked.challenge });
  expect(
    (await post(theirs, '/second-factor', { passkey: foreign, encrypted: asked.encrypted })).status,
  ).toBe(422);
});

it.each(['', '{', 'null', '[]', '{"id":"é"}', `{"id":${JSON.stringify('x'.repeat(3_000))}}`])(
  'survives the malformed answer %#',
  async (passkey) => {
    const person = await aPerson();
    await added(person, softPasskey());
    const token = await sessionOf(portal, person);
    const { encrypted } = askedBy(await get(token, '/second-factor'));
    for (const form of [
      { passkey, encrypted },
      { passkey, encrypted: 'x' },
    ])
      expect((await post(token, '/second-factor', form)).status).toBe(422);
  },
);

it('rejects an expired challenge', async () => {
  const [person, device] = [await aPerson(), softPasskey()];
  await added(person, device);
  const token = await sessionOf(portal, person);
  const asked = askedBy(await get(token, '/second-factor'));
  const form = {
    passkey: device.answer({ ...site, challenge: asked.challenge }),
    encrypted: asked.encrypted,
  };
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 11 * 60_000);
  const late = await post(token, '/second-factor', form).finally(() => {
    clock.mockRestore();
  });
  expect([late.status, late.text.includes('open too long')]).toEqual([422, true]);
});

it('adds a device once, ten at most, and keeps the last second factor in live', async () => {
  const [person, device] = [await aPerson(), softPasskey()];
  let token = tokenIn(await added(person, device));
  const again = async (one: SoftPasskey) => {
    const { challenge, encrypted } = askedBy(await get(token, '/security/passkey'));
    return post(token, '/security/passkey', {
      passkey: one.register({ ...site, challenge }),
      encrypted,
      name: 'again',
    });
  };
  expect((await again(device)).status).toBe(422);
  const [only] = await keysOf(person);
  const remove = (passkeyId = '') => post(token, '/security/passkey/remove', { passkey: passkeyId });
  for (const id of [only?.passkey_id, 'x', 'é']) expect((await remove(id)).status).toBe(404);
  const { secret, codes } = await giveSecondFactor(portal.db, portal.box, person, Date.now() - 120_000);
  // From another browser; that ended the session here.
  expect((await get(token, '/security')).status).toBe(303);
  token = await sessionOf(portal, person, { passedSecond: true });
  expect((await remove(only?.passkey_id)).to).toBe('/security?done=passkey_removed');
  expect([await keysOf(person), codes.length]).toEqual([[], 10]);
  expect((await post(token, '/security/app/remove')).status).toBe(404);
  const next = await sessionOf(portal, person);
  const code = codeOf(secret, Date.now());
  expect((await post(next, '/second-factor', { code })).status).toBe(303);

  await portal.db('users').where({ user_id: person.userId }).update({ passkeys: 10 });
  expect((await again(softPasskey())).status).toBe(422);
});

it.each([
  [['https://portal.example'], { origin: 'https://portal.example', id: 'portal.example' }],
  [['http://127.0.0.1:3002', 'http://localhost:3002'], { origin: 'http://localhost:3002', id: 'localhost' }],
  [['https://192.0.2.1', 'https://[2001:db8::1]:8443'], undefined],
])('works for the portal at %j', (origins, expected) => {
  expect(siteOf(origins)).toEqual(expected);
});
