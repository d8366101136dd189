/** Statements that nobody answers, and such as only take their time. */
import { openDatabase, type Database } from '../../src/store/database';
import { inTransaction, isDatabaseUnavailable } from '../../src/store/transaction';
import { waitFor } from '../../src/ops/services/wait-for';
import { hostOf, startProxy, type Proxy } from '../faults/support/proxy';
import { createTestDatabase, type TestDatabase } from '../support/services';

jest.setTimeout(120_000);

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

  it('that takes its time is waited for, however often it was asked about', async () => {
    const [[row]] = (await db.raw('SELECT SLEEP(6) AS slept')) as unknown as [[{ slept: number | string }]];
    expect(Number(row.slept)).toBe(0);
  });

  it('whose answer was lost ends with its connection, and may have been carried out', async () => {
    const isLost = proxy.swallowAnswerTo(/INSERT INTO marks/);
    const error: unknown = await db.raw("INSERT INTO marks VALUES ('lost')").catch((e: unknown) => e);
    expect(isLost()).toBe(true);
    expect(error).toMatchObject({ code: 'ETIMEDOUT', fatal: true });
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(await marks()).toEqual(['lost']);
  });

  it('of a transaction has the whole of it done again', async () => {
    let tries = 0;
    proxy.swallowAnswerTo(/INSERT INTO marks/);
    await inTransaction(db, async (trx) => {
      tries += 1;
      await trx.raw("INSERT INTO marks VALUES ('again')");
    });
    expect(tries).toBe(2);
    expect(await marks()).toContain('again');
  });

  it('to a server that cannot be reached any more is given up', async () => {
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
});
