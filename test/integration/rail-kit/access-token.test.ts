import { randomBytes } from 'node:crypto';
import { secretBox } from '../../../src/merchants/secrets';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import {
  accessToken,
  tokenShelf,
  type AccessToken,
  type GivenToken,
  type Credential,
} from '../../../src/rail-kit/access-token';
import { openDatabase, type Database } from '../../../src/store/database';
import { createTestDatabase, type TestDatabase } from '../../support/database';

const hour = 3_600_000;
const patienceMs = 20_000;

describe('an access token that several processes use', () => {
  let database: TestDatabase;
  /** One per process, with the rights that processes have. */
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
  /** An account at a provider that knows one token at a time, and the processes that use it. */
  function account() {
    const credential: Credential = {
      rail: 'stk',
      baseUrl: 'http://provider',
      key: `key-${String((accounts += 1))}`,
      secret: 'secret',
    };
    let given = 0;
    let answer = (_timeoutMs: number): Promise<GivenToken> =>
      Promise.resolve({ kind: 'token', token: `token-${String((given += 1))}`, lifeMs: hour });
    const ask = (timeoutMs: number) => answer(timeoutMs);
    return {
      credential,
      given: () => given,
      answerWith: (other: typeof answer) => (answer = other),
      processes: pools.map((pool) => accessToken(tokenShelf(pool, box), credential, ask)),
    };
  }
  const told = async (process: AccessToken | undefined, timeoutMs = patienceMs) => {
    const answer = await process?.get(timeoutMs);
    return answer?.kind === 'token' ? answer.token : answer?.kind;
  };
  const allTold = (processes: AccessToken[]) => Promise.all(processes.map((process) => told(process)));
  /** Time passes for the processes; for the database it has where its columns say so. */
  async function pass(ms: number): Promise<void> {
    aheadMs += ms;
    await database.db.raw(
      `UPDATE access_tokens SET refresh_at = refresh_at - INTERVAL ? MICROSECOND,
         expires_at = expires_at - INTERVAL ? MICROSECOND`,
      [ms * 1_000, ms * 1_000],
    );
  }
  const unavailable = (): Promise<GivenToken> => Promise.resolve({ kind: 'unavailable', text: 'down' });

  it('is asked for once, and no row is read while it lives', async () => {
    const { processes, given } = account();
    expect(await allTold([...processes, ...processes])).toEqual(Array(8).fill('token-1'));
    await database.db('access_tokens').delete();
    expect(await allTold(processes)).toEqual(Array(4).fill('token-1'));
    expect(given()).toBe(1);
  });

  it('is replaced by one process when four fifths of its life are over', async () => {
    const { processes, given } = account();
    await allTold(processes);
    await pass(0.79 * hour);
    expect(await allTold(processes)).toEqual(Array(4).fill('token-1'));
    await pass(0.02 * hour);
    await allTold(processes);
    // Who found another one at it goes on with what lives, until it is refused.
    for (const process of processes) process.forget('token-1');
    expect(await allTold(processes)).toEqual(Array(4).fill('token-2'));
    expect(given()).toBe(2);
  });

  it('that is refused is replaced once, however many have used it', async () => {
    const { processes, given } = account();
    await allTold(processes);
    for (const process of processes) process.forget('token-1');
    expect(await allTold(processes)).toEqual(Array(4).fill('token-2'));
    // A call that began before comes back refused.
    processes[0]?.forget('token-1');
    expect(await told(processes[0])).toBe('token-2');
    expect(given()).toBe(2);
  });

  it('waits for a process that died while it asked no longer than its lease', async () => {
    const { processes, credential, given } = account();
    const shelf = tokenShelf(database.db, box);
    expect(await shelf.lease(credential, 0, 30_000)).toBeDefined();
    expect(await shelf.lease(credential, 0, 30_000)).toBeUndefined();
    expect(await told(processes[0], 200)).toBe('unavailable');
    await database.db('access_tokens').update({ leased_until: new Date(0) });
    expect(await allTold(processes)).toEqual(Array(4).fill('token-1'));
    expect(given()).toBe(1);
  });

  it.each([0, -120_000, 1_000])(
    'that is said to live for %d ms is not asked for with each call',
    async (lifeMs) => {
      const { processes, answerWith } = account();
      const ask = jest.fn(() => Promise.resolve<GivenToken>({ kind: 'token', token: 'short', lifeMs }));
      answerWith(ask);
      expect(await allTold(processes)).toEqual(Array(4).fill('short'));
      await pass(30_000);
      expect(await allTold(processes)).toEqual(Array(4).fill('short'));
      expect(ask).toHaveBeenCalledTimes(1);
      await pass(40_000);
      await allTold(processes);
      expect(ask).toHaveBeenCalledTimes(2);
    },
  );

  it('is used on while it lives where nobody gives another one', async () => {
    const { processes, answerWith } = account();
    await allTold(processes);
    await pass(0.9 * hour);
    answerWith(unavailable);
    expect(await allTold(processes)).toEqual(Array(4).fill('token-1'));
    await pass(0.2 * hour);
    expect(await told(processes[0])).toBe('unavailable');
  });

  it('is used on while it lives though the database is down', async () => {
    const { credential } = account();
    const own = openDatabase(database.url, { poolMax: 1 });
    const ask = jest.fn(() => Promise.resolve<GivenToken>({ kind: 'token', token: 'token-1', lifeMs: hour }));
    const process = accessToken(tokenShelf(own, box), credential, ask);
    expect(await told(process)).toBe('token-1');
    await own.destroy();
    await pass(0.9 * hour);
    expect(await told(process)).toBe('token-1');
    await pass(0.2 * hour);
    expect(await told(process)).toBe('unavailable');
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it('does not make its caller wait for longer than he can', async () => {
    const { processes, answerWith } = account();
    let hear: ((answer: GivenToken) => void) | undefined;
    answerWith(() => new Promise((resolve) => (hear = resolve)));
    const patient = told(processes[0]);
    expect(await told(processes[0], 50)).toBe('unavailable');
    const answer = await waitFor(() => Promise.resolve(hear), { what: 'a question', timeoutMs: patienceMs });
    answer({ kind: 'token', token: 'at last', lifeMs: hour });
    expect(await patient).toBe('at last');
  });

  it('is asked for without haste, whoever wanted it first, and is kept for who comes after him', async () => {
    const { processes, answerWith } = account();
    const times: number[] = [];
    let hear: ((answer: GivenToken) => void) | undefined;
    answerWith((timeoutMs) => {
      times.push(timeoutMs);
      return new Promise((resolve) => (hear = resolve));
    });
    expect(await told(processes[0], 50)).toBe('unavailable');
    const answer = await waitFor(() => Promise.resolve(hear), { what: 'a question', timeoutMs: patienceMs });
    const patient = told(processes[0]);
    answer({ kind: 'token', token: 'at last', lifeMs: hour });
    expect([await patient, await told(processes[1])]).toEqual(['at last', 'at last']);
    expect(times).toEqual([8_000]);
  });

  it('says that our credentials are refused, and leaves the lease to the next', async () => {
    const { processes, answerWith } = account();
    answerWith(() => Promise.resolve({ kind: 'refused', text: 'wrong key' }));
    expect(await allTold(processes)).toEqual(Array(4).fill('refused'));
  });

  it('is not put by a process that has lost its lease', async () => {
    const { credential, processes } = account();
    const shelf = tokenShelf(database.db, box);
    const lease = await shelf.lease(credential, 0, 1);
    const given = { token: 'late', refreshInMs: hour, expiresInMs: hour };
    await waitFor(async () => (await shelf.lease(credential, 0, 1)) ?? undefined, {
      what: 'the lease to be over',
      timeoutMs: 10_000,
    });
    expect(await shelf.put(credential, lease ?? '', given)).toBe(false);
    expect(await told(processes[0])).toBe('token-1');
  });

  it('says nothing for another secret', async () => {
    const { credential, processes } = account();
    expect(await told(processes[0])).toBe('token-1');
    const shelved = await tokenShelf(database.db, box).read({ ...credential, secret: 'another' });
    expect([shelved.version, shelved.token]).toEqual([0, undefined]);
  });

  it('opens in no other row and with no other key', async () => {
    const [first, second] = [account(), account()];
    expect(await told(first.processes[0])).toBe('token-1');
    const shelf = tokenShelf(database.db, box);
    await shelf.lease(second.credential, 0, 1);
    const other = (await shelf.read(second.credential)).version;
    expect(other).toBe(0);
    const rows = await database.db('access_tokens').whereNotNull('sealed').orderBy('refresh_at', 'desc');
    expect(JSON.stringify(rows)).not.toContain('token-1');
    await database
      .db('access_tokens')
      .whereNull('sealed')
      .update({ sealed: rows[0]?.sealed ?? '' });
    expect((await shelf.read(second.credential)).token).toBeUndefined();
    const stranger = tokenShelf(database.db, secretBox([{ id: 'test', key: randomBytes(32) }]));
    expect((await stranger.read(first.credential)).token).toBeUndefined();
    expect((await shelf.read(first.credential)).token).toBe('token-1');
  });

  it('is forgotten a day after its end', async () => {
    const { processes } = account();
    await told(processes[0]);
    await pass(26 * hour);
    expect(await told(account().processes[0])).toBe('token-1');
    expect(await database.db('access_tokens')).toHaveLength(1);
  });

  it('is not forgotten while somebody asks for the next one', async () => {
    const { credential, processes } = account();
    await told(processes[0]);
    await pass(26 * hour);
    const shelf = tokenShelf(database.db, box);
    const { version } = await shelf.read(credential);
    const lease = await shelf.lease(credential, version, 30_000);
    expect(await told(account().processes[0])).toBe('token-1');
    const given = { token: 'token-2', refreshInMs: hour, expiresInMs: hour };
    expect(await shelf.put(credential, lease ?? '', given)).toBe(true);
  });
});
