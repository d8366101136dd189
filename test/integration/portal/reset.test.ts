/** Password reset, from the form to the new password. The answer does not show whether an account exists. */
import type * as argon2 from '@node-rs/argon2';
import { verify } from '@node-rs/argon2';
import { createPerson, giveSecondFactor, password } from '../../support/users/users-support';
import { csrfOf } from '../../../src/portal/forms';
import { sessionOf, startPortal, type TestPortal } from '../../support/portal/portal-support';

jest.mock('@node-rs/argon2', () => {
  const real: typeof argon2 = jest.requireActual('@node-rs/argon2');
  return { ...real, verify: jest.fn(real.verify) };
});

let portal: TestPortal;
beforeAll(async () => {
  portal = await startPortal();
});
afterAll(() => portal.stop());

/** A browser with its cookies. */
function aBrowser() {
  const kept = new Map<string, string>([['malipo-visit', 'v'.repeat(43)]]);
  return async (method: 'GET' | 'POST', path: string, form: Record<string, string> = {}) => {
    const proof = kept.get('malipo-session') ?? kept.get('malipo-visit') ?? '';
    const response = await fetch(`${portal.url}${path}`, {
      method,
      redirect: 'manual',
      headers: { origin: portal.url, cookie: [...kept].map((one) => one.join('=')).join('; ') },
      ...(method === 'POST' && { body: new URLSearchParams({ csrf: csrfOf(proof), ...form }) }),
    });
    for (const [pair = ''] of response.headers.getSetCookie().map((cookie) => cookie.split(';'))) {
      const [name = '', value = ''] = pair.split('=');
      if (value === '') kept.delete(name);
      else kept.set(name, value);
    }
    const to = response.headers.get('location') ?? '';
    return { status: response.status, to, text: await response.text(), kept };
  };
}

const mailsTo = (recipient: string) => portal.test.db('mails').where({ recipient }).orderBy('created_at');

async function linkTo(email: string): Promise<string> {
  for (;;) {
    const [mail] = await mailsTo(email);
    const link = /\/reset\/[\w-]{43}/.exec(mail?.body ?? '')?.[0];
    if (link !== undefined) return link;
  }
}

it('sets a new password with a mailed link once, and ends all sessions', async () => {
  const email = 'amina@duka.example';
  const person = await createPerson(portal.db, email);
  const before = await sessionOf(portal, person);
  const go = aBrowser();
  expect((await go('GET', '/forgot')).status).toBe(200);
  expect((await go('POST', '/forgot', { email: ' Amina@Duka.example ' })).status).toBe(200);
  const link = await linkTo(email);
  const opened = await go('GET', link);
  // From here on, no URL contains the token.
  expect([opened.status, opened.to]).toEqual([303, '/reset']);
  expect((await go('GET', '/reset')).text).toContain(email);
  expect((await go('POST', '/reset', { password: 'short' })).status).toBe(422);
  const set = await go('POST', '/reset', { password: 'mchele na maharage' });
  expect([set.status, set.to]).toEqual([303, '/sign-in?done=reset']);
  expect(await portal.db('user_sessions').where({ user_id: person.userId })).toEqual([]);
  expect(before).not.toBe('');

  const wrong = await go('POST', '/sign-in', { email, password });
  expect([wrong.status, wrong.kept.has('malipo-session')]).toEqual([422, false]);
  const signedIn = await go('POST', '/sign-in', { email, password: 'mchele na maharage' });
  expect([signedIn.status, signedIn.kept.has('malipo-session')]).toEqual([303, true]);
  const again = aBrowser();
  await again('GET', link);
  expect((await again('GET', '/reset')).status).toBe(410);
  expect((await again('POST', '/reset', { password: 'mchele na maharage' })).status).toBe(410);
});

it('still asks for the second factor', async () => {
  const email = 'brian@duka.example';
  const person = await createPerson(portal.db, email);
  await giveSecondFactor(portal.db, portal.box, person, Date.now() - 120_000);
  const go = aBrowser();
  await go('POST', '/forgot', { email });
  await go('GET', await linkTo(email));
  await go('POST', '/reset', { password: 'mchele na maharage' });
  const { to } = await go('POST', '/sign-in', { email, password: 'mchele na maharage' });
  expect(to).toBe('/second-factor?next=%2F');
});

it('ends open links when the password changes in another way', async () => {
  const email = 'chiku@duka.example';
  const person = await createPerson(portal.db, email);
  const go = aBrowser();
  await go('POST', '/forgot', { email });
  const link = await linkTo(email);
  const own = aBrowser();
  await own('POST', '/sign-in', { email, password });
  expect((await own('POST', '/security/password', { password: 'mchele na maharage' })).status).toBe(303);
  await go('GET', link);
  expect((await go('POST', '/reset', { password: 'ugali na sukuma wiki' })).status).toBe(410);
  expect(person.userId).not.toBe('');
});

it('does not show whether an account exists: same page, same work', async () => {
  const known = 'diana@duka.example';
  await createPerson(portal.db, known);
  await portal.test.db('users').insert({
    ...{ user_id: '01890a5d-ac96-774b-bcce-b302099a8057', email: 'invited@duka.example', locale: 'en' },
    ...{ created_by: 'test', created_at: new Date() },
  });
  const asked: string[] = [];
  const worked: unknown[] = [];
  for (const email of [known, 'invited@duka.example', 'nobody@duka.example', 'none']) {
    const go = aBrowser();
    asked.push((await go('POST', '/forgot', { email })).text);
    jest.mocked(verify).mockClear();
    const refused = await go('POST', '/sign-in', { email, password: 'something else' });
    expect(refused.text.replace(email, '')).toContain('alert');
    // The same hashing cost for every address.
    worked.push(
      jest.mocked(verify).mock.calls.map(([hash]) => /^\$argon2id\$[^$]*\$[^$]*/.exec(String(hash))?.[0]),
    );
  }
  expect(new Set(asked).size).toBe(1);
  expect(worked).toEqual(Array.from({ length: 4 }, () => ['$argon2id$v=19$m=19456,t=2,p=1']));
});

it('ends the previous session of the browser at a new sign-in', async () => {
  const email = 'esther@duka.example';
  const person = await createPerson(portal.db, email);
  const go = aBrowser();
  await go('POST', '/sign-in', { email, password });
  await go('POST', '/sign-in', { email, password });
  expect(await portal.db('user_sessions').where({ user_id: person.userId })).toHaveLength(1);
});
