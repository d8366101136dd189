/** Known database traps: each is shown, and shown not to affect us. */
import { openDatabase, type Database } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';
import { authenticate } from '../../../src/merchants/authenticate';
import { createMerchant } from '../../../src/merchants/merchants';
import { secretBox } from '../../../src/merchants/secrets';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { barrier } from './barrier';
import { insertPayment } from '../../support/store/rows';

describe('a trap of the database', () => {
  let database: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.db;
    await db.raw('CREATE TABLE purse (id INT PRIMARY KEY, held BIGINT NOT NULL) ENGINE=InnoDB');
  });
  afterAll(() => database.drop());

  async function rows<T>(sql: string, bindings: (string | number)[] = []): Promise<T[]> {
    const [found] = (await db.raw(sql, bindings)) as unknown as [T[]];
    return found;
  }
  async function affected(sql: string): Promise<number> {
    const [result] = (await db.raw(sql)) as unknown as [{ affectedRows: number }];
    return result.affectedRows;
  }

  describe('lost updates', () => {
    const held = async () => Number((await rows<{ held: string }>('SELECT held FROM purse'))[0]?.held);
    beforeEach(() => db.raw('REPLACE INTO purse VALUES (1, 100)'));

    /** Takes 80 from 100 in two sessions that both have read before either writes. */
    function twice(withdraw: (trx: Database, seen: number) => Promise<unknown>): Promise<unknown[]> {
      const checked = [barrier(), barrier()];
      return Promise.all(
        checked.map((mine) =>
          inTransaction(db, async (trx) => {
            const [[row]] = (await trx.raw('SELECT held FROM purse WHERE id = 1')) as unknown as [
              [{ held: string }],
            ];
            mine.open();
            await Promise.all(checked.map(({ opened }) => opened));
            return withdraw(trx, Number(row.held));
          }),
        ),
      );
    }

    it('happen if a session reads and then writes: both take 80 out of 100', async () => {
      await twice((trx, seen) => trx.raw('UPDATE purse SET held = ? WHERE id = 1', [seen - 80]));
      expect(await held()).toBe(20);
    });

    it('do not happen with the guard in the WHERE: one takes, the other finds nothing to take', async () => {
      const taken = await twice(async (trx) => {
        const [result] = (await trx.raw(
          'UPDATE purse SET held = held - 80 WHERE id = 1 AND held >= 80',
        )) as unknown as [{ affectedRows: number }];
        return result.affectedRows;
      });
      expect(taken.sort()).toEqual([0, 1]);
      expect(await held()).toBe(20);
    });
  });

  it('affectedRows counts rows that matched, changed or not, so the old state must be in the WHERE', async () => {
    await db.raw('REPLACE INTO purse VALUES (2, 5)');
    expect(await affected('UPDATE purse SET held = 5 WHERE id = 2')).toBe(1);
    expect(await affected('UPDATE purse SET held = 5 WHERE id = 2 AND held <> 5')).toBe(0);
  });

  it('sessions read committed data, reject truncation and guesses, and stop waiting for a lock after 5 s', async () => {
    const variables = await rows<{ Variable_name: string; Value: string }>(
      "SHOW SESSION VARIABLES WHERE Variable_name IN ('transaction_isolation', 'tx_isolation', 'innodb_lock_wait_timeout', 'sql_mode')",
    );
    const values = Object.fromEntries(
      variables.map(({ Variable_name: name, Value: value }) => [name, value]),
    );
    expect(values.transaction_isolation ?? values.tx_isolation).toBe('READ-COMMITTED');
    expect(values.innodb_lock_wait_timeout).toBe('5');
    expect(values.sql_mode).toContain('STRICT_ALL_TABLES');
  });

  describe('whole numbers above 2^53', () => {
    const large = '9007199254740993';

    it('are returned with every digit', async () => {
      const paymentId = await insertPayment(db, { requested_minor: large, instructed_minor: large });
      const row = await db('payments')
        .where({ payment_id: paymentId })
        .first('requested_minor', 'instructed_minor');
      expect(row).toEqual({ requested_minor: large, instructed_minor: large });
    });

    it('become floats in a sum with a text, unless the text is cast', async () => {
      await db.raw(`REPLACE INTO purse VALUES (3, ${large})`);
      const sum = (term: string) =>
        rows<{ sum: unknown }>(`SELECT held + ${term} AS sum FROM purse WHERE id = 3`, ['0']);
      expect(String((await sum('?'))[0]?.sum)).not.toBe(large);
      expect(String((await sum('CAST(? AS SIGNED)'))[0]?.sum)).toBe(large);
    });
  });

  describe('texts that look alike', () => {
    it.each([
      ['ABC', 'abc'],
      ['é', 'e'],
      ['ß', 'ss'],
      ['①', '1'],
    ])('%j and %j are two identifiers', async (one, another) => {
      await insertPayment(db, { provider_reference: one, order_id: one });
      await insertPayment(db, { provider_reference: another, order_id: another });
      expect(await db('payments').where({ order_id: one })).toHaveLength(1);
    });

    it('every table compares byte by byte', async () => {
      const others = await rows<{ name: string }>(
        `SELECT CONCAT(TABLE_NAME, '.', COLUMN_NAME, ' ', COLLATION_NAME, ' ', DATA_TYPE) AS name FROM information_schema.COLUMNS
         WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME NOT LIKE 'knex%' AND TABLE_NAME NOT IN ('purse', 'migration_steps')
           AND COLLATION_NAME NOT IN ('ascii_bin', 'utf8mb4_nopad_bin', 'utf8mb4_0900_bin')`,
      );
      // The migrator's own tables hold names of ours. JSON columns, of MariaDB only, have a collation of the server's own.
      expect(others.filter(({ name }) => !name.endsWith(' utf8mb4_bin longtext'))).toEqual([]);
    });
  });

  describe('rounding', () => {
    it('a DECIMAL column rounds silently, so no amount uses one', async () => {
      await db.raw('CREATE TEMPORARY TABLE rounding (amount DECIMAL(10,2))');
      await db.raw("INSERT INTO rounding VALUES ('10.005')");
      expect(await rows('SELECT CAST(amount AS CHAR) AS amount FROM rounding')).toEqual([
        { amount: '10.01' },
      ]);
      await db.raw('DROP TEMPORARY TABLE rounding');
    });

    it('every amount is a whole number of minor units', async () => {
      const fractional = await rows<{ name: string }>(
        `SELECT CONCAT(TABLE_NAME, '.', COLUMN_NAME) AS name FROM information_schema.COLUMNS
         WHERE TABLE_SCHEMA = DATABASE() AND DATA_TYPE IN ('decimal', 'float', 'double')`,
      );
      expect(fractional.map(({ name }) => name).sort()).toEqual([
        'fx_rates.rate',
        'rate_limit_buckets.tokens',
      ]);
    });
  });

  it('knex: a commit on a dead connection resolves, so only the callback form is used', async () => {
    const own = openDatabase(database.adminUrl, { poolMax: 1 });
    let written = false;
    const work = own.transaction(async (trx) => {
      await trx.raw('REPLACE INTO purse VALUES (9, 1)');
      const [[row]] = (await trx.raw('SELECT CONNECTION_ID() AS id')) as unknown as [[{ id: string }]];
      await db.raw(`KILL ${row.id}`);
      written = true;
    });
    await expect(work).rejects.toThrow();
    expect(written).toBe(true);
    expect(await rows('SELECT * FROM purse WHERE id = 9')).toEqual([]);
    await own.destroy();
  });

  it('the number 0 equals every text in SQL, and matches no row of ours', async () => {
    const [zero] = await rows<{ equal: number }>("SELECT 'sk_test_abc' = 0 AS equal");
    expect(Number(zero?.equal)).toBe(1);
    const box = secretBox([{ id: 'test', key: Buffer.alloc(32, 7) }]);
    const { api_key: apiKey } = await createMerchant(db, box, { name: 'Shop', environment: 'sandbox' });
    const as = (key: unknown, secret: unknown) =>
      authenticate(db, 'sandbox', {
        credentials: { apiKey: key as string, apiSecret: secret as string },
        clientAddress: '127.0.0.1',
      });
    await expect(as(apiKey, '0')).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
    await expect(as('0', '0')).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  });
});
