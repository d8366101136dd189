/** What each page reads of a database with many payments: the same few rows, however many there are. */
import { summedAtOnce } from '../../src/portal/merchant-figures';
import { portalRoutes } from '../../src/portal/routes';
import type { Person } from '../../src/people/users';
import { aMerchant, createPerson } from '../people/people-support';
import { rowsRead } from '../store/rows-read';
import { insertPayment } from '../verify/books-support';
import { call, createPlatformPerson, sessionOf, startPortal, type TestPortal } from './portal-support';

jest.setTimeout(180_000);

/** Far more than any page shows. */
const payments = 16_384;
/** A filtered list looks at two thousand of its payments at most; all else reads far less. */
const rowsMax = 6_000;

let portal: TestPortal;
let merchantId: string;
let owner: Person;
let operator: Person;
beforeAll(async () => {
  portal = await startPortal();
  merchantId = await aMerchant(portal.db, portal.box);
  owner = await createPerson(portal.db, 'owner@duka.example', { merchantId, role: 'owner' });
  operator = await createPlatformPerson(portal, 'operator');
  await fill();
});
afterAll(() => portal.stop());

/** One payment, doubled until there are so many; each with its webhook. */
async function fill(): Promise<void> {
  const { db } = portal.test;
  await insertPayment(db, {
    merchantId,
    rail: 'stk',
    with: { phone_number: '254708374149', account_reference: 'INV' },
  });
  const columns = Object.keys((await db('payments').first()) ?? {});
  const copied = columns.map((column) => {
    if (column === 'payment_id') return 'UUID()';
    if (column === 'workflow_id') return "CONCAT('copy/', UUID())";
    if (column === 'created_at') return 'created_at - INTERVAL ROUND(RAND() * 600000) SECOND';
    if (['key_hash', 'guard_hash'].includes(column))
      return `IF(${column} IS NULL, NULL, UNHEX(SHA2(UUID(), 256)))`;
    if (['callback_token', 'provider_reference', 'provider_receipt'].includes(column)) return 'NULL';
    return column;
  });
  for (let n = 1; n < payments; n *= 2)
    await db.raw(`INSERT INTO payments (${columns.join(', ')}) SELECT ${copied.join(', ')} FROM payments`);
  await db.raw(`UPDATE payments SET is_final = 1, state = 'succeeded', next_look_at = NULL`);
  await db.raw(
    `INSERT INTO outbox (webhook_id, payment_id, merchant_id, to_state, callback_type, endpoint, body, state, next_at, created_at)
     SELECT UUID(), payment_id, merchant_id, 'succeeded', 'STK-Push', 'webhook_url', '{}', 'delivered', created_at, created_at FROM payments`,
  );
  await db.raw('ANALYZE TABLE payments, outbox');
}

/** Rows that the statements of a page read, each asked once more by itself. */
async function readBy(path: string, token: string): Promise<number> {
  const asked: { sql: string; bindings: unknown[] }[] = [];
  const note = ({ sql, bindings = [] }: { sql: string; bindings?: unknown[] }) => {
    if (/^\s*select/i.test(sql)) asked.push({ sql, bindings });
  };
  portal.db.on('query', note);
  const { status } = await call(portal, { method: 'GET', path, token });
  portal.db.removeListener('query', note);
  expect([path, status, asked.length > 1]).toEqual([path, 200, true]);
  let rows = 0;
  for (const { sql, bindings } of asked)
    rows += await rowsRead(portal.test.db, (trx) => trx.raw(sql, bindings as string[]));
  return rows;
}

const lists = [
  ['/m/:merchant', '/m/:merchant?days=30'],
  ['/m/:merchant/payments', '/m/:merchant/payments?state=waiting&phone=99', '/m/:merchant/payments?q=INV'],
  ['/m/:merchant/payments?from=2020-01-01&until=2020-01-02&kind=payout', '/m/:merchant/webhooks'],
  [
    '/m/:merchant/webhooks?state=dead',
    '/m/:merchant/payouts',
    '/m/:merchant/duplicates',
    '/m/:merchant/team',
  ],
  ['/m/:merchant/settings', '/m/:merchant/developers', '/m/:merchant/endpoints', '/m/:merchant/statements'],
].flat();
const platform = portalRoutes
  .filter(({ method, path }) => method === 'GET' && path.startsWith('/ops') && !path.includes(':'))
  .map(({ path }) => path);

it.each([...lists, ...platform, '/ops/webhooks?trouble=late', '/ops/audit?by=nobody'])(
  'of %s',
  async (page) => {
    const isPlatform = page.startsWith('/ops');
    const token = await sessionOf(portal, isPlatform ? operator : owner);
    expect(await readBy(page.replace(':merchant', merchantId), token)).toBeLessThan(rowsMax);
  },
);

it('of a payment', async () => {
  const { payment_id: id = '' } = (await portal.db('payments').first('payment_id')) ?? {};
  const path = `/m/${merchantId}/payments/${id}`;
  expect(await readBy(path, await sessionOf(portal, owner))).toBeLessThan(200);
});

it('of the overview, whose sums of many follow when it is there', async () => {
  expect(payments).toBeGreaterThan(2 * summedAtOnce);
  const token = await sessionOf(portal, owner);
  const at = `/m/${merchantId}?days=30`;
  const link = `${at}&amp;sums=1`;
  const page = await call(portal, { method: 'GET', path: at, token });
  expect([page.text.includes(`hx-get="${link}"`), page.text.includes(`<a href="${link}">`)]).toEqual([
    true,
    true,
  ]);
  const summed = await call(portal, { method: 'GET', path: `${at}&sums=1`, token });
  expect([summed.text.includes('hx-get'), summed.text.includes('100%')]).toEqual([false, true]);
});

it.each([
  ['100', 1],
  ['KES 100.00', 1],
  ['1,234.5', 0],
  ['x', 1],
])('of a list by the amount %j', async (amount, listed) => {
  const token = await sessionOf(portal, owner);
  const path = `/m/${merchantId}/payments?amount=${encodeURIComponent(amount)}`;
  const { text } = await call(portal, { method: 'GET', path, token });
  expect([text.includes('<tbody>'), text.includes('No payment matches')]).toEqual([
    listed === 1,
    listed === 0,
  ]);
});

it('finds a merchant’s own payment, whatever many others call theirs', async () => {
  const other = await aMerchant(portal.db, portal.box, 'Small');
  const with_ = { order_id: 'INV', account_reference: 'INV' };
  const { payment_id: id } = await insertPayment(portal.db, { merchantId: other, rail: 'stk', with: with_ });
  await portal.test
    .db('payments')
    .where({ payment_id: id })
    .update({ created_at: new Date(Date.now() - 30 * 86_400_000) });
  const person = await createPerson(portal.db, 'small@duka.example', { merchantId: other, role: 'viewer' });
  const token = await sessionOf(portal, person);
  const found = await call(portal, { method: 'GET', path: `/m/${other}/payments?q=INV`, token });
  expect(found.to).toBe(`/m/${other}/payments/${id}`);
});
