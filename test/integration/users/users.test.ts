/** The guarantees of src/users that the pages and the command line rely on. */
import { createHash } from 'node:crypto';
import { openDatabase, type Database } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';
import { acceptRows } from '../../../src/users/audit-log';
import { idInToken, mintTokenOf } from '../../../src/users/credentials';
import { invite } from '../../../src/users/invite';
import { acceptInvitation, findLink, makeLink, resetPassword } from '../../../src/users/links';
import {
  addMember,
  changeRole,
  listMembers,
  removeMember,
  roleAt,
  workplacesOf,
} from '../../../src/users/members';
import { takeCode } from '../../../src/users/second-factor';
import {
  endOtherSessions,
  endSession,
  findSession,
  listSessions,
  recordFactor,
  openSession,
  renewToken,
} from '../../../src/users/sessions';
import { showPassword, signIn, stageOf } from '../../../src/users/sign-in';
import { endUser, ensureUser } from '../../../src/users/users';
import { everything } from '../../../src/verify/check';
import { checks } from '../../../src/verify/verify';
import { jobsOf, prune } from '../../../src/worker/prune/prune';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../../support/database';
import { aMerchant, createPerson, giveSecondFactor, password } from '../../support/users/users-support';
import { box, testContext } from '../../support/verify/books-support';

let test: TestDatabase;
/** The portal's database account, so that a missing privilege fails a test. */
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
let address = '';
beforeEach(() => {
  address = `192.0.2.${String((n += 1))}`;
});
const from = (browser?: string) => ({ address, browser, agent: 'a browser' });
const signedIn = { agent: 'a browser', passedSecond: false };
const linesOf = (userId: string) =>
  db('audit_log').where({ subject_kind: 'user', subject_id: userId }).orderBy('seq').pluck('action');

describe('a sign-in', () => {
  it('accepts the right password for any case of the address, and stores neither the password nor the token', async () => {
    const person = await createPerson(db, anEmail());
    const result = await signIn(db, box, { ...from(), email: ` ${person.email.toUpperCase()} `, password });
    expect(result).toMatchObject({ kind: 'in', person: { userId: person.userId } });
    const token = result.kind === 'in' ? result.token : '';
    expect(await findSession(db, token)).toMatchObject({ person, passedSecond: false, isFresh: true });
    const user = await db('users').where({ user_id: person.userId }).first();
    expect(user?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    const [session] = await db('user_sessions').where({ user_id: person.userId });
    expect(JSON.stringify(session)).not.toContain(token);
    expect(await linesOf(person.userId)).toEqual(['user.sign_in']);
  });

  it('gives the same answer for a wrong password, a missing, an invited and a closed account', async () => {
    const person = await createPerson(db, anEmail());
    const invited = anEmail();
    await inTransaction(db, (trx) => ensureUser(trx, { email: invited, locale: 'en', by: 'test' }));
    const ended = await createPerson(db, anEmail());
    await inTransaction(db, (trx) => endUser(trx, ended.userId));
    for (const email of [person.email, invited, ended.email, anEmail(), 'no address', 'ä@x.example'])
      expect(await signIn(db, box, { ...from(), email, password: 'something else' })).toEqual({
        kind: 'wrong',
      });
    expect(await linesOf(person.userId)).toEqual(['user.sign_in.refused']);
  });

  it('is rate-limited for unknown browsers, but not for a browser that the owner has used', async () => {
    const person = await createPerson(db, anEmail());
    const first = await signIn(db, box, { ...from(), email: person.email, password });
    const browser = first.kind === 'in' ? first.browser : '';
    for (const email of [person.email, anEmail()]) {
      const tries = [];
      for (let i = 0; i < 11; i += 1) {
        address = `198.51.100.${String((n += 1))}`;
        tries.push((await signIn(db, box, { ...from(), email, password: 'wrong' })).kind);
      }
      expect(tries.at(-1)).toBe('slow');
    }
    expect(await signIn(db, box, { ...from(), email: person.email, password })).toMatchObject({
      kind: 'slow',
    });
    expect(await signIn(db, box, { ...from(browser), email: person.email, password })).toMatchObject({
      kind: 'in',
    });
    // It counts only for its owner's account, and cannot be forged.
    const other = await createPerson(db, anEmail());
    expect(await signIn(db, box, { ...from('made.up'), email: person.email, password })).toMatchObject({
      kind: 'slow',
    });
    expect(await signIn(db, box, { ...from(browser), email: other.email, password })).toMatchObject({
      kind: 'in',
    });
  });

  it('asks for the second factor, which live requires', async () => {
    const person = await createPerson(db, anEmail());
    const token = await openSession(db, { ...signedIn, address, userId: person.userId });
    const plain = await findSession(db, token);
    if (!plain) throw new Error('no session');
    expect([stageOf(plain, 'sandbox'), stageOf(plain, 'live')]).toEqual(['in', 'enrol']);
    await giveSecondFactor(db, box, person, Date.now() - 90_000);
    const asked = await findSession(db, token);
    if (!asked) throw new Error('no session');
    expect([stageOf(asked, 'sandbox'), stageOf(asked, 'live')]).toEqual(['second_factor', 'second_factor']);
    await inTransaction(db, (trx) => recordFactor(trx, asked.sessionId, { passedSecond: true }));
    const through = await findSession(db, token);
    if (!through) throw new Error('no session');
    expect([stageOf(through, 'sandbox'), stageOf(through, 'live')]).toEqual(['in', 'in']);
  });
});

describe('a session', () => {
  const open = async () => {
    const person = await createPerson(db, anEmail());
    const token = await openSession(db, { ...signedIn, address, userId: person.userId });
    return { person, token, session: await findSession(db, token) };
  };
  const back = (userId: string, column: string, interval: string) =>
    test.db.raw(`UPDATE user_sessions SET ${column} = ${column} - INTERVAL ${interval} WHERE user_id = ?`, [
      userId,
    ]);

  it.each([
    ['12 hours after the sign-in', 'expires_at', '12 HOUR'],
    ['after 30 minutes without a page', 'seen_at', '30 MINUTE'],
  ])('ends %s', async (_when, column, interval) => {
    const { person, token } = await open();
    await back(person.userId, column, interval);
    expect(await findSession(db, token)).toBeUndefined();
    expect(await listSessions(db, person.userId)).toEqual([]);
  });

  it('stays open while pages are requested, and needs a new confirmation after ten minutes', async () => {
    const { person, token } = await open();
    await back(person.userId, 'seen_at', '29 MINUTE');
    await back(person.userId, 'verified_at', '10 MINUTE');
    expect(await findSession(db, token)).toMatchObject({ isFresh: false });
    await back(person.userId, 'seen_at', '29 MINUTE');
    const session = await findSession(db, token);
    const again = session && (await showPassword(db, box, session, { ...from(), password }));
    expect(await findSession(db, again?.kind === 'in' ? again.token : '')).toMatchObject({ isFresh: true });
  });

  it('is listed and ended only by its owner', async () => {
    const mine = await open();
    const theirs = await open();
    const { sessionId = '' } = mine.session ?? {};
    expect(await endSession(db, theirs.person.userId, sessionId)).toBe(false);
    expect(await endSession(db, theirs.person.userId, 'ä')).toBe(false);
    await openSession(db, { ...signedIn, address, userId: mine.person.userId, agent: 'éa\nb' });
    expect((await listSessions(db, mine.person.userId)).map(({ agent }) => agent).sort()).toEqual([
      '?a?b',
      'a browser',
    ]);
    expect(await inTransaction(db, (trx) => endOtherSessions(trx, mine.person.userId, sessionId))).toBe(1);
    expect(await endSession(db, mine.person.userId, sessionId)).toBe(true);
    expect(await findSession(db, mine.token)).toBeUndefined();
    expect(await findSession(db, theirs.token)).toBeDefined();
  });

  it('can change its token, so a planted token becomes useless', async () => {
    const { token, session } = await open();
    const renewed = await inTransaction(db, (trx) => renewToken(trx, session?.sessionId ?? ''));
    expect([await findSession(db, token), (await findSession(db, renewed))?.sessionId]).toEqual([
      undefined,
      session?.sessionId,
    ]);
  });
});

describe('a mailed link', () => {
  const invite = async () => {
    const merchantId = await aMerchant(db, box);
    const email = anEmail();
    return inTransaction(db, async (trx) => {
      const user = await ensureUser(trx, { email, locale: 'sw', by: 'test' });
      await addMember(trx, { merchantId, userId: user.user_id, role: 'finance', by: 'test' });
      const token = await makeLink(trx, { kind: 'invitation', userId: user.user_id, merchantId });
      return { merchantId, email, userId: user.user_id, token };
    });
  };
  const accept = (token: string, word?: string) =>
    inTransaction(db, (trx) => acceptInvitation(trx, token, word));

  it('makes the accepting user a member once; opening it does not use it up', async () => {
    const { merchantId, userId, email, token } = await invite();
    expect(await roleAt(db, merchantId, userId)).toBeUndefined();
    expect(await findLink(db, 'invitation', token)).toMatchObject({ merchantId, merchantName: 'Duka' });
    expect(await findLink(db, 'reset', token)).toBeUndefined();
    await expect(accept(token, 'short')).rejects.toMatchObject({ code: 'password_weak' });
    await expect(accept(token, `${email.split('@')[0] ?? ''} and more`)).rejects.toMatchObject({
      code: 'password_weak',
    });
    const both = await Promise.allSettled([accept(token, password), accept(token, 'another one entirely')]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await roleAt(db, merchantId, userId)).toBe('finance');
    await expect(accept(token, password)).rejects.toMatchObject({ code: 'link_dead' });
  });

  it('does not change an existing password', async () => {
    const there = await createPerson(db, anEmail());
    const merchantId = await aMerchant(db, box);
    const token = await inTransaction(db, async (trx) => {
      await addMember(trx, { merchantId, userId: there.userId, role: 'viewer', by: 'test' });
      return makeLink(trx, { kind: 'invitation', userId: there.userId, merchantId });
    });
    await accept(token, 'somebody else’s choice');
    expect((await workplacesOf(db, there.userId)).map(({ role }) => role)).toEqual(['viewer']);
    expect(await signIn(db, box, { ...from(), email: there.email, password })).toMatchObject({ kind: 'in' });
  });

  it('is bound to its user, and cannot be forged with database access', async () => {
    const [eve, victim] = [await createPerson(db, anEmail()), await createPerson(db, anEmail())];
    const of = { user_id: victim.userId };
    const plain = (text: string) => createHash('sha256').update(text).digest();
    const link = await inTransaction(db, (trx) => makeLink(trx, { kind: 'reset', userId: eve.userId }));
    await db('user_links').where({ user_id: eve.userId }).update(of);
    expect(await findLink(db, 'reset', link)).toBeUndefined();
    const known = mintTokenOf(victim.userId);
    await db('user_links')
      .where(of)
      .update({ link_hash: plain(known) });
    expect(await findLink(db, 'reset', known)).toBeUndefined();

    const session = await openSession(db, { ...signedIn, address, userId: eve.userId });
    const own = { session_id: idInToken(session) ?? '' };
    await test.db('user_sessions').where(own).update(of);
    expect(await findSession(db, session)).toBeUndefined();
    await test
      .db('user_sessions')
      .where(own)
      .update({ session_hash: plain(session) });
    expect(await findSession(db, session)).toBeUndefined();

    await db('recovery_codes').insert({ ...of, code_hash: plain(`${victim.userId}:abcd`) });
    expect(await takeCode(db, box, { userId: victim.userId, code: 'abcd' })).toBeUndefined();
  });

  it('without a credentials version sets no password', async () => {
    const { userId } = await createPerson(db, anEmail());
    const link = await inTransaction(db, (trx) => makeLink(trx, { kind: 'reset', userId }));
    await db('user_links').where({ user_id: userId }).update({ credentials_version: null });
    expect(await findLink(db, 'reset', link)).toBeUndefined();
  });

  it('sets a new password within its hour, ends every session, and replaces the earlier link', async () => {
    const person = await createPerson(db, anEmail());
    const session = await openSession(db, { ...signedIn, address, userId: person.userId });
    const link = () => inTransaction(db, (trx) => makeLink(trx, { kind: 'reset', userId: person.userId }));
    const [older, newer] = [await link(), await link()];
    const reset = (token: string) =>
      inTransaction(db, (trx) => resetPassword(trx, token, 'a fresh one, at last'));
    await expect(reset(older)).rejects.toMatchObject({ code: 'link_dead' });
    await reset(newer);
    expect(await findSession(db, session)).toBeUndefined();
    expect(await signIn(db, box, { ...from(), email: person.email, password })).toEqual({ kind: 'wrong' });
    const late = await link();
    await test.db.raw('UPDATE user_links SET expires_at = expires_at - INTERVAL 1 HOUR WHERE user_id = ?', [
      person.userId,
    ]);
    await expect(reset(late)).rejects.toMatchObject({ code: 'link_dead' });
  });
});

describe('a team', () => {
  it('keeps an owner, also when two owners remove each other', async () => {
    const merchantId = await aMerchant(db, box);
    const [amina, brian] = [
      await createPerson(db, anEmail(), { merchantId, role: 'owner' }),
      await createPerson(db, anEmail(), { merchantId, role: 'owner' }),
    ];
    const remove = (userId: string) => inTransaction(db, (trx) => removeMember(trx, merchantId, userId));
    const both = await Promise.allSettled([remove(amina.userId), remove(brian.userId)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [left] = await listMembers(db, merchantId);
    const demoted = inTransaction(db, (trx) =>
      changeRole(trx, { merchantId, userId: left?.user_id ?? '', role: 'viewer' }),
    );
    await expect(demoted).rejects.toMatchObject({ code: 'last_owner' });
  });

  it('adds no member twice, and invites a pending user again', async () => {
    const merchantId = await aMerchant(db, box);
    const there = await createPerson(db, anEmail(), { merchantId, role: 'viewer' });
    const add = (userId: string, role: 'viewer' | 'owner') =>
      inTransaction(db, (trx) => addMember(trx, { merchantId, userId, role, by: 'test' }));
    await expect(add(there.userId, 'owner')).rejects.toMatchObject({ code: 'already_member' });
    const invited = await createPerson(db, anEmail());
    await add(invited.userId, 'viewer');
    await add(invited.userId, 'viewer');
    await expect(add(invited.userId, 'owner')).rejects.toMatchObject({ code: 'already_member' });
    expect(await workplacesOf(db, invited.userId)).toEqual([]);
  });
});

it('is pruned after its end: sessions at once, links after 30 days', async () => {
  const person = await createPerson(db, anEmail());
  const { userId } = person;
  await openSession(db, { ...signedIn, address, userId });
  const current = await openSession(db, { ...signedIn, address, userId });
  await inTransaction(db, (trx) => makeLink(trx, { kind: 'reset', userId }));
  await inTransaction(db, (trx) => makeLink(trx, { kind: 'invitation', userId }));
  await test.db.raw(
    'UPDATE user_sessions SET expires_at = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND WHERE user_id = ? LIMIT 1',
    [userId],
  );
  await test.db.raw(
    "UPDATE user_links SET expires_at = UTC_TIMESTAMP(3) - INTERVAL 31 DAY WHERE user_id = ? AND kind = 'reset'",
    [userId],
  );
  const expired = await findSession(db, current);
  await prune(db, jobsOf({ bodiesKeptDays: 90 }));
  expect(await db('user_sessions').where({ user_id: userId })).toHaveLength(1);
  expect(await findSession(db, current)).toEqual(expired);
  expect(await db('user_links').where({ user_id: userId }).pluck('kind')).toEqual(['invitation']);
});

it('is pruned thirty days after an unused invitation has expired, but not after an accepted one', async () => {
  const merchantId = await aMerchant(db, box);
  const invited = async (email: string) =>
    inTransaction(db, (trx) =>
      invite(
        trx,
        { email, locale: 'en', by: 'test', member: { merchantId, role: 'viewer' } },
        () => undefined,
      ),
    );
  const [never, again, came] = [await invited(anEmail()), await invited(anEmail()), await invited(anEmail())];
  await inTransaction(db, (trx) => acceptInvitation(trx, came.token, password));
  const old = 'UTC_TIMESTAMP(3) - INTERVAL 40 DAY';
  const ids = [never, again, came].map(({ user }) => user.user_id);
  // Moves the rows back in time, with their digests in the audit log.
  await inTransaction(test.db, async (trx) => {
    await acceptRows(trx, [
      ...ids.map((id) => ({ table: 'users' as const, id })),
      ...ids.map((id) => ({ table: 'memberships' as const, id: `${merchantId}|${id}` })),
    ]);
    for (const table of ['users', 'memberships'] as const)
      await trx(table)
        .whereIn('user_id', ids)
        .update({ created_at: trx.raw<Date>(old) });
    await trx('user_links')
      .whereIn('user_id', ids)
      .update({ expires_at: trx.raw<Date>('UTC_TIMESTAMP(3) - INTERVAL 29 DAY') });
  });
  const left = async () => (await db('users').whereIn('user_id', ids)).map(({ user_id: id }) => id).sort();
  await prune(db, jobsOf({ bodiesKeptDays: 90 }));
  expect(await left()).toEqual([...ids].sort());
  await test
    .db('user_links')
    .whereIn('user_id', ids)
    .update({ expires_at: test.db.raw<Date>('UTC_TIMESTAMP(3) - INTERVAL 31 DAY') });
  await invited(again.user.email);
  await prune(db, jobsOf({ bodiesKeptDays: 90 }));
  expect(await left()).toEqual([again.user.user_id, came.user.user_id].sort());
  expect(await db('memberships').where({ user_id: never.user.user_id })).toEqual([]);
  const line = await db('audit_log').where({ action: 'users.forget' }).first();
  expect(line).toMatchObject({ acted_by: 'engine', details: '{"gone":1}' });
  const controls = checks.find(({ id }) => id === 'A2');
  const found = await inTransaction(
    test.db,
    async (trx) =>
      (await controls?.find({ trx, rails: testContext(test.db).rails, scope: everything })) ?? [],
  );
  expect(found.filter(({ id }) => ids.some((one) => id.includes(one)))).toEqual([]);
  // The address can be invited again later.
  expect((await invited(never.user.email)).user.user_id).not.toBe(never.user.user_id);
});
