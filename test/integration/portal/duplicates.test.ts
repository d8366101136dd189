/** Possible duplicate payments: all members see them, and users who move money decide once. */
import type { PaymentsContext } from '../../../src/rail-kit/context';
import type { MerchantRole } from '../../../src/users/roles';
import { call, sessionOf, startPortal, type TestPortal } from '../../support/portal/portal-support';
import { aMerchant, createPerson } from '../../support/users/users-support';
import { createDuplicate, testContext } from '../../support/verify/books-support';

let portal: TestPortal;
let engine: PaymentsContext;
let base: string;
let merchantId: string;
beforeAll(async () => {
  portal = await startPortal();
  engine = testContext(portal.test.db);
  merchantId = await aMerchant(portal.db, portal.box);
  base = `/m/${merchantId}/duplicates`;
});
afterAll(() => portal.stop());

const as = async (role: MerchantRole) =>
  sessionOf(
    portal,
    await createPerson(portal.db, `${role}-${Math.random().toString(36).slice(2)}@duka.example`, {
      merchantId,
      role,
    }),
  );
const post = async (token: string, paymentId: string, reason: string) =>
  call(portal, { method: 'POST', path: `${base}/${paymentId}/dismiss`, token, form: { reason } });

it('shows both payments, and lets an authorized user confirm them once', async () => {
  const [first, second] = await createDuplicate(engine, merchantId, 'ORDER-77');
  const viewers = await call(portal, { method: 'GET', path: base, token: await as('viewer') });
  expect([first, second].map((id) => viewers.text.includes(id))).toEqual([true, true]);
  expect(viewers.text).not.toMatch(/254708374149|Both are correct<\/button>/);
  const finance = await as('finance');
  expect((await post(finance, second, ' ')).status).toBe(422);
  // The first payment has no case of its own.
  expect((await post(finance, first, 'asked her')).status).toBe(422);
  expect((await post(finance, second, 'asked <b>her')).to).toBe(`${base}?done=dismissed`);
  const payment = await portal.db('payments').where({ payment_id: second }).first();
  expect(payment?.details).not.toHaveProperty('possible_duplicate_of');
  expect(await portal.db('cases').where({ payment_id: second }).first()).toMatchObject({
    resolution: 'no duplicate: asked <b>her',
  });
  const again = await post(finance, second, 'again');
  expect([again.status, again.text.includes('This was already decided.')]).toEqual([422, true]);
  expect(again.text).toContain('No duplicate payments');
  const lines = await portal.db('audit_log').where({ action: 'duplicate.dismiss' });
  expect(lines).toMatchObject([{ subject_id: merchantId, details: expect.stringContaining(second) }]);
});

it("shows another merchant's duplicate as not found", async () => {
  const other = await aMerchant(portal.db, portal.box, 'Elsewhere');
  const [, theirs] = await createDuplicate(engine, other, 'ORDER-78');
  const finance = await as('finance');
  expect((await call(portal, { method: 'GET', path: base, token: finance })).text).not.toContain(theirs);
  for (const id of [theirs, 'x', 'é'].map(encodeURIComponent))
    expect((await post(finance, id, 'mine')).status).toBe(404);
});
