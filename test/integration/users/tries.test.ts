/** Rate limits of sign-in attempts by address. */
import { canTryPassword } from '../../../src/users/passwords';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { box } from '../../support/verify/books-support';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

it('counts an IPv6 /64 as one address', async () => {
  let n = 0;
  const may = async (address: string) => {
    n += 1;
    const given = { address, browser: undefined, email: `person-${String(n)}@duka.example` };
    return (await canTryPassword(test.db, box, given)).allowed;
  };
  const answers: boolean[] = [];
  // Sixty at once, then more with time. Another address of the same /64 has no allowance of its own.
  for (let at = 1; at < 200 && answers.at(-1) !== false; at += 1)
    answers.push(await may(`2001:db8:0:1::${at.toString(16)}`));
  expect([answers.length >= 60, answers.at(-1)]).toEqual([true, false]);
  expect(await may('2001:db8:0:2::1')).toBe(true);
});
