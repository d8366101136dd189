/**
 * One corruption for each group of checks (the letter of their ids) is found by `malipo verify`. The test
 * test/tools/lab/verify/checks.test.ts plants all of them, in each scope.
 */
import { v7 as uuid } from 'uuid';
import { checks, gather } from '../../../src/verify/verify';
import { everything } from '../../../src/verify/check';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { disarm, withDisputed, writeBooks, type Books } from '../../support/verify/books';
import { brokenBeside } from '../../support/violation-owner';
import { corruptions } from '../../support/verify/corruptions';

let test: TestDatabase;
let books: Books;
beforeAll(async () => {
  test = await createTestDatabase();
  books = await withDisputed(await writeBooks(test.db));
  await disarm(test.db);
});
afterAll(() => test.drop());

const groupOf = (id = '') => id.slice(0, 1);
const groups = [...new Set(checks.map(({ id }) => groupOf(id)))];
/** The triggers are removed here, so L7 would always fail. */
const asked = checks.filter(({ id }) => id !== 'L7');

/** Groups whose violations each name a payment, voucher or webhook. */
const ofPayments = ['P', 'O', 'D', 'N', 'T'];

class Undo extends Error {}

it.each(groups)('a corruption of group %s is found', async (group) => {
  const corruption = corruptions.find(({ seenBy }) => groupOf(seenBy[0]) === group);
  if (!corruption) throw new Error(`nothing is planted for ${group}`);
  const planted = test.db.transaction(async (trx) => {
    const offender = await corruption.plant(trx, books);
    const results = gather(asked);
    const checked = { trx, rails: books.context.rails, scope: everything };
    await results.ofEach(checked);
    await results.ofAll(checked);
    const seen = results.report().checks.find(({ id }) => id === corruption.seenBy[0]);
    expect(seen?.violations.map(({ id }) => id)).toContain(offender);
    const broken = results.report().checks.filter(({ violations }) => violations.length > 0);
    const ours = [books.merchantId, books.otherMerchantId];
    expect(await brokenBeside([uuid()], trx, broken)).toEqual(broken);
    if (ofPayments.includes(group)) expect(await brokenBeside(ours, trx, broken)).toEqual([]);
    throw new Undo();
  });
  await expect(planted).rejects.toThrow(Undo);
});

it('a violation counts as new unless all merchants that it names existed before', async () => {
  const { merchantId, otherMerchantId } = books;
  const violations = [{ id: books.succeeded, detail: `credits merchant ${otherMerchantId}` }];
  const reported = [{ id: 'T1', promise: '', took_ms: 0, violations }];
  for (const former of [[], [merchantId], [otherMerchantId]])
    expect(await brokenBeside(former, test.db, reported)).toEqual(reported);
  expect(await brokenBeside([merchantId, otherMerchantId], test.db, reported)).toEqual([]);
});
