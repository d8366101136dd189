/** How often anybody may try to be somebody, by where the tries come from. */
import { mayTryPassword } from '../../../src/users/passwords';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { box } from '../../support/verify/books-support';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

it('counts whoever has one address of IPv6 as having all of its /64', async () => {
  let n = 0;
  const may = async (address: string) => {
    n += 1;
    const given = { address, browser: undefined, email: `person-${String(n)}@duka.example` };
    return (await mayTryPassword(test.db, box, given)).allowed;
  };
  const answers: boolean[] = [];
  // Sixty at once, and more by and by: another address of the same network is no other network.
  for (let at = 1; at < 200 && answers.at(-1) !== false; at += 1)
    answers.push(await may(`2001:db8:0:1::${at.toString(16)}`));
  expect([answers.length >= 60, answers.at(-1)]).toEqual([true, false]);
  expect(await may('2001:db8:0:2::1')).toBe(true);
});
