/** The second factor: app codes and recovery codes, each valid once. */
import { secretBox } from '../../../src/merchants/secrets';
import {
  countRecoveryCodes,
  newSecondFactor,
  removeSecondFactor,
  reEncryptSecondFactors,
  takeCode,
} from '../../../src/users/second-factor';
import { findSession, openSession } from '../../../src/users/sessions';
import { showCode } from '../../../src/users/sign-in';
import type { Person } from '../../../src/users/users';
import { openDatabase, type Database } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../../support/database';
import { codeOf, createPerson, giveSecondFactor } from '../../support/users/users-support';

const older = { id: 'older', key: Buffer.alloc(32, 1) };
const box = secretBox([older]);
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
const address = '192.0.2.1';
const from = () => ({ address, browser: undefined, agent: 'a browser' });
const signedIn = { agent: 'a browser', passedSecond: false };

describe('the second factor', () => {
  const now = Date.UTC(2026, 0, 31, 8, 0, 15);

  it('accepts each code of the app once, and none older than an accepted one', async () => {
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

  it('is stored encrypted for its owner, and works after re-encryption', async () => {
    const person = await createPerson(db, anEmail());
    const { secret } = await giveSecondFactor(db, box, person, now);
    const other = await createPerson(db, anEmail());
    await giveSecondFactor(db, box, other, now);
    const encrypted = async ({ userId }: Person) =>
      (await db('users').where({ user_id: userId }).first('totp_secret'))?.totp_secret ?? '';
    expect(await encrypted(person)).not.toContain(secret);
    const newer = { id: 'newer', key: Buffer.alloc(32, 7) };
    expect(await reEncryptSecondFactors(db, secretBox([newer, older]))).toMatchObject({ unreadable: [] });
    expect(await reEncryptSecondFactors(db, secretBox([newer, older]))).toMatchObject({ re_encrypted: 0 });
    const given = { userId: person.userId, code: codeOf(secret, now + 30_000), atMs: now + 30_000 };
    expect(await takeCode(db, secretBox([newer]), given)).toBe('app');
    // Restores the old key for the following tests. A secret that was moved to another user cannot be decrypted.
    await reEncryptSecondFactors(db, secretBox([older, newer]));
    await db('users')
      .where({ user_id: other.userId })
      .update({ totp_secret: await encrypted(person) });
    await expect(takeCode(db, box, { ...given, userId: other.userId })).rejects.toThrow();
    expect(await reEncryptSecondFactors(db, secretBox([newer, older]))).toMatchObject({
      unreadable: [other.userId],
    });
    await inTransaction(db, (trx) => removeSecondFactor(trx, other.userId));
    await reEncryptSecondFactors(db, secretBox([older, newer]));
  });

  it('has ten recovery codes, each valid once, in any spelling', async () => {
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
    const otherUser = await createPerson(db, anEmail());
    expect(await takeCode(db, box, { userId: otherUser.userId, code: second })).toBeUndefined();
    const kept = await db('recovery_codes').where({ user_id: userId });
    expect(JSON.stringify(kept)).not.toContain(second);
  });

  it("stops guessing after five attempts, and renews the session's token after success", async () => {
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

  it("has our name and the user's address in the app", () => {
    const { uri, secret } = newSecondFactor('amina@duka.example');
    expect(uri).toBe(
      `otpauth://totp/Malipo:amina%40duka.example?issuer=Malipo&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    );
  });
});
