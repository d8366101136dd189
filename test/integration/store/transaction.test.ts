/** What `inTransaction` does when the database or the connection fails. */
import type { Knex } from 'knex';
import { openDatabase, type Database, type Transaction } from '../../../src/store/database';
import {
  classifyDatabaseError,
  duplicateKeyOf,
  inTransaction,
  isDatabaseUnavailable,
} from '../../../src/store/transaction';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { barrier } from './barrier';
import { insertPayment } from '../../support/store/rows';

describe('a transaction', () => {
  let database: TestDatabase;
  let db: Database;
  let other: Knex;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.db;
    other = openDatabase(database.adminUrl);
    await db.raw('CREATE TABLE counters (name VARCHAR(20) PRIMARY KEY, n BIGINT NOT NULL) ENGINE=InnoDB');
  });
  beforeEach(async () => {
    await other.raw('DELETE FROM counters');
    await other.raw("INSERT INTO counters VALUES ('a', 0), ('b', 0), ('once', 0)");
  });
  afterAll(async () => {
    await other.destroy();
    await database.drop();
  });

  const add = (on: Knex, name: string, n = 10) =>
    on.raw('UPDATE counters SET n = n + ? WHERE name = ?', [n, name]);
  async function countersOf(on: Knex = other): Promise<Record<string, number>> {
    const [rows] = (await on.raw('SELECT name, n FROM counters')) as unknown as [
      { name: string; n: string }[],
    ];
    return Object.fromEntries(rows.map(({ name, n }) => [name, Number(n)]));
  }
  async function connectionOf(trx: Transaction): Promise<number> {
    const [[row]] = (await trx.raw('SELECT CONNECTION_ID() AS id')) as unknown as [[{ id: string }]];
    return Number(row.id);
  }

  it('that a deadlock rolled back on one side is repeated as a whole, and both sides count once', async () => {
    const bothHoldOne = [barrier(), barrier()];
    const tries = { east: 0, west: 0 };
    const cross = (side: 'east' | 'west', first: string, second: string, mine: number) =>
      inTransaction(db, async (trx) => {
        tries[side] += 1;
        await add(trx, first);
        bothHoldOne[mine]?.open();
        await bothHoldOne[1 - mine]?.opened;
        await add(trx, second);
      });
    await Promise.all([cross('east', 'a', 'b', 0), cross('west', 'b', 'a', 1)]);
    expect(tries.east + tries.west).toBeGreaterThan(2);
    expect(await countersOf()).toMatchObject({ a: 20, b: 20 });
  });

  it('that waited too long for a lock is repeated as a whole, not from where it stopped', async () => {
    const holding = barrier();
    const letGo = barrier();
    const holder = other.transaction(async (trx) => {
      await add(trx, 'b', 1);
      holding.open();
      await letGo.opened;
    });
    await holding.opened;
    const seenFirst: number[] = [];
    await inTransaction(db, async (trx) => {
      await trx.raw('SET SESSION innodb_lock_wait_timeout = 1');
      seenFirst.push((await countersOf(trx)).a ?? -1);
      await add(trx, 'a');
      if (seenFirst.length === 2) letGo.open();
      await add(trx, 'b');
    });
    await holder;
    // The second attempt did not see the first half of the first one: 1205 alone would have kept it.
    expect(seenFirst).toEqual([0, 0]);
    expect(await countersOf()).toMatchObject({ a: 10, b: 11 });
  });

  it('whose connection died before COMMIT never counts as done', async () => {
    let tries = 0;
    await inTransaction(db, async (trx) => {
      tries += 1;
      await add(trx, 'once');
      if (tries === 1) await other.raw(`KILL ${String(await connectionOf(trx))}`);
    });
    expect(tries).toBe(2);
    expect(await countersOf()).toMatchObject({ once: 10 });
  });

  it('whose connection dies at every attempt fails, and has changed nothing', async () => {
    let tries = 0;
    const work = inTransaction(db, async (trx) => {
      tries += 1;
      await add(trx, 'once');
      await other.raw(`KILL ${String(await connectionOf(trx))}`);
    });
    const error: unknown = await work.catch((thrown: unknown) => thrown);
    expect(classifyDatabaseError(error)).toBe('retry');
    expect(tries).toBe(8);
    expect(await countersOf()).toMatchObject({ once: 0 });
  });

  it('whose work fails for its own reason is not repeated and leaves nothing', async () => {
    let tries = 0;
    const work = inTransaction(db, async (trx) => {
      tries += 1;
      await add(trx, 'a');
      throw new Error('our own mistake');
    });
    await expect(work).rejects.toThrow('our own mistake');
    expect(tries).toBe(1);
    expect(await countersOf()).toMatchObject({ a: 0 });
  });

  it('that meets others on one new key, whose first writer rolls back, still writes once', async () => {
    await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) =>
        inTransaction(db, async (trx) => {
          await trx.raw("INSERT INTO counters VALUES ('contended', 1)");
          await add(trx, 'a', 1);
          if (n % 4 === 0) throw new Error('rolled back');
        }),
      ),
    );
    expect(await countersOf()).toMatchObject({ contended: 1, a: 1 });
  });

  describe('names the unique key of a duplicate', () => {
    it.each(['provider_receipt', 'provider_reference', 'callback_token', 'workflow_id'] as const)(
      '%s',
      async (column) => {
        const names = {
          provider_receipt: 'one_receipt',
          provider_reference: 'one_provider_reference',
          callback_token: 'one_callback_token',
          workflow_id: 'one_workflow',
        };
        await insertPayment(db, { [column]: 'the same' });
        const error: unknown = await insertPayment(db, { [column]: 'the same' }).catch(
          (thrown: unknown) => thrown,
        );
        expect(duplicateKeyOf(error)).toBe(names[column]);
      },
    );

    it('and ignores the text of the value', async () => {
      const provider_receipt = "x' for key 'one_workflow";
      await insertPayment(db, { provider_receipt });
      const error: unknown = await insertPayment(db, { provider_receipt }).catch((thrown: unknown) => thrown);
      expect(duplicateKeyOf(error)).toBe('one_receipt');
    });

    it('in MySQL’s form too, which puts the table before it', () => {
      const error = { errno: 1062, sqlMessage: "Duplicate entry 'stk-R1' for key 'payments.one_receipt'" };
      expect(duplicateKeyOf(error)).toBe('one_receipt');
    });

    it('and none for any other error', () => {
      expect([duplicateKeyOf({ errno: 1213 }), duplicateKeyOf(new Error('for key x'))]).toEqual([
        undefined,
        undefined,
      ]);
    });
  });
});

describe('an error of the database', () => {
  it.each([
    ['a deadlock', { errno: 1213 }, 'retry'],
    ['a lock timeout', { errno: 1205 }, 'retry'],
    ['a record that changed', { errno: 1020 }, 'retry'],
    ['too many connections', { errno: 1040 }, 'retry'],
    ['a lost connection', { code: 'PROTOCOL_CONNECTION_LOST' }, 'retry'],
    ['a reset connection', { code: 'ECONNRESET' }, 'retry'],
    ['a server that is down', { code: 'ECONNREFUSED' }, 'retry'],
    ['a read-only server', { errno: 1290 }, 'retry'],
    ['a read-only InnoDB', { errno: 1836 }, 'retry'],
    ['a full disk', { errno: 1021 }, 'wait'],
    ['no free connection', { name: 'KnexTimeoutError' }, 'wait'],
    ['a duplicate key', { errno: 1062 }, 'duplicate'],
    ['an invalid statement', { errno: 1064 }, 'bug'],
    ['anything else', new Error('no such thing'), 'bug'],
    ['nothing', undefined, 'bug'],
  ])('such as %s is classified correctly', (_what, error, fault) => {
    expect(classifyDatabaseError(error)).toBe(fault);
    expect(isDatabaseUnavailable(error)).toBe(fault === 'retry' || fault === 'wait');
  });
});
