import { watchSchema } from '../../../src/process/schema-watch';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { silentLog } from '../../support/silent-log';

const timeoutMs = 60_000;

describe('the schema check', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  it('prevents a start with an older database, and says what to do', async () => {
    await database.db('knex_migrations').where({ name: '001-baseline' }).delete();
    await expect(watchSchema(database.db, silentLog)).rejects.toThrow(
      'the database is older than this version: 001-baseline is not applied; run malipo migrate up',
    );
  });

  it('waits for a database that is down, without a verdict until then', async () => {
    let isAway = true;
    const gone = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
    const db = new Proxy(database.db, {
      get: (target, name) => (isAway && name === 'raw' ? gone : (Reflect.get(target, name) as unknown)),
    });
    const watch = await watchSchema(db, silentLog);
    expect(watch.misfit()).toBe('the database was not available at the start');
    isAway = false;
    await waitFor(async () => watch.misfit() === undefined || undefined, { what: 'a look', timeoutMs });
    await watch.stop();
  });

  it('reports a removed column, and works with an added one', async () => {
    const reported: unknown[] = [];
    let misfits = 0;
    const log = {
      ...silentLog,
      info: (text: string) => void reported.push(text),
      error: (_text: string, fields?: object) => void reported.push(fields),
    };
    const watch = await watchSchema(database.db, log, () => {
      misfits += 1;
    });
    const apply = (row: object) => database.db('knex_migrations').insert(row);
    await apply({ name: '900-newer', kind: 'expand' });
    await waitFor(async () => reported.length > 0 || undefined, { what: 'it to be logged', timeoutMs });
    expect([reported.pop(), watch.misfit()]).toEqual([
      'the database is newer than this version, which still works with it',
      undefined,
    ]);
    await apply({ name: '901-newer', kind: 'contract', needs: '900-newer' });
    await waitFor(async () => misfits > 0 || undefined, { what: 'the misfit to be noticed', timeoutMs });
    const reason =
      'the database is newer than this version, and 901-newer removed what it needs; run a newer version';
    expect([reported, watch.misfit()]).toEqual([[{ reason }], reason]);
    await watch.stop();
  });
});
