/**
 * A corruption for each group of checks, the letter of their ids, seen by `malipo verify`. All of them, in each scope, are
 * planted by test/tools/lab/verify/checks.test.ts.
 */
import { checks, gather } from '../../../src/ops/verify/verify';
import { everything } from '../../../src/ops/verify/scope';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { disarm, withContested, writeBooks, type Books } from '../../support/verify/books';
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
    throw new Undo();
  });
  await expect(planted).rejects.toThrow(Undo);
});
