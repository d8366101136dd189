/** A proof becomes invalid when the credentials change. Another spelling of a cookie is the same cookie. */
import type * as argon2 from '@node-rs/argon2';
import { verify } from '@node-rs/argon2';
import { positionAt } from '../../../src/events/cursor';
import { CredentialsChanged } from '../../../src/users/credentials';
import { findLink, makeLink, resetPassword } from '../../../src/users/links';
import {
  isPassword,
  PasswordsBusy,
  knownBrowser,
  canTryCode,
  canTryPassword,
} from '../../../src/users/passwords';
import { addSecondFactor, newSecondFactor, removeSecondFactor } from '../../../src/users/second-factor';
import { endOtherSessions, findSession, openSession } from '../../../src/users/sessions';
import { showCode, showPassword, signIn } from '../../../src/users/sign-in';
import { endUser, setPassword, type Person } from '../../../src/users/users';
import { listCursorOf, listCursorAt } from '../../../src/store/list-cursor';
import { openDatabase, type Database, type Transaction } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../../support/database';
import { box } from '../../support/verify/books-support';
import { codeOf, createPerson, giveSecondFactor, password } from '../../support/users/users-support';

jest.mock('@node-rs/argon2', () => {
  const real: typeof argon2 = jest.requireActual('@node-rs/argon2');
  return { ...real, verify: jest.fn(real.verify) };
});

let test: TestDatabase;
let db: Database;
beforeAll(async () => {
  test = await createTestDatabase();
  db = openDatabase(test.url, { patienceMs: testPatienceMs });
});
afterAll(async () => {
  await db.destroy();
  await test.drop();
});

let n = 0;
const anEmail = () => `person-${String((n += 1))}@duka.example`;
const from = (browser?: string) => ({
  address: `192.0.2.${String((n += 1) % 250)}`,
  browser,
  agent: 'a browser',
});

/** All spellings that a lenient decoder would decode to the same bytes. */
const spellings = (text: string): string[] => {
  const dot = text.indexOf('.') + 1;
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(text.at(-1) ?? '');
  return [
    ...Array.from({ length: 30 }, (_, i) => `${text.slice(0, dot + i)}.${text.slice(dot + i)}`),
    ...Array.from({ length: 30 }, (_, i) => `${text.slice(0, dot + i)}~${text.slice(dot + i)}`),
    `${text}=`,
    text.replaceAll('-', '+').replaceAll('_', '/') + '==',
    // The unused bits of the last digit.
    ...[1, 2, 3].map((spare) => text.slice(0, -1) + (alphabet[last ^ spare] ?? '')),
  ].filter((one) => one !== text);
};

describe('a known browser', () => {
  it('is counted by the content of its cookie: another spelling is the same browser', async () => {
    const email = anEmail();
    const kept = knownBrowser(box, { email, credentials: 1 });
    const given = { email, credentials: 1, address: '' };
    const allowed = [];
    for (const browser of spellings(kept))
      allowed.push((await canTryCode(db, box, { ...given, browser })).allowed);
    // Together they count as unknown browsers.
    expect(allowed.filter(Boolean)).toHaveLength(5);
    // The genuine browser has its own five attempts.
    const own = [];
    for (let i = 0; i < 6; i += 1) own.push((await canTryCode(db, box, { ...given, browser: kept })).allowed);
    expect(own).toEqual([true, true, true, true, true, false]);
  });

  it('shares the allowance of the account: many known browsers get no more attempts', async () => {
    const email = anEmail();
    let [codes, passwords] = [0, 0];
    for (let i = 0; i < 60; i += 1) {
      const browser = knownBrowser(box, { email, credentials: 1 });
      const given = { ...from(browser), email, credentials: 1 };
      if ((await canTryCode(db, box, given)).allowed) codes += 1;
      if ((await canTryPassword(db, box, given)).allowed) passwords += 1;
    }
    expect([codes < 20, passwords < 40]).toEqual([true, true]);
  });

  it('gets no more attempts in one session than one browser', async () => {
    const email = anEmail();
    const allowed = [];
    for (let i = 0; i < 8; i += 1) {
      const browser = knownBrowser(box, { email, credentials: 1 });
      const given = { ...from(browser), email, credentials: 1, sessionId: `session-of-${email}` };
      allowed.push((await canTryCode(db, box, given)).allowed);
    }
    expect(allowed.filter(Boolean)).toHaveLength(5);
  });

  it('becomes unknown after a change of the credentials', async () => {
    const email = anEmail();
    const browser = knownBrowser(box, { email, credentials: 1 });
    const later = { address: '', email, credentials: 2 };
    for (let i = 0; i < 5; i += 1) await canTryCode(db, box, { ...later, browser: undefined });
    expect((await canTryCode(db, box, { ...later, browser })).allowed).toBe(false);
  });
});

it('accepts encrypted texts and list cursors in only one spelling', () => {
  const encrypted = box.encrypt('a text', 'whose');
  expect(box.open(encrypted, 'whose')).toBe('a text');
  for (const one of spellings(encrypted)) expect(() => box.open(one, 'whose')).toThrow('has been altered');
  const place = listCursorOf({ at: new Date(1_000), id: '7' });
  expect(listCursorAt(place)).toBeDefined();
  for (const one of [`${place}=`, `${place}.`, `${place.slice(0, 3)}~${place.slice(3)}`])
    expect([listCursorAt(one), positionAt(one)]).toEqual([undefined, undefined]);
});

/** Each change ends everything that began before it. */
const changes: [string, (trx: Transaction, person: Person) => Promise<unknown>][] = [
  [
    'a new password',
    (trx, { userId, email }) => setPassword(trx, { user_id: userId, email }, 'mchele na maharage'),
  ],
  [
    'a reset by mail',
    async (trx, { userId }) =>
      resetPassword(trx, await makeLink(trx, { kind: 'reset', userId }), 'mchele na maharage'),
  ],
  ['removal of the second factor', (trx, { userId }) => removeSecondFactor(trx, userId)],
  ['the end of all sessions', (trx, { userId }) => endOtherSessions(trx, userId, undefined)],
  ['closing the account', (trx, { userId }) => endUser(trx, userId)],
];

describe.each(changes)('%s', (_name, change) => {
  it('ends a sign-in that waits in the password queue', async () => {
    const person = await createPerson(db, anEmail());
    const real = jest.requireActual<typeof argon2>('@node-rs/argon2').verify;
    // The old password is correct at the comparison, and outdated after it.
    jest.mocked(verify).mockImplementationOnce(async (...given: Parameters<typeof real>) => {
      const isRight = await real(...given);
      await inTransaction(db, (trx) => change(trx, person));
      return isRight;
    });
    expect(await signIn(db, box, { ...from(), email: person.email, password })).toMatchObject({
      kind: 'wrong',
    });
    expect(await db('user_sessions').where({ user_id: person.userId })).toEqual([]);
  });

  it('ends a session after the password step, a confirmation, a new second factor and a reset link', async () => {
    const person = await createPerson(db, anEmail());
    const { userId, email } = person;
    const { secret } = await giveSecondFactor(db, box, person, Date.now() - 120_000);
    const token = await openSession(db, { userId, address: '', agent: '', passedSecond: false });
    const session = await findSession(db, token);
    if (!session) throw new Error('no session');
    const link = await inTransaction(db, (trx) => makeLink(trx, { kind: 'reset', userId }));
    await inTransaction(db, (trx) => change(trx, person));
    expect(await findSession(db, token)).toBeUndefined();
    // Like requests that found the session before its end.
    const code = codeOf(secret, Date.now());
    expect(await showCode(db, box, session, { ...from(), code })).toMatchObject({ kind: 'wrong' });
    expect(await showPassword(db, box, session, { ...from(), password })).toMatchObject({ kind: 'wrong' });
    const atMs = Date.now();
    const added = newSecondFactor(email);
    const own = { userId, secret: added.secret, code: codeOf(added.secret, atMs), atMs, session };
    await expect(addSecondFactor(db, box, own, () => Promise.resolve())).rejects.toThrow(CredentialsChanged);
    expect(await findLink(db, 'reset', link)).toBeUndefined();
  });
});

it('limits concurrent password hashes, with a share for each network', async () => {
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const real = jest.requireActual<typeof argon2>('@node-rs/argon2').verify;
  jest.mocked(verify).mockImplementation(async (...given: Parameters<typeof real>) => {
    await held;
    return real(...given);
  });
  const ask = (address: string) => isPassword('any', undefined, address);
  const begun = Array.from({ length: 8 }, (_, i) => ask(`2001:db8:0:1::${String(i + 1)}`));
  // The ninth request of one /64, from any of its addresses.
  await expect(ask('2001:db8:0:1::ffff')).rejects.toMatchObject({ isOfNetwork: true, retryAfterSeconds: 5 });
  for (let i = 0; i < 18; i += 1) begun.push(ask(`198.51.100.${String(i)}`));
  await expect(ask('203.0.113.1')).rejects.toMatchObject({ isOfNetwork: false });
  await expect(ask('203.0.113.1')).rejects.toThrow(PasswordsBusy);
  letGo();
  expect(new Set(await Promise.all(begun))).toEqual(new Set([false]));
  expect(await ask('203.0.113.1')).toBe(false);
  jest.mocked(verify).mockImplementation(real);
});

it('counts failed attempts for the owner, and requests a mail after eight and at each doubling', async () => {
  const person = await createPerson(db, anEmail());
  const reported = [];
  for (let i = 0; i < 9; i += 1) {
    const refused = await signIn(db, box, { ...from(), email: person.email, password: 'wrong' });
    reported.push(refused.kind === 'wrong' && refused.alarming !== undefined);
  }
  expect(reported).toEqual([false, false, false, false, false, false, false, true, false]);
  const user = await db('users').where({ user_id: person.userId }).first();
  expect(user?.refused_tries).toBe(9);
  const next = async (n: number, minutesAgo = 0) => {
    const refused_at = db.raw<Date>(`UTC_TIMESTAMP(3) - INTERVAL ${String(minutesAgo)} MINUTE`);
    await db('users')
      .where({ user_id: person.userId })
      .update({ refused_tries: n - 1, refused_at });
    await db('rate_limit_buckets')
      .where('bucket', 'like', 'portal:a%')
      .whereNot('bucket', 'like', '%alarms%')
      .delete();
    const refused = await signIn(db, box, { ...from(), email: person.email, password: 'wrong' });
    return refused.kind === 'wrong' && refused.alarming !== undefined;
  };
  // Within an hour of the last mail.
  expect(await next(16)).toBe(false);
  await db('rate_limit_buckets')
    .where({ bucket: `portal:alarms:${person.userId}` })
    .delete();
  expect([await next(15), await next(17), await next(24), await next(32)]).toEqual([
    false,
    false,
    false,
    true,
  ]);
  // On a new day the count starts again if the last attempt is older than an hour.
  await db('rate_limit_buckets')
    .where({ bucket: `portal:alarms:${person.userId}` })
    .delete();
  expect(await next(8, 25 * 60)).toBe(false);
  expect((await db('users').where({ user_id: person.userId }).first())?.refused_tries).toBe(1);
});
