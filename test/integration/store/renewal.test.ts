/** A server that became read-only, seen from the pools of one process. */
import { openDatabase, type Database } from '../../../src/store/database';
import { createTestDatabase, type TestDatabase } from '../../support/database';

describe('a rejected write', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const open = (): Database => openDatabase(database.adminUrl, { poolMax: 1, patienceMs: 20_000 });
  async function connectionOf(db: Database): Promise<number> {
    const [[row]] = (await db.raw('SELECT CONNECTION_ID() AS id')) as unknown as [[{ id: string }]];
    return Number(row.id);
  }
  /** The answer of a demoted primary, on this connection only. */
  async function isRefused(db: Database): Promise<void> {
    await db.raw('SET SESSION TRANSACTION READ ONLY');
    await expect(db.raw("INSERT INTO processes (process_id) VALUES ('none')")).rejects.toMatchObject({
      errno: 1792,
    });
  }

  it('replaces the connections of all pools, also of one that only reads', async () => {
    const [writes, reads] = [open(), open()];
    try {
      const before = [await connectionOf(writes), await connectionOf(reads)];
      expect([await connectionOf(writes), await connectionOf(reads)]).toEqual(before);
      await isRefused(writes);
      const after = [await connectionOf(writes), await connectionOf(reads)];
      expect(after.filter((id) => before.includes(id))).toEqual([]);
      expect([await connectionOf(writes), await connectionOf(reads)]).toEqual(after);
    } finally {
      await Promise.all([writes.destroy(), reads.destroy()]);
    }
  });

  it('on a connection that is already old replaces no newer one', async () => {
    const [first, second] = [open(), open()];
    try {
      await second.transaction(async (old) => {
        await isRefused(first);
        const fresh = await connectionOf(first);
        await old.raw('SET SESSION TRANSACTION READ ONLY');
        await old.raw('COMMIT');
        await old.raw('START TRANSACTION READ ONLY');
        await expect(old.raw('DELETE FROM processes')).rejects.toMatchObject({ errno: 1792 });
        expect(await connectionOf(first)).toBe(fresh);
      });
    } finally {
      await Promise.all([first.destroy(), second.destroy()]);
    }
  });
});
