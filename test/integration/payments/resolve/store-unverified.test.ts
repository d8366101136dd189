import { storeUnverified, type StoredUnverified } from '../../../../src/payments/resolve/inbox';
import type { Database } from '../../../../src/store/database';
import type { InboxRow } from '../../../../src/store/tables';
import { insertPayment } from '../../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../../support/database';

describe('unverified events of one payment', () => {
  let database: TestDatabase;
  let db: Database;
  let payment: { payment_id: string; workflow_id: string };
  beforeEach(async () => {
    database = await createTestDatabase();
    db = database.db;
    const payment_id = await insertPayment(db, { state: 'pending' });
    payment = { payment_id, workflow_id: `w/${payment_id}` };
  });
  afterEach(() => database.drop());

  const unverified = (about = payment): Promise<StoredUnverified> =>
    storeUnverified({ db, timeScale: 1 }, 'cardproc', {
      payment: about,
      body: '{}',
      sourceAddress: '10.0.0.1',
    });
  const rows = (): Promise<InboxRow[]> => db('inbox').orderBy('inbox_id');
  const last = async () => (await rows()).at(-1);
  const read = async (state: InboxRow['state'] = 'ignored') =>
    db('inbox')
      .where({ inbox_id: (await last())?.inbox_id ?? '' })
      .update({ state, processed_at: new Date() });
  const waitMs = async () => {
    const row = await last();
    return (row?.follow_at?.getTime() ?? 0) - (row?.received_at.getTime() ?? 0);
  };
  const ago = (ms: number) => new Date(Date.now() - ms);

  it('share one row while it is unread, however many arrive at once', async () => {
    const stored = await Promise.all(Array.from({ length: 20 }, () => unverified()));
    expect(stored.filter((one) => one === 'follow')).toHaveLength(1);
    expect(stored.filter((one) => one === 'known')).toHaveLength(19);
    expect(await unverified()).toBe('known');
    expect(await rows()).toHaveLength(1);
    expect(await last()).toMatchObject({ state: 'new', repeats: 0, source_address: '10.0.0.1' });
  });

  it('trigger a query at once three times, and then later and later, while they change nothing', async () => {
    const stored: StoredUnverified[] = [];
    const waits: number[] = [];
    for (let n = 0; n < 7; n += 1) {
      stored.push(await unverified());
      waits.push(Math.round((await waitMs()) / 10_000));
      await read();
    }
    expect(stored).toEqual(['follow', 'follow', 'follow', 'later', 'later', 'later', 'later']);
    // Each after the one before: 10, 20, 40 and 80 s.
    expect(waits).toEqual([0, 0, 0, 1, 3, 7, 15]);
  });

  it('trigger a query at once again if the last one changed something, or its wait is over', async () => {
    for (let n = 0; n < 4; n += 1) {
      await unverified();
      await read(n === 3 ? 'applied' : 'ignored');
    }
    expect(await unverified()).toBe('follow');
    await read();
    await db('inbox').update({ repeats: 8, follow_at: ago(300_000) });
    expect(await unverified()).toBe('later');
    await read();
    await db('inbox').update({ repeats: 8, follow_at: ago(700_000) });
    expect(await unverified()).toBe('follow');
  });

  it('trigger at least one query a day, separately for each payment', async () => {
    await unverified();
    await read();
    await db('inbox').update({ repeats: 60, follow_at: ago(86_400_001) });
    expect(await unverified()).toBe('follow');
    const other = await insertPayment(db, { state: 'pending' });
    expect(await unverified({ payment_id: other, workflow_id: 'w' })).toBe('follow');
  });
});
