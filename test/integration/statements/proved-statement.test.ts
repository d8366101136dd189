import { randomUUID } from 'node:crypto';
import { sealDays } from '../../../src/ledger/day-digests';
import { openStatement } from '../../../src/statements/statement';
import type { Database } from '../../../src/store/database';
import { daysAgo, emptyLedger, onDay } from '../ledger/sealed-days';
import { rowsRead } from '../../support/store/rows-read';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { tellStory } from './ledger-story';

let test: TestDatabase;
let db: Database;
beforeAll(async () => {
  test = await createTestDatabase();
  db = test.db;
});
afterAll(() => test.drop());
beforeEach(() => emptyLedger(db));

const opened = (merchantId: string, from: number, to = from) =>
  openStatement(db, { merchantId, currency: 'KES', from: daysAgo(from), to: daysAgo(to), zone: 'UTC' });

describe('a statement beside what verify has proved', () => {
  afterEach(async () => {
    await db('proofs').delete();
    await db('proof_sums').delete();
  });

  /** As a run leaves it that looked up to this posting. */
  async function proved(seq: string): Promise<void> {
    const at = { changed_since: new Date(), proved_at: new Date(), full_at: new Date() };
    const marks = { seq, entry_id: '0', log_id: '0', inbox_id: '0' };
    await db('proofs').delete();
    await db('proofs').insert({
      id: 1,
      run_id: randomUUID(),
      fingerprint: Buffer.alloc(32, 1),
      ...at,
      ...marks,
    });
    await db('proof_sums').delete();
    await db.raw(
      `INSERT INTO proof_sums (account_id, currency, postings, total, digest)
       SELECT account_id, currency, COUNT(*), SUM(amount), 0 FROM ledger_postings WHERE seq <= ?
       GROUP BY account_id, currency`,
      [seq],
    );
  }

  it('is the same wherever that ends', async () => {
    const { merchantId, moves } = await tellStory(db, randomUUID());
    for (const day of [6, 5, 3, 2]) {
      await onDay(day, async () => {
        await moves.collect(BigInt(day) * 10n);
        await moves.fund(BigInt(day));
      });
    }
    const all = async () =>
      Promise.all(
        [
          [5, 5],
          [4, 3],
          [3, 2],
          [1, 1],
        ].map(([from = 0, to]) => opened(merchantId, from, to)),
      );
    const told = await all();
    expect(
      new Set(told.flatMap(({ accounts }) => accounts.map(({ closingMinor }) => closingMinor))).size,
    ).toBeGreaterThan(3);
    const seqs = await db('ledger_postings').orderBy('seq').pluck<string[]>('seq');
    expect(seqs.length).toBeGreaterThan(10);
    for (const seq of seqs) {
      await proved(seq);
      expect(await all()).toEqual(told);
    }
  });

  it('reads the postings between that and its days, and not all that ever were', async () => {
    const { merchantId, moves } = await tellStory(db, randomUUID());
    await onDay(9, async () => {
      for (let n = 0; n < 200; n += 1) await moves.collect(1n);
    });
    await onDay(2, () => moves.collect(10n));
    await sealDays(db);
    const read = () =>
      rowsRead(db, (trx) =>
        openStatement(trx, { merchantId, currency: 'KES', from: daysAgo(2), to: daysAgo(2), zone: 'UTC' }),
      );
    const before = await read();
    const last = await db('ledger_postings').orderBy('seq', 'desc').first('seq');
    await proved(last?.seq ?? '');
    expect([before > 400, (await read()) < 250]).toEqual([true, true]);
  });
});
