import { v7 as uuid } from 'uuid';
import { everything, changesOf, type Check, type Marks, type Scope } from '../../../../src/verify/check';
import {
  literal,
  marksAt,
  momentOf,
  noMarks,
  listChanges,
  slicesOf,
} from '../../../../src/verify/verified-state';
import { provedSumsCheck, sumsOf, type Sum } from '../../../../src/verify/sums';
import { checks, gather, type VerifyReport } from '../../../../src/verify/verify';
import type { Database, Transaction } from '../../../../src/store/database';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { disarm, withDisputed, writeBooks, type Books } from '../../../support/verify/books';
import { brokenBeside } from '../../../support/violation-owner';
import { corruptions } from '../../../support/verify/corruptions';

let test: TestDatabase;
let books: Books;
let proved: { marks: Marks; sums: Sum[] };
beforeAll(async () => {
  test = await createTestDatabase();
  books = await withDisputed(await writeBooks(test.db));
  await disarm(test.db);
  await postpone(test.db);
  proved = await test.db.transaction(markEverything);
});
afterAll(() => test.drop());

/** Everything due in these books is due in an hour: a slow machine takes longer than a check may be late (V1). */
async function postpone(db: Database): Promise<void> {
  await db.raw(`UPDATE outbox SET next_at = next_at + INTERVAL 1 HOUR WHERE state = 'pending'`);
  await db.raw('UPDATE payments SET next_check_at = next_check_at + INTERVAL 1 HOUR');
}

/** As if these books had been checked long ago: everything planted from now on is new. */
async function markEverything(trx: Transaction): Promise<{ marks: Marks; sums: Sum[] }> {
  const { now } = await momentOf(trx);
  const beyond = new Date(now.getTime() + 60_000);
  const { last } = await marksAt(trx, noMarks, beyond);
  const [[{ passed }]] = (await trx.raw(
    'SELECT SLEEP(0.005), UTC_TIMESTAMP(3) + INTERVAL 1000 MICROSECOND AS passed, SLEEP(0.005)',
  )) as unknown as [[{ passed: Date }]];
  const marks = { changedSince: literal(passed), last };
  const sums = await sumsOf(trx, undefined, marks);
  await trx('verify_sums').insert(sums as never);
  return { marks, sums };
}

class Undo extends Error {}

/**
 * Plants it, checks everything, then what is new, and, if that differs, as if everything were new; and rolls it back.
 */
async function check(
  plant: (trx: Transaction) => Promise<string>,
  isOther = true,
): Promise<Record<'all' | 'since' | 'first' | 'beside' | 'besideOurs', Found> & { offender: string }> {
  const seen = { offender: '', all: none, since: none, first: none, beside: none, besideOurs: none };
  const planted = test.db.transaction(async (trx) => {
    seen.offender = await plant(trx);
    const all = await brokenIn(trx, [everything], checks);
    seen.all = idsOf(all);
    seen.beside = idsOf(await brokenBeside([uuid()], trx, all));
    seen.besideOurs = idsOf(await brokenBeside([books.merchantId, books.otherMerchantId], trx, all));
    seen.since = await found(trx, await news(trx, proved.marks), [
      ...checks,
      provedSumsCheck(proved.marks, () => Promise.resolve(proved.sums)),
    ]);
    await trx('verify_sums').delete();
    if (isOther)
      seen.first = await found(trx, await news(trx, noMarks), [
        ...checks,
        provedSumsCheck(noMarks, () => Promise.resolve([])),
      ]);
    throw new Undo();
  });
  await expect(planted).rejects.toThrow(Undo);
  return seen;
}

/** By check, the ids that it names. */
type Found = Record<string, string[]>;
const none: Found = {};

/** So few at a time that related rows are checked separately. */
const sliceSize = 4;

/** The scope of new rows, and of each slice of it. */
async function news(trx: Transaction, marks: Marks): Promise<[Scope, ...Scope[]]> {
  const runId = uuid();
  await listChanges(trx, runId, marks);
  const slices = await slicesOf(trx, runId, sliceSize);
  return [changesOf(runId, marks), ...slices.map((slice) => changesOf(runId, marks, slice))];
}

const found = async (...asked: Parameters<typeof brokenIn>): Promise<Found> =>
  idsOf(await brokenIn(...asked));

const idsOf = (broken: VerifyReport['checks']): Found =>
  Object.fromEntries(broken.map(({ id, violations }) => [id, violations.map((violation) => violation.id)]));

async function brokenIn(
  trx: Transaction,
  [scope, ...slices]: [Scope, ...Scope[]],
  wanted: readonly Check[],
): Promise<VerifyReport['checks']> {
  // Its triggers are dropped here.
  const asked = wanted.filter(({ id }) => id !== 'L7');
  const results = gather(asked);
  const { rails } = books.context;
  for (const slice of slices.length > 0 ? slices : [scope])
    await results.ofEach({ trx, rails, scope: slice });
  await results.ofAll({ trx, rails, scope });
  return results.report().checks.filter(({ violations }) => violations.length > 0);
}

/**
 * Differences between an incremental check and a full one. Rows of logs and of the ledger can only be inserted, and no
 * payment is ever deleted: a violation of that leaves no trace except in the ledger's digests.
 */
const inTheChanges: Record<string, string[]> = {
  'a balance that was changed without a posting': ['L3'],
  'a succeeded deposit without a credit': ['L3', 'L8'],
  'a credit above the confirmed amount': ['L3', 'L8'],
  'a released reserve without its releasing entry': ['L8'],
  'a payout that is marked as returned, without the money in its float': ['L3', 'L8'],
  'a payout that was returned from another account than its provider’s': ['L8'],
  // A log, an answer or a rate that was changed by hand.
  'a transition from a state that the payment was not in': [],
  'a webhook that is marked as delivered, and never arrived': [],
  'a key of a missing payment': [],
  'an answer that was not stored': [],
  "a payment started by another merchant's key": [],
  'a converted amount that does not follow from its rate': [],
  'a rounding that does not explain the credit': [],
  'a difference that is booked as rounding and is none': [],
  'a credit above the value of the payment': [],
  'a payout that sends a cent more than its float has paid': [],
  'a payment that an operator resolved, whose entry names no action': [],
  'an entry whose action was changed': ['L8'],
  // A row that was deleted by hand.
  'an open payout without a reserve': [],
  'a disputed deposit without a reserve, though its money was there': ['P19'],
  'a deposit with a case from before reserves existed, and without a later check': ['P19'],
  'a final state without its webhook': [],
  'a payment credited in another currency without a stored rate': [],
  // A statement from before, which is checked once it is an hour old.
  'a line of a statement without an outcome': [],
  'a statement with a missing line': [],
  'a fee of a provider that is marked as booked, and is not': [],
};

/** Checks that also see rows without a merchant: the chains, the rows of users, statements, and total sums. */
const everybodys = [
  ...['L1', 'L2', 'L6', 'L9', 'P13', 'E1', 'N5', 'C1', 'F4'],
  ...['A1', 'A2', 'A3', 'R1', 'R2', 'R3', 'R5'],
];

const sorted = (ids: Iterable<string>) => [...ids].sort();

describe.each(corruptions)('$what', ({ what, seenBy, plant }) => {
  it(`is seen by ${seenBy.join(', ')} and by no other check`, async () => {
    const other = inTheChanges[what];
    const { offender, all, since, first, beside, besideOurs } = await check(
      (trx) => plant(trx, books),
      other !== undefined,
    );
    expect(sorted(Object.keys(all))).toEqual(sorted(seenBy));
    expect(all[seenBy[0] ?? '']).toContain(offender);
    expect(sorted(Object.keys(since))).toEqual(sorted(other ?? seenBy));
    // If the payment itself is new, an incremental check sees what a full check does.
    const whole = other ? first : since;
    expect(sorted(Object.keys(whole))).toEqual(sorted(seenBy.filter((id) => !isAnotherView(what, id))));
    expect(whole[seenBy[0] ?? '']).toContain(offender);
    // If other tests have used the database before (expect-clean.ts).
    expect(beside).toEqual(all);
    if (!everybodys.includes(seenBy[0] ?? '')) expect(besideOurs).toEqual({});
  });
});

/** The sum of all reserves shows it, which an incremental check takes as already checked. */
function isAnotherView(what: string, id: string): boolean {
  return what === 'a balance that was changed without a posting' && id === 'P7';
}

it('finds nothing in any scope if nothing is planted', async () => {
  expect(await check(() => Promise.resolve(''))).toEqual({
    ...{ offender: '', all: {}, since: {}, first: {}, beside: {}, besideOurs: {} },
  });
});

it('checks each new payment in one slice, whatever other ids there are', async () => {
  await test.db.transaction(async (trx) => {
    const runId = uuid();
    const ids = Array.from({ length: 5 }, () => uuid());
    const listed = [...ids, `${"'".repeat(18)}${'?'.repeat(18)}`, 'z'.repeat(36)];
    for (const id of listed) await trx('verify_changes').insert({ run_id: runId, id, noted_at: new Date() });
    for (const size of [1, 2, 3, 100]) {
      const slices = await slicesOf(trx, runId, size);
      const sees = (id: string) =>
        slices.filter(({ after, upTo }) => (!after || id > after) && (!upTo || id <= upTo));
      expect(listed.map((id) => sees(id).length)).toEqual(listed.map(() => 1));
    }
    expect(await slicesOf(trx, uuid(), 2)).toEqual([{}]);
    await trx('verify_changes').where({ run_id: runId }).delete();
  });
});

it('plants a corruption for every check', () => {
  const planted = new Set(['L7', ...corruptions.flatMap(({ seenBy }) => seenBy.slice(0, 1))]);
  expect(sorted(planted)).toEqual(sorted(checks.map(({ id }) => id)));
  const known = corruptions.map(({ what }) => what);
  expect(Object.keys(inTheChanges).filter((what) => !known.includes(what))).toEqual([]);
});
