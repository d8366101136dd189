import { watchSchema } from '../../../src/process/schema-watch';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { silentLog } from '../../support/silent-log';

const timeoutMs = 60_000;

describe('the watch over the schema', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  it('lets nothing begin with a database that is older, and says what to do', async () => {
    await database.db('knex_migrations').where({ name: '051-float-movements' }).delete();
    await expect(watchSchema(database.db, silentLog)).rejects.toThrow(
      'the database is older than this version: 051-float-movements is not applied; run malipo migrate up',
    );
  });

  it('waits for a database that is away, and knows nothing of it until then', async () => {
    let isAway = true;
    const gone = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
    const db = new Proxy(database.db, {
      get: (target, name) => (isAway && name === 'raw' ? gone : (Reflect.get(target, name) as unknown)),
    });
    const watch = await watchSchema(db, silentLog);
    expect(watch.misfit()).toBe('the database has not been there yet');
    isAway = false;
    await waitFor(async () => watch.misfit() === undefined || undefined, { what: 'a look', timeoutMs });
    await watch.stop();
  });

  it('tells when something was taken away, and goes on beside what was added', async () => {
    const told: unknown[] = [];
    let misfits = 0;
    const log = {
      ...silentLog,
      info: (text: string) => void told.push(text),
      error: (_text: string, fields?: object) => void told.push(fields),
    };
    const watch = await watchSchema(database.db, log, () => {
      misfits += 1;
    });
    const apply = (row: object) => database.db('knex_migrations').insert(row);
    await apply({ name: '900-newer', kind: 'expand' });
    await waitFor(async () => told.length > 0 || undefined, { what: 'it to be told', timeoutMs });
    expect([told.pop(), watch.misfit()]).toEqual([
      'the database is newer than this version, which goes on',
      undefined,
    ]);
    await apply({ name: '901-newer', kind: 'contract', needs: '900-newer' });
    await waitFor(async () => misfits > 0 || undefined, { what: 'the misfit to be seen', timeoutMs });
    const reason =
      'the database is newer than this version, and 901-newer took away what it needs; run a newer version';
    expect([told, watch.misfit()]).toEqual([[{ reason }], reason]);
    await watch.stop();
  });
});
