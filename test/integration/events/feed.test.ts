/** The feed under writers that commit in any order: a reader misses no event, and sees none twice. */
import { setTimeout as delay } from 'node:timers/promises';
import { createPrune } from './prune-stage';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { openDatabase, type Database } from '../../../src/store/database';
import type { EventRow } from '../../../src/store/tables';
import { beginning, positionOf } from '../../../src/events/cursor';
import { readEvents } from '../../../src/events/read-events';
import { insertMerchant, insertPayment } from '../../support/store/rows';
import { rowsRead } from '../../support/store/rows-read';
import { cutTransaction } from '../../support/cut-transaction';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { change, pageAfter, readOn, numberIn } from '../../support/events/event-stage';

let test: TestDatabase;
/** The privileges of the API's database account. */
let service: Database;
beforeAll(async () => {
  test = await createTestDatabase();
  service = openDatabase(test.url, { poolMax: 24, patienceMs: 45_000 });
});
afterAll(async () => {
  await service.destroy();
  await test.drop();
});

async function paymentOf(merchantId: string) {
  return { merchantId, paymentId: await insertPayment(test.db, { merchant_id: merchantId }) };
}

const numbersOf = (events: readonly EventRow[]) =>
  events.map(({ body }) => numberIn(JSON.parse(body) as object));

const tableOf = (merchantId: string) =>
  test.db('events').where({ merchant_id: merchantId }).orderBy('position');

describe('the feed of events', () => {
  it('shows events that were written before and committed later to a reader that is past later events', async () => {
    const merchantId = await insertMerchant(test.db);
    const [slow, quick] = [await paymentOf(merchantId), await paymentOf(merchantId)];
    const before = await service.transaction(async (open) => {
      await change(open, slow, 1);
      await service.transaction((trx) => change(trx, quick, 2));
      return pageAfter(service, merchantId, undefined, 10);
    });
    const after = await pageAfter(service, merchantId, before.place, 10);
    expect([numbersOf(before.events), numbersOf(after.events)]).toEqual([[2], [1]]);
    const [first] = await test.db('events').where({ merchant_id: merchantId }).orderBy('event_seq');
    expect(first?.event_id).toBe(after.events[0]?.event_id);
  });

  it('is the same complete list for all readers, in the order of each payment, whatever the order of commits', async () => {
    const merchantId = await insertMerchant(test.db);
    const payments = await Promise.all(Array.from({ length: 12 }, () => paymentOf(merchantId)));
    let rolledBack = 0;
    let isOver = false;
    const first: EventRow[] = [];
    const readers = Promise.all(
      [first, [], []].map((read) => readOn(service, merchantId, { isOver: () => isOver, read })),
    );
    // Written before all others, and committed after a reader has read some of them.
    const slow = await paymentOf(merchantId);
    const held = service.transaction(async (trx) => {
      await change(trx, slow, 0);
      await waitFor(async () => first.length > 20, { what: 'events to be read', timeoutMs: 60_000 });
    });
    await Promise.all(
      payments.map(async (payment, k) => {
        for (let n = 0; n < 15; n += 1) {
          await service
            .transaction(async (trx) => {
              await change(trx, payment, n);
              // The pauses differ, so that the first written is often the last committed.
              await delay((k * 7 + n * 5) % 23);
              if ((k + n) % 6 === 0) throw new Error('rolled back');
            })
            .catch(() => (rolledBack += 1));
        }
      }),
    );
    await held;
    isOver = true;
    const lists = await readers;
    const table = await tableOf(merchantId);
    expect(rolledBack).toBe(30);
    expect(table).toHaveLength(151);
    expect(table.map(({ position }) => Number(position))).toEqual(table.map((_, n) => n + 1));
    for (const list of lists) expect(list).toEqual(table);
    const written = table.map(({ event_seq: seq }) => Number(seq));
    expect(written).not.toEqual([...written].sort((a, b) => a - b));
    for (const { paymentId } of payments) {
      const own = numbersOf(table.filter(({ payment_id: id }) => id === paymentId));
      expect(own).toEqual([...own].sort((a, b) => a - b));
    }
  });

  it.each(['before', 'after'] as const)(
    'continues for the next reader when one dies %s the COMMIT of the positions',
    async (moment) => {
      const merchantId = await insertMerchant(test.db);
      const payment = await paymentOf(merchantId);
      for (const n of [1, 2, 3]) await service.transaction((trx) => change(trx, payment, n));
      const dying = cutTransaction(service, { nth: 1, moment, how: 'dies' });
      await expect(readEvents(dying, merchantId, { limit: 10 })).rejects.toThrow();
      await service.transaction((trx) => change(trx, payment, 4));
      const { events } = await pageAfter(service, merchantId, undefined, 10);
      expect(numbersOf(events)).toEqual([1, 2, 3, 4]);
      expect(events.map(({ position }) => Number(position))).toEqual([1, 2, 3, 4]);
    },
  );

  it('rejects a cursor of another feed', async () => {
    const [merchantId, other] = [await insertMerchant(test.db), await insertMerchant(test.db)];
    const [payment, others] = [await paymentOf(merchantId), await paymentOf(other)];
    await service.transaction((trx) => change(trx, payment, 1));
    await service.transaction((trx) => change(trx, others, 1));
    const { place } = await pageAfter(service, other, undefined, 10);
    expect(await readEvents(service, merchantId, { after: place, limit: 10 })).toBe('unknown');
    const ahead = { ...place, position: 2 };
    expect(await readEvents(service, other, { after: ahead, limit: 10 })).toBe('unknown');
  });

  it('is deleted after 90 days, and reports a reader that missed events', async () => {
    const merchantId = await insertMerchant(test.db);
    const payment = await paymentOf(merchantId);
    await pageAfter(service, merchantId, undefined, 10);
    for (const n of [1, 2, 3]) await service.transaction((trx) => change(trx, payment, n));
    const { events } = await pageAfter(service, merchantId, undefined, 10);
    const places = events.map(positionOf);
    for (const n of [4, 5]) await service.transaction((trx) => change(trx, payment, n));
    const own = () => test.db('events').where({ merchant_id: merchantId });
    const { count, prune } = createPrune(service);
    await own()
      .orderBy('event_seq')
      .limit(2)
      .update({ created_at: new Date(Date.now() - 91 * 86_400_000) });
    expect([await count(), await prune()]).toEqual([2, 2]);
    const after = async (place: (typeof places)[number] | undefined) => {
      if (!place) throw new Error('no such place');
      const page = await readEvents(service, merchantId, { after: place, limit: 10 });
      return typeof page === 'string' ? page : numbersOf(page.events);
    };
    expect(await after(beginning)).toBe('forgotten');
    expect(await after(places[0])).toBe('forgotten');
    expect(await after(places[1])).toEqual([3, 4, 5]);
    expect(await after(places[2])).toEqual([4, 5]);
    // Unread events are deleted as well, and a reader that had read everything before has missed them.
    for (const n of [6, 7]) await service.transaction((trx) => change(trx, payment, n));
    await own().update({ created_at: new Date(Date.now() - 91 * 86_400_000) });
    expect(await prune()).toBe(5);
    expect(await after(places[2])).toBe('forgotten');
    const left = await pageAfter(service, merchantId, undefined, 10);
    expect(left.events).toEqual([]);
    await service.transaction((trx) => change(trx, payment, 8));
    expect(numbersOf((await pageAfter(service, merchantId, undefined, 10)).events)).toEqual([8]);
  });

  it('reports a reader that missed an event which was deleted before its neighbours', async () => {
    const merchantId = await insertMerchant(test.db);
    const payment = await paymentOf(merchantId);
    for (const n of [1, 2, 3, 4]) await service.transaction((trx) => change(trx, payment, n));
    const { events } = await pageAfter(service, merchantId, undefined, 10);
    // The first of the four by its clock, and the third to commit.
    await test
      .db('events')
      .where({ merchant_id: merchantId, position: '3' })
      .update({ created_at: new Date(Date.now() - 91 * 86_400_000) });
    expect(await createPrune(service).prune()).toBe(1);
    const [one, two, three] = events.map(positionOf);
    const after = (place: typeof one, limit = 10) => readEvents(service, merchantId, { after: place, limit });
    expect(await after(one)).toBe('forgotten');
    expect(await after(one, 1)).toMatchObject({ events: [{ event_id: two?.eventId }] });
    expect(await after(two)).toBe('forgotten');
    expect(await after(three)).toMatchObject({ events: [{ event_id: events[3]?.event_id }] });
  });

  it('reads by its index, however many events other merchants have', async () => {
    const [merchantId, other] = [await insertMerchant(test.db), await insertMerchant(test.db)];
    const [payment, others] = [await paymentOf(merchantId), await paymentOf(other)];
    await service.transaction(async (trx) => {
      for (let n = 0; n < 20; n += 1) await change(trx, payment, n);
      for (let n = 0; n < 400; n += 1) await change(trx, others, n);
    });
    const first = await pageAfter(service, merchantId, undefined, 10);
    await pageAfter(service, other, undefined, 500);
    await test.db.raw('ANALYZE TABLE events');
    const read = (limit: number) =>
      rowsRead(test.db, (trx) => readEvents(trx, merchantId, { after: first.place, limit }));
    expect(await read(5)).toBeLessThan(60);
    const types = new Set(['deposit.failed'] as const);
    const filtered = await rowsRead(test.db, (trx) => readEvents(trx, merchantId, { types, limit: 5 }));
    expect(filtered).toBeLessThan(90);
  });
});
