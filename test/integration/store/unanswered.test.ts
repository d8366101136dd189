/** Statements without an answer, and statements that are only slow. */
import { openDatabase, type Database } from '../../../src/store/database';
import { inTransaction, isDatabaseUnavailable } from '../../../src/store/transaction';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { hostOf, startProxy, type Proxy } from '../../faults/support/proxy';
import { createTestDatabase, type TestDatabase } from '../../support/database';

describe('a statement', () => {
  let database: TestDatabase;
  let proxy: Proxy;
  let db: Database;
  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await startProxy(hostOf(database.adminUrl));
    db = openDatabase(proxy.via(database.adminUrl), { poolMax: 2, patienceMs: 20_000, unansweredMs: 500 });
    await database.db.raw('CREATE TABLE marks (name VARCHAR(20) PRIMARY KEY) ENGINE=InnoDB');
  });
  afterAll(async () => {
    await db.destroy();
    await proxy.close();
    await database.drop();
  });
  const marks = async (): Promise<string[]> =>
    (await database.db('marks').select('name')).map(({ name }: { name: string }) => name);

  it('that is slow is waited for, however often the server was queried about it', async () => {
    const [[row]] = (await db.raw('SELECT SLEEP(6) AS slept')) as unknown as [[{ slept: number | string }]];
    expect(Number(row.slept)).toBe(0);
  });

  it('whose answer was lost ends with its connection, and may have run', async () => {
    const isLost = proxy.swallowAnswerTo(/INSERT INTO marks/);
    const error: unknown = await db.raw("INSERT INTO marks VALUES ('lost')").catch((e: unknown) => e);
    expect(isLost()).toBe(true);
    expect(error).toMatchObject({ code: 'ETIMEDOUT', fatal: true });
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(await marks()).toEqual(['lost']);
  });

  it('in a transaction makes the whole transaction run again', async () => {
    let tries = 0;
    proxy.swallowAnswerTo(/INSERT INTO marks/);
    await inTransaction(db, async (trx) => {
      tries += 1;
      await trx.raw("INSERT INTO marks VALUES ('again')");
    });
    expect(tries).toBe(2);
    expect(await marks()).toContain('again');
  });

  it('to an unreachable server is abandoned', async () => {
    const short = openDatabase(proxy.via(database.adminUrl), { patienceMs: 3_000, unansweredMs: 200 });
    await waitFor(
      async () => {
        await short.raw('SELECT 1');
        return true;
      },
      { what: 'a connection', timeoutMs: 30_000 },
    );
    proxy.hold();
    await expect(short.raw('SELECT 2')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    proxy.release();
    await short.destroy();
  });

  it('whose answer was lost is not hidden by a long one on another connection', async () => {
    // Nothing is sent until it is awaited.
    const sleeping = db.raw('SELECT SLEEP(90) AS hides').catch(() => undefined);
    const sleepers = async () => {
      const [rows] = (await database.db.raw(
        "SELECT ID AS id FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT SLEEP(90) AS hides%'",
      )) as unknown as [{ id: string | number }[]];
      return rows;
    };
    await waitFor(async () => (await sleepers()).length > 0, { what: 'the long one', timeoutMs: 60_000 });
    proxy.swallowAnswerTo(/INSERT INTO marks/);
    await expect(db.raw("INSERT INTO marks VALUES ('hidden')")).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    const left = await sleepers();
    expect(left).toHaveLength(1);
    for (const { id } of left) await database.db.raw(`KILL QUERY ${String(id)}`);
    await sleeping;
  });

  describe('behind a proxy with its own connection numbers', () => {
    let hear: ((statement: string) => void) | undefined;
    let numbering: Proxy;
    let behind: Database;
    beforeAll(async () => {
      const reported = (statement: string): void => hear?.(statement);
      numbering = await startProxy(hostOf(database.adminUrl), reported, { renumbers: true });
      behind = openDatabase(numbering.via(database.adminUrl), {
        poolMax: 2,
        patienceMs: 20_000,
        unansweredMs: 500,
      });
    });
    afterAll(async () => {
      await behind.destroy();
      await numbering.close();
    });

    it('ends when its answer was lost', async () => {
      numbering.swallowAnswerTo(/INSERT INTO marks/);
      const error: unknown = await behind
        .raw("INSERT INTO marks VALUES ('far')")
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'ETIMEDOUT' });
      expect(await marks()).toContain('far');
    });

    it('is not ended because this process was frozen during the query', async () => {
      let stalls = 0;
      hear = (statement) => {
        if (!statement.includes('PROCESSLIST')) return;
        stalls += 1;
        // The query is in progress by then, and its answer waits here.
        if (stalls < 3)
          setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_000));
      };
      const [[row]] = (await behind.raw('SELECT SLEEP(10) AS slept')) as unknown as [[{ slept: unknown }]];
      hear = undefined;
      expect(stalls).toBeGreaterThan(0);
      expect(Number(row.slept)).toBe(0);
    });

    it('is not ended for the time in which another was before it on the connection', async () => {
      await inTransaction(behind, async (trx) => {
        await Promise.all([trx.raw('SELECT SLEEP(5)'), trx.raw('SELECT SLEEP(5)')]);
      });
    });
  });
});
