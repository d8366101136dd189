import { v7 as uuid } from 'uuid';
import { everything, newsOf, type Check, type Marks, type Scope } from '../../../../src/verify/check';
import { literal, marksAt, momentOf, noMarks, listNews, slicesOf } from '../../../../src/verify/proof';
import { provedSumsCheck, sumsOf, type Sum } from '../../../../src/verify/sums';
import { checks, gather, type VerifyReport } from '../../../../src/verify/verify';
import type { Database, Transaction } from '../../../../src/store/database';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { disarm, withContested, writeBooks, type Books } from '../../../support/verify/books';
import { brokenBeside } from '../../../support/whose-violation';
import { corruptions } from '../../../support/verify/corruptions';

let test: TestDatabase;
let books: Books;
let proved: { marks: Marks; sums: Sum[] };
beforeAll(async () => {
  test = await createTestDatabase();
  books = await withContested(await writeBooks(test.db));
  await disarm(test.db);
  await postpone(test.db);
  proved = await test.db.transaction(markEverything);
});
afterAll(() => test.drop());

/** What is due in these books is due in an hour: a slow machine plants for longer than what is due may wait (V1). */
async function postpone(db: Database): Promise<void> {
  await db.raw(`UPDATE outbox SET next_at = next_at + INTERVAL 1 HOUR WHERE state = 'pending'`);
  await db.raw('UPDATE payments SET next_check_at = next_check_at + INTERVAL 1 HOUR');
}

/** As if these books had been proved long ago: what is planted from now on is the news. */
async function markEverything(trx: Transaction): Promise<{ marks: Marks; sums: Sum[] }> {
  const { now } = await momentOf(trx);
  const beyond = new Date(now.getTime() + 60_000);
  const { last } = await marksAt(trx, noMarks, beyond);
  const [[{ passed }]] = (await trx.raw(
    'SELECT SLEEP(0.005), UTC_TIMESTAMP(3) + INTERVAL 1000 MICROSECOND AS passed, SLEEP(0.005)',
  )) as unknown as [[{ passed: Date }]];
  const marks = { changedSince: literal(passed), last };
  const sums = await sumsOf(trx, undefined, marks);
  await trx('proof_sums').insert(sums as never);
  return { marks, sums };
}

class Undo extends Error {}

/** Plants it, looks at everything, at what is new, and, where that is another thing, as if everything were; and takes it back. */
async function look(
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
    await trx('proof_sums').delete();
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

/** So few at a time that what belongs together is looked at apart. */
const sliceSize = 4;

/** The scope of what is new, and of each slice of it. */
async function news(trx: Transaction, marks: Marks): Promise<[Scope, ...Scope[]]> {
  const runId = uuid();
  await listNews(trx, runId, marks);
  const slices = await slicesOf(trx, runId, sliceSize);
  return [newsOf(runId, marks), ...slices.map((slice) => newsOf(runId, marks, slice))];
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
  // Its triggers are taken away here.
  const asked = wanted.filter(({ id }) => id !== 'L7');
  const findings = gather(asked);
  const { rails } = books.context;
  for (const slice of slices.length > 0 ? slices : [scope])
    await findings.ofEach({ trx, rails, scope: slice });
  await findings.ofAll({ trx, rails, scope });
  return findings.report().checks.filter(({ violations }) => violations.length > 0);
}

/**
 * What a look at the news sees otherwise than a look at everything. Rows of logs and of the ledger can only be added to,
 * and no payment is ever deleted: whoever does it all the same leaves no trace but in what is kept of the ledger.
 */
const inTheNews: Record<string, string[]> = {
  'a balance that was changed without a posting': ['L3'],
  'a deposit that succeeded and is not credited': ['L3', 'L8'],
  'a credit of more than was confirmed': ['L3', 'L8'],
  'a hold that is released without the entry that gives it back': ['L8'],
  'a payout that is said to have come back, and whose float does not have it': ['L3', 'L8'],
  'a payout that came back out of something else than what its provider has of us': ['L8'],
  // A log, an answer or a rate that was changed by hand.
  'a step from a state that the payment was not in': [],
  'a webhook that counts as delivered and never arrived': [],
  'a key that started a payment nobody can find': [],
  'an answer that was not kept': [],
  "a payment started by another merchant's key": [],
  'a converted amount that its rate does not give': [],
  'a rounding that does not explain what was credited': [],
  'a difference that is called rounding and is none': [],
  'a credit of more than what was paid is worth': [],
  'a payout that sends a cent more than its float has given': [],
  'a payment that a person has decided about, whose entry names no action': [],
  'an entry whose action was changed': ['L8'],
  // A row that was taken away by hand.
  'a payout on its way without a hold': [],
  'a disputed deposit of which nothing is held, though its money was there': ['P19'],
  'a deposit whose case was open before anything was held, and that nobody has looked at since': ['P19'],
  'an ending that the merchant is not told': [],
  'a payment credited in another currency without a stored rate': [],
  // A statement that was kept before, and is looked at once it is an hour old.
  'a line of a statement without an outcome': [],
  'a statement of which a line is gone': [],
  'a fee of a provider that counts as booked, and is not': [],
};

/** Checks that also see what is no merchant's: the chains, the rows of people, statements, and what adds up over all. */
const everybodys = [
  ...['L1', 'L2', 'L6', 'L9', 'P13', 'E1', 'N5', 'C1', 'F4'],
  ...['A1', 'A2', 'A3', 'R1', 'R2', 'R3', 'R5'],
];

const sorted = (ids: Iterable<string>) => [...ids].sort();

describe.each(corruptions)('$what', ({ what, seenBy, plant }) => {
  it(`is seen by ${seenBy.join(', ')} and by no other check`, async () => {
    const other = inTheNews[what];
    const { offender, all, since, first, beside, besideOurs } = await look(
      (trx) => plant(trx, books),
      other !== undefined,
    );
    expect(sorted(Object.keys(all))).toEqual(sorted(seenBy));
    expect(all[seenBy[0] ?? '']).toContain(offender);
    expect(sorted(Object.keys(since))).toEqual(sorted(other ?? seenBy));
    // Where the payment itself has news, a look at them sees what a look at everything does.
    const whole = other ? first : since;
    expect(sorted(Object.keys(whole))).toEqual(sorted(seenBy.filter((id) => !isAnotherView(what, id))));
    expect(whole[seenBy[0] ?? '']).toContain(offender);
    // Where others have had the database before (expect-clean.ts).
    expect(beside).toEqual(all);
    if (!everybodys.includes(seenBy[0] ?? '')) expect(besideOurs).toEqual({});
  });
});

/** The sum of all holds tells of it, which a look at the news takes as proved. */
function isAnotherView(what: string, id: string): boolean {
  return what === 'a balance that was changed without a posting' && id === 'P7';
}

it('finds nothing in any scope where nothing is planted', async () => {
  expect(await look(() => Promise.resolve(''))).toEqual({
    ...{ offender: '', all: {}, since: {}, first: {}, beside: {}, besideOurs: {} },
  });
});

it('looks at each payment with news in one slice, whatever ids there are beside', async () => {
  await test.db.transaction(async (trx) => {
    const runId = uuid();
    const ids = Array.from({ length: 5 }, () => uuid());
    const listed = [...ids, `${"'".repeat(18)}${'?'.repeat(18)}`, 'z'.repeat(36)];
    for (const id of listed) await trx('proof_news').insert({ run_id: runId, id, noted_at: new Date() });
    for (const size of [1, 2, 3, 100]) {
      const slices = await slicesOf(trx, runId, size);
      const sees = (id: string) =>
        slices.filter(({ after, upTo }) => (!after || id > after) && (!upTo || id <= upTo));
      expect(listed.map((id) => sees(id).length)).toEqual(listed.map(() => 1));
    }
    expect(await slicesOf(trx, uuid(), 2)).toEqual([{}]);
    await trx('proof_news').where({ run_id: runId }).delete();
  });
});

it('plants a corruption for every check', () => {
  const planted = new Set(['L7', ...corruptions.flatMap(({ seenBy }) => seenBy.slice(0, 1))]);
  expect(sorted(planted)).toEqual(sorted(checks.map(({ id }) => id)));
  const known = corruptions.map(({ what }) => what);
  expect(Object.keys(inTheNews).filter((what) => !known.includes(what))).toEqual([]);
});
