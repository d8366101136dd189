/** The days of a statement begin and end at midnight in the merchant's time zone, in any zone, and the balances add up. */
import { DateTime } from 'luxon';
import { dayIn, startOfDay } from '../../../src/domain/time';
import { postingsBefore } from '../../../src/ledger/day-cut';
import { dayAfter } from '../../../src/ledger/utc-days';
import { writeDayDigests } from '../../../src/ledger/day-digests';
import { faultsOfPeriod, beginningOf, openStatement, pageOf } from '../../../src/statements/statement';
import { csvOf } from '../../../src/statements/statement-csv';
import { atTime } from '../../support/at-time';
import { emptyLedger } from '../ledger/digested-days';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { rowsRead } from '../../support/store/rows-read';
import { playHistory, type LedgerHistory } from './ledger-history';

let test: TestDatabase;
let own: LedgerHistory;
let merchantId: string;
beforeAll(async () => {
  test = await createTestDatabase();
});
beforeEach(async () => {
  await emptyLedger(test.db);
  merchantId = `zones-${String(Math.random()).slice(2)}`;
  own = await playHistory(test.db, merchantId);
});
afterAll(() => test.drop());

function collectAt(at: Date, minor: bigint, history = own): Promise<void> {
  return atTime(at, async () => {
    await history.transfers.collect(minor);
  });
}

async function shown(zone: string, from: string, to = from) {
  const statement = await openStatement(test.db, { merchantId, currency: 'KES', from, to, zone });
  const { movements } = await pageOf(test.db, statement, beginningOf(statement), 1_000);
  const wallet = statement.accounts.find(({ name }) => name === 'wallet');
  return {
    moved: movements.filter(({ account }) => account === 'wallet').map(({ amountMinor }) => amountMinor),
    opening: wallet?.openingMinor ?? 0n,
    closing: wallet?.closingMinor ?? 0n,
    isFinal: statement.isFinal,
  };
}

const ms = (at: Date, by: number) => new Date(at.getTime() + by);

/** Zones with half and three quarters of an hour, both ends of the world, and days of a clock change. */
const places: [zone: string, day: string][] = [
  ['Africa/Nairobi', '2026-10-31'],
  ['UTC', '2026-10-31'],
  ['Asia/Kolkata', '2026-10-31'],
  ['Asia/Kathmandu', '2026-10-31'],
  ['Pacific/Kiritimati', '2026-10-31'],
  ['Pacific/Pago_Pago', '2026-10-31'],
  ['America/New_York', '2026-11-01'],
  ['America/St_Johns', '2026-03-08'],
  // Its clocks go forward at midnight, so the day begins at 01:00.
  ['Africa/Cairo', '2026-04-24'],
];

it.each(places)('in %s, %s has the bookings from its midnight to the next', async (zone, day) => {
  const [begins, ends] = [startOfDay(day, zone), startOfDay(dayAfter(day), zone)];
  for (const [at, minor] of [
    [ms(begins, -1), 1n],
    [begins, 10n],
    [ms(begins, 6 * 3_600_000), 100n],
    [ms(ends, -1), 1_000n],
    [ends, 10_000n],
  ] as const)
    await collectAt(at, minor);
  const open = await shown(zone, day);
  expect(open).toEqual({ moved: [10n, 100n, 1_000n], opening: 1n, closing: 1_111n, isFinal: false });
  const [before, after] = [dayIn(zone, ms(begins, -1)), dayAfter(day)];
  expect(await shown(zone, before)).toMatchObject({ moved: [1n], opening: 0n, closing: open.opening });
  expect(await shown(zone, after)).toMatchObject({
    moved: [10_000n],
    opening: open.closing,
    closing: 11_111n,
  });
  await writeDayDigests(test.db);
  expect(await shown(zone, day)).toEqual({ ...open, isFinal: true });
});

it('the months of a shop in Nairobi end at its own midnight, and their balances match', async () => {
  const zone = 'Africa/Nairobi';
  const lateOnTheLast = new Date('2026-10-31T20:59:59.999Z');
  const earlyOnTheFirst = new Date('2026-10-31T21:00:00.000Z');
  await collectAt(lateOnTheLast, 5n);
  await collectAt(earlyOnTheFirst, 7n);
  await writeDayDigests(test.db);
  const october = await shown(zone, '2026-10-01', '2026-10-31');
  const november = await shown(zone, '2026-11-01', '2026-11-20');
  expect([october.moved, november.moved]).toEqual([[5n], [7n]]);
  expect(november.opening).toBe(october.closing);
});

it('a late booking, or one with a wrong clock, does not change a final statement', async () => {
  const zone = 'Asia/Kathmandu';
  const day = '2026-10-31';
  const ends = startOfDay(dayAfter(day), zone);
  await collectAt(ms(ends, -60_000), 5n);
  // By a process whose clock is a month ahead.
  await collectAt(ms(ends, 30 * 86_400_000), 3n);
  await collectAt(ms(ends, -30_000), 4n);
  await collectAt(ms(ends, 60_000), 7n);
  await writeDayDigests(test.db);
  const final = await shown(zone, day);
  expect(final.isFinal).toBe(true);
  await collectAt(ms(ends, -10_000), 9n);
  expect(await shown(zone, day)).toEqual(final);
});

it('a file contains the times of its own midnights', async () => {
  await collectAt(new Date('2026-10-30T22:00:00Z'), 5n);
  const statement = await openStatement(test.db, {
    ...{ merchantId, currency: 'KES', from: '2026-10-31', to: '2026-10-31', zone: 'Africa/Nairobi' },
  });
  let text = '';
  for await (const part of csvOf(test.db, statement)) text += part;
  expect(text).toContain('wallet,2026-10-30T21:00:00.000Z,opening_balance');
  expect(text).toContain('wallet,2026-10-30T22:00:00.000Z,credit');
  expect(text).toContain('wallet,2026-10-31T21:00:00.000Z,balance_so_far');
});

it.each(['Africa/Nairobi', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
  'a statement of today in %s is allowed at each hour of the day, and one of tomorrow at none',
  (zone) => {
    for (let hour = 0; hour < 24; hour += 1) {
      const now = DateTime.fromISO(`2026-11-28T${String(hour).padStart(2, '0')}:30:00`, { zone }).toJSDate();
      expect(faultsOfPeriod({ from: '2026-11-28', to: '2026-11-28' }, zone, now)).toEqual([]);
      expect(faultsOfPeriod({ from: '2026-11-28', to: '2026-11-29' }, zone, now)).toEqual([
        { field: 'to', text: `must not be after today (${zone})` },
      ]);
    }
  },
);

it('finds the midnight of a zone without reading the whole day', async () => {
  const zone = 'Africa/Nairobi';
  const midnight = startOfDay('2026-10-31', zone);
  for (let n = 0; n < 600; n += 1) await collectAt(ms(midnight, (n - 500) * 60_000), 1n);
  await writeDayDigests(test.db);
  const read = await rowsRead(test.db, (trx) => postingsBefore(trx, midnight));
  expect(read).toBeLessThan(700);
  expect((await postingsBefore(test.db, midnight)).isDigested).toBe(true);
});
