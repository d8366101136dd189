/** The CSV file of payments: all matches of the filter, without formulas and full phone numbers. */
import { parse } from 'csv-parse/sync';
import { aMerchant, createPerson } from '../../support/users/users-support';
import { deposit, insertPayment, testContext } from '../../support/verify/books-support';
import { call, sessionOf, startPortal, type TestPortal } from '../../support/portal/portal-support';

let portal: TestPortal;
beforeAll(async () => {
  portal = await startPortal();
});
afterAll(() => portal.stop());

it('has all payments that match the filter, and none of other merchants', async () => {
  const merchantId = await aMerchant(portal.db, portal.box);
  const elsewhere = await aMerchant(portal.db, portal.box, 'Elsewhere');
  const changes = { phone_number: '254708374149', account_reference: '=HYPERLINK("https://evil.example")' };
  const paid = await deposit(
    testContext(portal.test.db),
    { merchantId, with: changes },
    ...(['initiating', 'pending', 'succeeded'] as const),
  );
  const waiting = await insertPayment(portal.test.db, {
    merchantId,
    rail: 'stk',
    with: { order_id: 'a,"b"' },
  });
  await insertPayment(portal.test.db, { merchantId: elsewhere });
  const viewer = await createPerson(portal.db, 'viewer@duka.example', { merchantId, role: 'viewer' });
  const token = await sessionOf(portal, viewer);
  const file = async (query = '') => {
    const path = `/m/${merchantId}/payments/file?${query}`;
    const answer = await call(portal, { method: 'GET', path, token });
    return { ...answer, rows: parse<Record<string, string>>(answer.text, { columns: true }) };
  };
  const all = await file();
  expect(all.headers.get('content-disposition')).toMatch(
    /^attachment; filename="payments-\d{4}-\d\d-\d\d\.csv"$/,
  );
  expect(all.text).not.toMatch(/254708374149|(?:^|,|")[=+@]/m);
  expect(all.rows.map(({ payment_id: id }) => id)).toEqual([waiting.payment_id, paid]);
  expect(all.rows).toMatchObject([
    { state: 'received', order_id: 'a,"b"', rail: 'stk', confirmed: '' },
    { state: 'succeeded', amount: '100.00', confirmed: '100.00', currency: 'KES', customer: '••• 149' },
  ]);
  expect((await file('state=succeeded')).rows.map(({ payment_id: id }) => id)).toEqual([paid]);
  const page = await call(portal, {
    method: 'GET',
    path: `/m/${merchantId}/payments?state=succeeded`,
    token,
  });
  expect(page.text).toContain(`href="/m/${merchantId}/payments/file?state=succeeded"`);

  const first = await portal.test.db('payments').where({ payment_id: waiting.payment_id }).first();
  await portal.test.db('payments').insert(
    Array.from({ length: 600 }, (_, n) => ({
      ...first,
      payment_id: `01890a5d-ac96-774b-bcce-${String(n).padStart(12, '0')}`,
      workflow_id: `test-payment/${String(n)}`,
      provider_reference: `many-${String(n)}`,
      details: '{}' as never,
    })),
  );
  expect(new Set((await file()).rows.map(({ payment_id: id }) => id)).size).toBe(602);
});

it('has outgoing amounts as negative numbers, and no other cell that begins with a minus', async () => {
  const merchantId = await aMerchant(portal.db, portal.box);
  const paidOut = { state: 'succeeded', confirmed_minor: '10000', order_id: '-1' } as const;
  await insertPayment(portal.test.db, { merchantId, kind: 'payout', with: paidOut });
  const owner = await createPerson(portal.db, 'sums@duka.example', { merchantId, role: 'owner' });
  const token = await sessionOf(portal, owner);
  const { text } = await call(portal, { method: 'GET', path: `/m/${merchantId}/payments/file?`, token });
  const rows = parse<Record<string, string>>(text, { columns: true });
  expect(rows).toMatchObject([{ net: '-100.00', net_currency: 'KES', order_id: "'-1" }]);
});

it('shows a payout on hold as on hold, as the list does', async () => {
  const merchantId = await aMerchant(portal.db, portal.box);
  const held = { details: { on_hold: 'FIRST_PAYMENT_COOLDOWN', held_until: '' } };
  await insertPayment(portal.test.db, { merchantId, kind: 'payout', with: held });
  const owner = await createPerson(portal.db, 'holds@duka.example', { merchantId, role: 'owner' });
  const token = await sessionOf(portal, owner);
  const { text } = await call(portal, { method: 'GET', path: `/m/${merchantId}/payments/file?`, token });
  expect(parse<Record<string, string>>(text, { columns: true })).toMatchObject([{ state: 'on_hold' }]);
});

it.each([
  ['100', true, false],
  ['KES 100.00', true, false],
  ['1,250', false, false],
  ['1.250', false, true],
  ['12,50', false, true],
  ['a lot', false, true],
])('an amount typed as %p finds its payments, or is reported as invalid', async (typed, finds, isUnread) => {
  const merchantId = await aMerchant(portal.db, portal.box);
  await insertPayment(portal.test.db, { merchantId });
  const owner = await createPerson(portal.db, `${Math.random()}@duka.example`, {
    merchantId,
    role: 'owner',
  });
  const token = await sessionOf(portal, owner);
  const path = `/m/${merchantId}/payments?amount=${encodeURIComponent(typed)}`;
  const { text } = await call(portal, { method: 'GET', path, token });
  expect([text.includes('KES 100.00</td>'), text.includes('This amount is not valid')]).toEqual([
    finds,
    isUnread,
  ]);
  expect(text).toContain(`value="${typed}"`);
});
