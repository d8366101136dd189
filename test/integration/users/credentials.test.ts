/** What is proved by credentials that have changed since counts for nothing, and no spelling of a cookie is another cookie. */
import type * as argon2 from '@node-rs/argon2';
import { verify } from '@node-rs/argon2';
import { placeAt } from '../../../src/events/cursor';
import { CredentialsChanged } from '../../../src/users/credentials';
import { findLink, makeLink, resetPassword } from '../../../src/users/links';
import {
  isPassword,
  PasswordsBusy,
  knownBrowser,
  mayTryCode,
  mayTryPassword,
} from '../../../src/users/passwords';
import { addSecondFactor, newSecondFactor, removeSecondFactor } from '../../../src/users/second-factor';
import { endOtherSessions, findSession, openSession } from '../../../src/users/sessions';
import { showCode, showPassword, signIn } from '../../../src/users/sign-in';
import { endUser, setPassword, type Person } from '../../../src/users/users';
import { listCursorOf, listPlaceAt } from '../../../src/store/list-place';
import { openDatabase, type Database, type Transaction } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../../support/database';
import { box } from '../../support/verify/books-support';
import { codeOf, createPerson, giveSecondFactor, password } from '../../support/users/people-support';

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

/** Every spelling that a lenient decoder takes for the same bytes. */
const spellings = (text: string): string[] => {
  const dot = text.indexOf('.') + 1;
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(text.at(-1) ?? '');
  return [
    ...Array.from({ length: 30 }, (_, i) => `${text.slice(0, dot + i)}.${text.slice(dot + i)}`),
    ...Array.from({ length: 30 }, (_, i) => `${text.slice(0, dot + i)}~${text.slice(dot + i)}`),
    `${text}=`,
    text.replaceAll('-', '+').replaceAll('_', '/') + '==',
    // The bits that the last digit has to spare.
    ...[1, 2, 3].map((spare) => text.slice(0, -1) + (alphabet[last ^ spare] ?? '')),
  ].filter((one) => one !== text);
};

describe('a known browser', () => {
  it('is counted by what is in its cookie: another spelling is no other browser', async () => {
    const email = anEmail();
    const kept = knownBrowser(box, { email, credentials: 1 });
    const given = { email, credentials: 1, address: '' };
    const allowed = [];
    for (const browser of spellings(kept))
      allowed.push((await mayTryCode(db, box, { ...given, browser })).allowed);
    // They are strangers, all together.
    expect(allowed.filter(Boolean)).toHaveLength(5);
    // And the genuine one has its own five.
    const own = [];
    for (let i = 0; i < 6; i += 1) own.push((await mayTryCode(db, box, { ...given, browser: kept })).allowed);
    expect(own).toEqual([true, true, true, true, true, false]);
  });

  it('is one of few: many of them try no more codes, and no more passwords, than an account allows', async () => {
    const email = anEmail();
    let [codes, passwords] = [0, 0];
    for (let i = 0; i < 60; i += 1) {
      const browser = knownBrowser(box, { email, credentials: 1 });
      const given = { ...from(browser), email, credentials: 1 };
      if ((await mayTryCode(db, box, given)).allowed) codes += 1;
      if ((await mayTryPassword(db, box, given)).allowed) passwords += 1;
    }
    expect([codes < 20, passwords < 40]).toEqual([true, true]);
  });

  it('has no more tries in one session than a browser has', async () => {
    const email = anEmail();
    const allowed = [];
    for (let i = 0; i < 8; i += 1) {
      const browser = knownBrowser(box, { email, credentials: 1 });
      const given = { ...from(browser), email, credentials: 1, sessionId: `session-of-${email}` };
      allowed.push((await mayTryCode(db, box, given)).allowed);
    }
    expect(allowed.filter(Boolean)).toHaveLength(5);
  });

  it('is a stranger once the credentials are others', async () => {
    const email = anEmail();
    const browser = knownBrowser(box, { email, credentials: 1 });
    const later = { address: '', email, credentials: 2 };
    for (let i = 0; i < 5; i += 1) await mayTryCode(db, box, { ...later, browser: undefined });
    expect((await mayTryCode(db, box, { ...later, browser })).allowed).toBe(false);
  });
});

it('opens what is sealed, and goes on from a place in a list, by one spelling alone', () => {
  const sealed = box.seal('a text', 'whose');
  expect(box.open(sealed, 'whose')).toBe('a text');
  for (const one of spellings(sealed)) expect(() => box.open(one, 'whose')).toThrow('as it was sealed');
  const place = listCursorOf({ at: new Date(1_000), id: '7' });
  expect(listPlaceAt(place)).toBeDefined();
  for (const one of [`${place}=`, `${place}.`, `${place.slice(0, 3)}~${place.slice(3)}`])
    expect([listPlaceAt(one), placeAt(one)]).toEqual([undefined, undefined]);
});

/** Each ends what was begun before it. */
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
  ['the end of the second factor', (trx, { userId }) => removeSecondFactor(trx, userId)],
  ['the end of all sessions', (trx, { userId }) => endOtherSessions(trx, userId, undefined)],
  ['the end of the user', (trx, { userId }) => endUser(trx, userId)],
];

describe.each(changes)('%s', (_name, change) => {
  it('ends a sign-in that waits for its turn', async () => {
    const person = await createPerson(db, anEmail());
    const real = jest.requireActual<typeof argon2>('@node-rs/argon2').verify;
    // The old password is right when it is compared, and is the old one when that is over.
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

  it('ends a session that has shown the password, a step-up, a new second factor and a link to a password', async () => {
    const person = await createPerson(db, anEmail());
    const { userId, email } = person;
    const { secret } = await giveSecondFactor(db, box, person, Date.now() - 120_000);
    const token = await openSession(db, { userId, address: '', agent: '', passedSecond: false });
    const session = await findSession(db, token);
    if (!session) throw new Error('no session');
    const link = await inTransaction(db, (trx) => makeLink(trx, { kind: 'reset', userId }));
    await inTransaction(db, (trx) => change(trx, person));
    expect(await findSession(db, token)).toBeUndefined();
    // As requests that found the session before it ended.
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

it('bounds how many passwords are worked on, and leaves room for other networks than one', async () => {
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
  // The ninth of one /64, whichever of its addresses it comes from.
  await expect(ask('2001:db8:0:1::ffff')).rejects.toMatchObject({ isOfNetwork: true, retryAfterSeconds: 5 });
  for (let i = 0; i < 18; i += 1) begun.push(ask(`198.51.100.${String(i)}`));
  await expect(ask('203.0.113.1')).rejects.toMatchObject({ isOfNetwork: false });
  await expect(ask('203.0.113.1')).rejects.toThrow(PasswordsBusy);
  letGo();
  expect(new Set(await Promise.all(begun))).toEqual(new Set([false]));
  expect(await ask('203.0.113.1')).toBe(false);
  jest.mocked(verify).mockImplementation(real);
});

it('counts who is refused for the owner to see, and asks for a mail of eight tries, and of twice as many', async () => {
  const person = await createPerson(db, anEmail());
  const told = [];
  for (let i = 0; i < 9; i += 1) {
    const refused = await signIn(db, box, { ...from(), email: person.email, password: 'wrong' });
    told.push(refused.kind === 'wrong' && refused.alarming !== undefined);
  }
  expect(told).toEqual([false, false, false, false, false, false, false, true, false]);
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
  // Within the hour of the last mail.
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
  // A day of them begins anew, where the last is older than an hour.
  await db('rate_limit_buckets')
    .where({ bucket: `portal:alarms:${person.userId}` })
    .delete();
  expect(await next(8, 25 * 60)).toBe(false);
  expect((await db('users').where({ user_id: person.userId }).first())?.refused_tries).toBe(1);
});
