import { randomUUID } from 'node:crypto';
import { writeDayDigests } from '../../../src/ledger/day-digests';
import { openStatement } from '../../../src/statements/statement';
import type { Database } from '../../../src/store/database';
import { daysAgo, emptyLedger, onDay } from '../ledger/digested-days';
import { rowsRead } from '../../support/store/rows-read';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { playHistory } from './ledger-history';

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

describe('a statement that uses the state of verify', () => {
  afterEach(async () => {
    await db('verified_state').delete();
    await db('verify_sums').delete();
  });

  /** As a run leaves it that verified up to this posting. */
  async function proved(seq: string): Promise<void> {
    const at = { changed_since: new Date(), verified_at: new Date(), full_at: new Date() };
    const marks = { seq, entry_id: '0', log_id: '0', inbox_id: '0' };
    await db('verified_state').delete();
    await db('verified_state').insert({
      id: 1,
      run_id: randomUUID(),
      fingerprint: Buffer.alloc(32, 1),
      ...at,
      ...marks,
    });
    await db('verify_sums').delete();
    await db.raw(
      `INSERT INTO verify_sums (account_id, currency, postings, total, digest)
       SELECT account_id, currency, COUNT(*), SUM(amount), 0 FROM ledger_postings WHERE seq <= ?
       GROUP BY account_id, currency`,
      [seq],
    );
  }

  it('is the same for every end of the verified state', async () => {
    const { merchantId, transfers: transitions } = await playHistory(db, randomUUID());
    for (const day of [6, 5, 3, 2]) {
      await onDay(day, async () => {
        await transitions.collect(BigInt(day) * 10n);
        await transitions.fund(BigInt(day));
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
    const reported = await all();
    expect(
      new Set(reported.flatMap(({ accounts }) => accounts.map(({ closingMinor }) => closingMinor))).size,
    ).toBeGreaterThan(3);
    const seqs = await db('ledger_postings').orderBy('seq').pluck<string[]>('seq');
    expect(seqs.length).toBeGreaterThan(10);
    for (const seq of seqs) {
      await proved(seq);
      expect(await all()).toEqual(reported);
    }
  });

  it('reads the postings between the verified state and its own days, not all older ones', async () => {
    const { merchantId, transfers: transitions } = await playHistory(db, randomUUID());
    await onDay(9, async () => {
      for (let n = 0; n < 200; n += 1) await transitions.collect(1n);
    });
    await onDay(2, () => transitions.collect(10n));
    await writeDayDigests(db);
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
