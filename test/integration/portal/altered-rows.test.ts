/** User, operator and membership rows that were changed in the database from outside give no access. */
import { linkOperator } from '../../../src/users/users';
import { inTransaction } from '../../../src/store/transaction';
import { aMerchant, createPerson } from '../../support/users/users-support';
import {
  call,
  createPlatformPerson,
  sessionOf,
  startPortal,
  type TestPortal,
} from '../../support/portal/portal-support';

let portal: TestPortal;
let merchantId: string;
beforeAll(async () => {
  portal = await startPortal();
  merchantId = await aMerchant(portal.db, portal.box);
  await createPlatformPerson(portal, 'operator');
});
afterAll(() => portal.stop());

const statusOf = async (token: string, path: string) =>
  (await call(portal, { method: 'GET', path, token })).status;

it("gives an owner no operator rights if the user's row was changed to name an operator", async () => {
  await createPlatformPerson(portal, 'approver', 'carol');
  const owner = await createPerson(portal.db, 'owner@duka.example', { merchantId, role: 'owner' });
  const token = await sessionOf(portal, owner);
  expect(await statusOf(token, '/ops')).toBe(404);
  await portal.db('users').where({ operator_name: 'carol' }).update({ operator_name: null });
  await portal.db('users').where({ user_id: owner.userId }).update({ operator_name: 'carol' });
  expect(await statusOf(token, '/ops')).toBe(404);
  expect(await statusOf(token, '/ops/approvals')).toBe(404);
  const elsewhere = await aMerchant(portal.db, portal.box, 'Soko');
  expect(await statusOf(token, `/m/${elsewhere}`)).toBe(404);
  expect((await call(portal, { method: 'GET', path: '/', token })).text).not.toContain('Soko');
});

it('does not accept a changed role of an operator', async () => {
  const token = await sessionOf(portal, await createPlatformPerson(portal, 'auditor', 'dan'));
  expect(await statusOf(token, '/ops')).toBe(200);
  await portal.test.db('operators').where({ name: 'dan' }).update({ role: 'operator' });
  expect(await statusOf(token, '/ops')).toBe(404);
});

it('does not accept an operator row added from outside', async () => {
  const person = await createPerson(portal.db, 'erin@malipo.example');
  const token = await sessionOf(portal, person);
  await portal.db('operators').insert({
    ...{ name: 'erin', role: 'operator', token_hash: Buffer.alloc(32, 7) },
    ...{ created_by: 'nobody', created_at: new Date() },
  });
  await inTransaction(portal.db, (trx) => linkOperator(trx, person.userId, 'erin'));
  expect(await statusOf(token, '/ops')).toBe(404);
});

it("accepts a member's genuine row, and rejects a changed one", async () => {
  const member = await createPerson(portal.db, 'viewer@duka.example', { merchantId, role: 'viewer' });
  const token = await sessionOf(portal, member);
  expect(await statusOf(token, `/m/${merchantId}`)).toBe(200);
  await portal.db('memberships').where({ user_id: member.userId }).update({ role: 'owner' });
  expect(await statusOf(token, `/m/${merchantId}`)).toBe(404);
});

it('does not accept a membership added from outside', async () => {
  const person = await createPerson(portal.db, 'nobody@duka.example');
  const token = await sessionOf(portal, person);
  await portal.db('memberships').insert({
    ...{ merchant_id: merchantId, user_id: person.userId, role: 'owner', created_by: 'x' },
    ...{ created_at: new Date(), accepted_at: new Date() },
  });
  expect(await statusOf(token, `/m/${merchantId}`)).toBe(404);
});

it('gives no access with a password that was replaced in the row', async () => {
  const owner = await createPerson(portal.db, 'second@duka.example', { merchantId, role: 'owner' });
  const token = await sessionOf(portal, owner);
  expect(await statusOf(token, `/m/${merchantId}`)).toBe(200);
  await portal
    .db('users')
    .where({ user_id: owner.userId })
    .update({ password_set_at: new Date(0) });
  expect(await statusOf(token, `/m/${merchantId}`)).toBe(404);
});
