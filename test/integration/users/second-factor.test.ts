/** The second factor: codes of an app and codes on paper, each good for once. */
import { secretBox } from '../../../src/merchants/secrets';
import {
  countRecoveryCodes,
  newSecondFactor,
  removeSecondFactor,
  resealSecondFactors,
  takeCode,
} from '../../../src/users/second-factor';
import { findSession, openSession } from '../../../src/users/sessions';
import { showCode } from '../../../src/users/sign-in';
import type { Person } from '../../../src/users/users';
import { openDatabase, type Database } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../../support/database';
import { codeOf, createPerson, giveSecondFactor } from '../../support/users/people-support';

const older = { id: 'older', key: Buffer.alloc(32, 1) };
const box = secretBox([older]);
let test: TestDatabase;
/** As the portal has it: a privilege that is missing fails a test. */
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
const address = '192.0.2.1';
const from = () => ({ address, browser: undefined, agent: 'a browser' });
const signedIn = { agent: 'a browser', passedSecond: false };

describe('the second factor', () => {
  const now = Date.UTC(2026, 0, 31, 8, 0, 15);

  it('takes each code of the app once, and none of before one that was taken', async () => {
    const person = await createPerson(db, anEmail());
    const { secret } = await giveSecondFactor(db, box, person, now);
    const { userId } = person;
    const take = (atMs: number, ofMs = atMs) =>
      takeCode(db, box, { userId, code: codeOf(secret, ofMs), atMs });
    expect(await take(now)).toBeUndefined();
    expect(await take(now, now + 30_000)).toBe('app');
    expect(await take(now + 30_000)).toBeUndefined();
    expect(await take(now + 30_000, now)).toBeUndefined();
    const at = now + 90_000;
    expect(
      (await Promise.all([take(at), take(at), take(at)])).filter((proof) => proof !== undefined),
    ).toEqual(['app']);
    expect(await take(now + 300_000, now + 240_000)).toBeUndefined();
    expect(await takeCode(db, box, { userId, code: '', atMs: now })).toBeUndefined();
  });

  it('is kept sealed for its owner, and goes on after the key is changed', async () => {
    const person = await createPerson(db, anEmail());
    const { secret } = await giveSecondFactor(db, box, person, now);
    const other = await createPerson(db, anEmail());
    await giveSecondFactor(db, box, other, now);
    const sealed = async ({ userId }: Person) =>
      (await db('users').where({ user_id: userId }).first('totp_secret'))?.totp_secret ?? '';
    expect(await sealed(person)).not.toContain(secret);
    const newer = { id: 'newer', key: Buffer.alloc(32, 7) };
    expect(await resealSecondFactors(db, secretBox([newer, older]))).toMatchObject({ unreadable: [] });
    expect(await resealSecondFactors(db, secretBox([newer, older]))).toMatchObject({ resealed: 0 });
    const given = { userId: person.userId, code: codeOf(secret, now + 30_000), atMs: now + 30_000 };
    expect(await takeCode(db, secretBox([newer]), given)).toBe('app');
    // Back, for the tests that follow; and a row that was moved to somebody else does not open.
    await resealSecondFactors(db, secretBox([older, newer]));
    await db('users')
      .where({ user_id: other.userId })
      .update({ totp_secret: await sealed(person) });
    await expect(takeCode(db, box, { ...given, userId: other.userId })).rejects.toThrow();
    expect(await resealSecondFactors(db, secretBox([newer, older]))).toMatchObject({
      unreadable: [other.userId],
    });
    await inTransaction(db, (trx) => removeSecondFactor(trx, other.userId));
    await resealSecondFactors(db, secretBox([older, newer]));
  });

  it('has ten codes on paper, each good for once, however they are typed', async () => {
    const person = await createPerson(db, anEmail());
    const { codes } = await giveSecondFactor(db, box, person, now);
    const { userId } = person;
    expect([codes.length, new Set(codes).size]).toEqual([10, 10]);
    const [first = '', second = ''] = codes;
    expect(await takeCode(db, box, { userId, code: first.toUpperCase().replaceAll('-', ' ') })).toBe(
      'recovery_code',
    );
    expect(await takeCode(db, box, { userId, code: first })).toBeUndefined();
    expect(await countRecoveryCodes(db, userId)).toBe(9);
    const stranger = await createPerson(db, anEmail());
    expect(await takeCode(db, box, { userId: stranger.userId, code: second })).toBeUndefined();
    const kept = await db('recovery_codes').where({ user_id: userId });
    expect(JSON.stringify(kept)).not.toContain(second);
  });

  it('stops who guesses at it after five tries, and gives the session another token once it is shown', async () => {
    const person = await createPerson(db, anEmail());
    const { codes } = await giveSecondFactor(db, box, person, now);
    const token = await openSession(db, { ...signedIn, address, userId: person.userId });
    const session = await findSession(db, token);
    if (!session) throw new Error('no session');
    const shown = await showCode(db, box, session, { ...from(), code: codes[0] ?? '' });
    expect(shown.kind).toBe('in');
    expect(await findSession(db, token)).toBeUndefined();
    expect(await findSession(db, shown.kind === 'in' ? shown.token : '')).toMatchObject({
      passedSecond: true,
    });
    const tries = [];
    for (let i = 0; i < 5; i += 1)
      tries.push((await showCode(db, box, session, { ...from(), code: '000000' })).kind);
    expect(tries).toEqual(['wrong', 'wrong', 'wrong', 'wrong', 'slow']);
  });

  it('is named for the app by our name and the address of its owner', () => {
    const { uri, secret } = newSecondFactor('amina@duka.example');
    expect(uri).toBe(
      `otpauth://totp/Malipo:amina%40duka.example?issuer=Malipo&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    );
  });
});
