import { randomBytes } from 'node:crypto';
import { secretBox } from '../../../src/merchants/secrets';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import {
  accessToken,
  tokenCache,
  type AccessToken,
  type IssuedToken,
  type Credential,
} from '../../../src/rail-kit/access-token';
import { openDatabase, type Database } from '../../../src/store/database';
import { createTestDatabase, type TestDatabase } from '../../support/database';

const hour = 3_600_000;
const patienceMs = 20_000;

describe('an access token shared by several processes', () => {
  let database: TestDatabase;
  /** One per process, with the database rights of a process. */
  let pools: Database[];
  const box = secretBox([{ id: 'test', key: randomBytes(32) }]);
  beforeAll(async () => {
    database = await createTestDatabase();
    pools = Array.from({ length: 4 }, () => openDatabase(database.url, { poolMax: 2 }));
  });
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.destroy()));
    await database.drop();
  });
  const realNow = Date.now.bind(Date);
  let aheadMs = 0;
  beforeEach(() => {
    aheadMs = 0;
    jest.spyOn(Date, 'now').mockImplementation(() => realNow() + aheadMs);
  });
  afterEach(() => jest.restoreAllMocks());

  let accounts = 0;
  /** A provider account with one valid token at a time, and the processes that use it. */
  function account() {
    const credential: Credential = {
      rail: 'stk',
      baseUrl: 'http://provider',
      key: `key-${String((accounts += 1))}`,
      secret: 'secret',
    };
    let given = 0;
    let answer = (_timeoutMs: number): Promise<IssuedToken> =>
      Promise.resolve({ kind: 'token', token: `token-${String((given += 1))}`, lifeMs: hour });
    const ask = (timeoutMs: number) => answer(timeoutMs);
    return {
      credential,
      given: () => given,
      answerWith: (other: typeof answer) => (answer = other),
      processes: pools.map((pool) => accessToken(tokenCache(pool, box), credential, ask)),
    };
  }
  const reported = async (process: AccessToken | undefined, timeoutMs = patienceMs) => {
    const answer = await process?.get(timeoutMs);
    return answer?.kind === 'token' ? answer.token : answer?.kind;
  };
  const allReported = (processes: AccessToken[]) =>
    Promise.all(processes.map((process) => reported(process)));
  /** Moves the clock of the processes; for the database, its columns move. */
  async function pass(ms: number): Promise<void> {
    aheadMs += ms;
    await database.db.raw(
      `UPDATE access_tokens SET refresh_at = refresh_at - INTERVAL ? MICROSECOND,
         expires_at = expires_at - INTERVAL ? MICROSECOND`,
      [ms * 1_000, ms * 1_000],
    );
  }
  const unavailable = (): Promise<IssuedToken> => Promise.resolve({ kind: 'unavailable', text: 'down' });

  it('is requested once, and no row is read while it is valid', async () => {
    const { processes, given } = account();
    expect(await allReported([...processes, ...processes])).toEqual(Array(8).fill('token-1'));
    await database.db('access_tokens').delete();
    expect(await allReported(processes)).toEqual(Array(4).fill('token-1'));
    expect(given()).toBe(1);
  });

  it('is replaced by one process when four fifths of its lifetime are over', async () => {
    const { processes, given } = account();
    await allReported(processes);
    await pass(0.79 * hour);
    expect(await allReported(processes)).toEqual(Array(4).fill('token-1'));
    await pass(0.02 * hour);
    await allReported(processes);
    // A process that finds another one replacing it uses the valid token, until it is rejected.
    for (const process of processes) process.forget('token-1');
    expect(await allReported(processes)).toEqual(Array(4).fill('token-2'));
    expect(given()).toBe(2);
  });

  it('that is rejected is replaced once, however many use it', async () => {
    const { processes, given } = account();
    await allReported(processes);
    for (const process of processes) process.forget('token-1');
    expect(await allReported(processes)).toEqual(Array(4).fill('token-2'));
    // A call that started before is rejected.
    processes[0]?.forget('token-1');
    expect(await reported(processes[0])).toBe('token-2');
    expect(given()).toBe(2);
  });

  it('waits for a process that died during the request no longer than its lease', async () => {
    const { processes, credential, given } = account();
    const tokens = tokenCache(database.db, box);
    expect(await tokens.lease(credential, 0, 30_000)).toBeDefined();
    expect(await tokens.lease(credential, 0, 30_000)).toBeUndefined();
    expect(await reported(processes[0], 200)).toBe('unavailable');
    await database.db('access_tokens').update({ leased_until: new Date(0) });
    expect(await allReported(processes)).toEqual(Array(4).fill('token-1'));
    expect(given()).toBe(1);
  });

  it.each([0, -120_000, 1_000])('with a lifetime of %d ms is not requested for each call', async (lifeMs) => {
    const { processes, answerWith } = account();
    const ask = jest.fn(() => Promise.resolve<IssuedToken>({ kind: 'token', token: 'short', lifeMs }));
    answerWith(ask);
    expect(await allReported(processes)).toEqual(Array(4).fill('short'));
    await pass(30_000);
    expect(await allReported(processes)).toEqual(Array(4).fill('short'));
    expect(ask).toHaveBeenCalledTimes(1);
    await pass(40_000);
    await allReported(processes);
    expect(ask).toHaveBeenCalledTimes(2);
  });

  it('is used while it is valid if no new one can be fetched', async () => {
    const { processes, answerWith } = account();
    await allReported(processes);
    await pass(0.9 * hour);
    answerWith(unavailable);
    expect(await allReported(processes)).toEqual(Array(4).fill('token-1'));
    await pass(0.2 * hour);
    expect(await reported(processes[0])).toBe('unavailable');
  });

  it('is used while it is valid even if the database is down', async () => {
    const { credential } = account();
    const own = openDatabase(database.url, { poolMax: 1 });
    const ask = jest.fn(() =>
      Promise.resolve<IssuedToken>({ kind: 'token', token: 'token-1', lifeMs: hour }),
    );
    const process = accessToken(tokenCache(own, box), credential, ask);
    expect(await reported(process)).toBe('token-1');
    await own.destroy();
    await pass(0.9 * hour);
    expect(await reported(process)).toBe('token-1');
    await pass(0.2 * hour);
    expect(await reported(process)).toBe('unavailable');
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it('does not make its caller wait longer than its time limit', async () => {
    const { processes, answerWith } = account();
    let hear: ((answer: IssuedToken) => void) | undefined;
    answerWith(() => new Promise((resolve) => (hear = resolve)));
    const patient = reported(processes[0]);
    expect(await reported(processes[0], 50)).toBe('unavailable');
    const answer = await waitFor(() => Promise.resolve(hear), { what: 'a question', timeoutMs: patienceMs });
    answer({ kind: 'token', token: 'at last', lifeMs: hour });
    expect(await patient).toBe('at last');
  });

  it('is fetched without time pressure, whoever needed it first, and stored for the next caller', async () => {
    const { processes, answerWith } = account();
    const times: number[] = [];
    let hear: ((answer: IssuedToken) => void) | undefined;
    answerWith((timeoutMs) => {
      times.push(timeoutMs);
      return new Promise((resolve) => (hear = resolve));
    });
    expect(await reported(processes[0], 50)).toBe('unavailable');
    const answer = await waitFor(() => Promise.resolve(hear), { what: 'a question', timeoutMs: patienceMs });
    const patient = reported(processes[0]);
    answer({ kind: 'token', token: 'at last', lifeMs: hour });
    expect([await patient, await reported(processes[1])]).toEqual(['at last', 'at last']);
    expect(times).toEqual([8_000]);
  });

  it('reports rejected credentials, and leaves the lease to the next', async () => {
    const { processes, answerWith } = account();
    answerWith(() => Promise.resolve({ kind: 'refused', text: 'wrong key' }));
    expect(await allReported(processes)).toEqual(Array(4).fill('refused'));
  });

  it('is not stored by a process that has lost its lease', async () => {
    const { credential, processes } = account();
    const tokens = tokenCache(database.db, box);
    const lease = await tokens.lease(credential, 0, 1);
    const given = { token: 'late', refreshInMs: hour, expiresInMs: hour };
    await waitFor(async () => (await tokens.lease(credential, 0, 1)) ?? undefined, {
      what: 'the lease to be over',
      timeoutMs: 10_000,
    });
    expect(await tokens.put(credential, lease ?? '', given)).toBe(false);
    expect(await reported(processes[0])).toBe('token-1');
  });

  it('cannot be used with another secret', async () => {
    const { credential, processes } = account();
    expect(await reported(processes[0])).toBe('token-1');
    const cached = await tokenCache(database.db, box).read({ ...credential, secret: 'another' });
    expect([cached.version, cached.token]).toEqual([0, undefined]);
  });

  it('cannot be decrypted in another row or with another key', async () => {
    const [first, second] = [account(), account()];
    expect(await reported(first.processes[0])).toBe('token-1');
    const tokens = tokenCache(database.db, box);
    await tokens.lease(second.credential, 0, 1);
    const other = (await tokens.read(second.credential)).version;
    expect(other).toBe(0);
    const rows = await database.db('access_tokens').whereNotNull('encrypted').orderBy('refresh_at', 'desc');
    expect(JSON.stringify(rows)).not.toContain('token-1');
    await database
      .db('access_tokens')
      .whereNull('encrypted')
      .update({ encrypted: rows[0]?.encrypted ?? '' });
    expect((await tokens.read(second.credential)).token).toBeUndefined();
    const otherKeys = tokenCache(database.db, secretBox([{ id: 'test', key: randomBytes(32) }]));
    expect((await otherKeys.read(first.credential)).token).toBeUndefined();
    expect((await tokens.read(first.credential)).token).toBe('token-1');
  });

  it('is deleted a day after its end', async () => {
    const { processes } = account();
    await reported(processes[0]);
    await pass(26 * hour);
    expect(await reported(account().processes[0])).toBe('token-1');
    expect(await database.db('access_tokens')).toHaveLength(1);
  });

  it('is not deleted while a process fetches the next one', async () => {
    const { credential, processes } = account();
    await reported(processes[0]);
    await pass(26 * hour);
    const tokens = tokenCache(database.db, box);
    const { version } = await tokens.read(credential);
    const lease = await tokens.lease(credential, version, 30_000);
    expect(await reported(account().processes[0])).toBe('token-1');
    const given = { token: 'token-2', refreshInMs: hour, expiresInMs: hour };
    expect(await tokens.put(credential, lease ?? '', given)).toBe(true);
  });
});
