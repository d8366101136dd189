/**
 * A corruption for each group of checks, the letter of their ids, seen by `malipo verify`. All of them, in each scope, are
 * planted by test/tools/lab/verify/checks.test.ts.
 */
import { v7 as uuid } from 'uuid';
import { checks, gather } from '../../../src/verify/verify';
import { everything } from '../../../src/verify/check';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { disarm, withContested, writeBooks, type Books } from '../../support/verify/books';
import { brokenBeside } from '../../support/whose-violation';
import { corruptions } from '../../support/verify/corruptions';

let test: TestDatabase;
let books: Books;
beforeAll(async () => {
  test = await createTestDatabase();
  books = await withContested(await writeBooks(test.db));
  await disarm(test.db);
});
afterAll(() => test.drop());

const groupOf = (id = '') => id.slice(0, 1);
const groups = [...new Set(checks.map(({ id }) => groupOf(id)))];
/** Its triggers are taken away here. */
const asked = checks.filter(({ id }) => id !== 'L7');

/** Of which each finding is about somebody's payment, voucher or webhook. */
const ofPayments = ['P', 'O', 'D', 'N', 'T'];

class Undo extends Error {}

it.each(groups)('a corruption of group %s is named', async (group) => {
  const corruption = corruptions.find(({ seenBy }) => groupOf(seenBy[0]) === group);
  if (!corruption) throw new Error(`nothing is planted for ${group}`);
  const planted = test.db.transaction(async (trx) => {
    const offender = await corruption.plant(trx, books);
    const findings = gather(asked);
    const looked = { trx, rails: books.context.rails, scope: everything };
    await findings.ofEach(looked);
    await findings.ofAll(looked);
    const seen = findings.report().checks.find(({ id }) => id === corruption.seenBy[0]);
    expect(seen?.violations.map(({ id }) => id)).toContain(offender);
    const broken = findings.report().checks.filter(({ violations }) => violations.length > 0);
    const ours = [books.merchantId, books.otherMerchantId];
    expect(await brokenBeside([uuid()], trx, broken)).toEqual(broken);
    if (ofPayments.includes(group)) expect(await brokenBeside(ours, trx, broken)).toEqual([]);
    throw new Undo();
  });
  await expect(planted).rejects.toThrow(Undo);
});

it('is about whoever it names, unless they all had the database before', async () => {
  const { merchantId, otherMerchantId } = books;
  const violations = [{ id: books.succeeded, detail: `credits merchant ${otherMerchantId}` }];
  const told = [{ id: 'T1', promise: '', took_ms: 0, violations }];
  for (const former of [[], [merchantId], [otherMerchantId]])
    expect(await brokenBeside(former, test.db, told)).toEqual(told);
  expect(await brokenBeside([merchantId, otherMerchantId], test.db, told)).toEqual([]);
});
