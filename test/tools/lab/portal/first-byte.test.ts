/** What each page reads from a database with long lists: the same few rows, however long they are. */
import { portalRoutes, type PortalRoute } from '../../../../src/portal/routes';
import { summedAtOnce } from '../../../../src/portal/merchant-figures';
import type { Person } from '../../../../src/users/users';
import { aMerchant, createPerson } from '../../../support/users/users-support';
import { rowsRead } from '../../../support/store/rows-read';
import { insertPayment } from '../../../support/verify/books-support';
import { fillPortal, many } from './many-rows';
import {
  call,
  createPlatformPerson,
  sessionOf,
  startPortal,
  type TestPortal,
} from '../../../support/portal/portal-support';

/** A filtered list reads three times two thousand payments at most; all others read far less. */
const rowsMax = 7_000;

let portal: TestPortal;
let merchantId: string;
let owner: Person;
let operator: Person;
/** An id of each kind that an address may name. */
const ids: Record<string, string> = { rail: 'momo', token: 'x' };
beforeAll(async () => {
  portal = await startPortal();
  merchantId = await aMerchant(portal.db, portal.box);
  owner = await createPerson(portal.db, 'owner@duka.example', { merchantId, role: 'owner' });
  operator = await createPlatformPerson(portal, 'operator');
  await fillPortal(portal, { merchantId, userId: owner.userId });
  const { db } = portal.test;
  // The day's last hour by the merchant's clock, when the day is longest. The signs of these zone names are reversed.
  const ahead = 23 - new Date().getUTCHours();
  const zone = ahead > 12 ? `Etc/GMT+${String(24 - ahead)}` : `Etc/GMT-${String(ahead)}`;
  await db('merchants').where('merchant_id', merchantId).update({ time_zone: zone });
  // Other merchants have some too, and the server chooses which comes first.
  const own = { merchant_id: merchantId };
  ids['payment'] =
    (
      await db('payments')
        .where({ ...own, is_final: 0 })
        .first('payment_id')
    )?.payment_id ?? '';
  ids['webhook'] = (await db('outbox').where(own).first('webhook_id'))?.webhook_id ?? '';
  ids['case'] = (await db('cases').first('case_id'))?.case_id ?? '';
  ids['batch'] = (await db('payout_batches').where(own).first('batch_id'))?.batch_id ?? '';
  ids['unmatched'] = (await db('unmatched_receipts').first('receipt_id'))?.receipt_id ?? '';
  ids['merchant'] = ids['shop'] = merchantId;
});
afterAll(() => portal.stop());

/** The rows that a page's statements read, each run once more by itself. */
async function readBy(path: string, token: string): Promise<{ rows: number; worst: string }> {
  const asked: { sql: string; bindings: unknown[] }[] = [];
  const note = ({ sql, bindings = [] }: { sql: string; bindings?: unknown[] }) => {
    if (/^\s*select/i.test(sql)) asked.push({ sql, bindings });
  };
  portal.db.on('query', note);
  const { status, text } = await call(portal, { method: 'GET', path, token });
  portal.db.removeListener('query', note);
  expect([path, status < 500, text.includes('Page not found')]).toEqual([path, true, false]);
  expect([path, asked.length > 0]).toEqual([path, true]);
  let [rows, most, worst] = [0, 0, ''];
  for (const { sql, bindings } of asked) {
    const read = await rowsRead(portal.test.db, (trx) => trx.raw(sql, bindings as string[]));
    rows += read;
    if (read > most) [most, worst] = [read, `${String(read)} by ${sql}`];
  }
  return { rows, worst };
}

/** Requests to a list beyond its first page. */
const wishes = [
  '/m/:merchant?days=30',
  '/m/:merchant/payments?state=waiting',
  '/m/:merchant/payments?state=waiting&phone=99',
  '/m/:merchant/payments?state=returned_money&rail=momo',
  '/m/:merchant/payments?q=INV',
  '/m/:merchant/payments?from=2020-01-01&until=2020-01-02&kind=payout',
  '/m/:merchant/webhooks?state=unaddressed',
  '/ops/webhooks?trouble=late',
  '/ops/cases?by=money',
  '/ops/payments?q=nothing',
  '/ops/payments?newest=1',
  '/ops/audit?by=nobody',
  '/ops/audit?by=owner@duka.example',
  '/ops/audit?action=payouts.pause',
  '/ops/audit?by=owner@duka.example&action=payouts.pause',
];
/** A file contains all requested rows. */
const pages = portalRoutes
  .filter(({ method, path }: PortalRoute) => method === 'GET' && !path.endsWith('/file'))
  .map(({ path }) => path);

it.each([...pages, ...wishes])('of %s', async (page) => {
  const token = await sessionOf(portal, page.startsWith('/ops') || page === '/' ? operator : owner);
  const path = page.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? '');
  const { rows, worst } = await readBy(path, token);
  expect(rows < rowsMax ? '' : `${String(rows)} rows: ${worst}`).toBe('');
});

it('of a filter with late matches: it says how far it searched, and continues from there', async () => {
  const { db } = portal.test;
  await db('payments')
    .where({ merchant_id: merchantId })
    .orderBy('created_at')
    .limit(1)
    .update({ kind: 'payout' });
  const token = await sessionOf(portal, owner);
  let path = `/m/${merchantId}/payments?kind=payout`;
  let [goes, text] = [0, ''];
  for (; path !== '' && goes < 10; goes += 1) {
    ({ text } = await call(portal, { method: 'GET', path, token }));
    if (text.includes('<tbody>')) break;
    expect(text).toContain('Searched back to <time');
    path = /href="([^"]*)" rel="next">Search further back</.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  }
  expect([text.includes('<tbody>'), goes]).toEqual([true, 2]);
});

it('of payments on hold, however old they are', async () => {
  const path = `/m/${merchantId}/payments?state=waiting`;
  const { text } = await call(portal, { method: 'GET', path, token: await sessionOf(portal, owner) });
  expect([text.match(/class="state open"/g)?.length, text.includes('Searched back')]).toEqual([25, false]);
});

/** Every list with more rows links to another page of it, and none of its lines appears twice. */
it.each([
  ['/m/:merchant/payouts', /payouts\/([\da-f-]{36})"/g],
  ['/ops/approvals', /<dd>(\d+)<\/dd>/g],
  ['/ops/cases?by=age', /\/ops\/cases\/(\d+)"/g],
  ['/ops/cases?by=money', /\/ops\/cases\/(\d+)"/g],
  ['/ops/pauses', /tried ([\da-f-]{36})/g],
  ['/ops/reconciliation', /\/ops\/unmatched\/(\d+)"/g],
  ['/ops/webhooks?trouble=dead', /webhooks\/([\da-f-]{36})"/g],
  ['/ops/webhooks?trouble=late', /webhooks\/([\da-f-]{36})"/g],
  ['/ops/merchants', /\/ops\/merchants\/([\da-f-]{36})"/g],
  ['/ops/payments?newest=1', /payments\/([\da-f-]{36})"/g],
  ['/ops/payments', /payments\/([\da-f-]{36})"/g],
])('continues from page to page: %s', async (page, line) => {
  const token = await sessionOf(portal, page.startsWith('/ops') ? operator : owner);
  const seen: string[] = [];
  let path = page.replace(':merchant', merchantId);
  for (let n = 0; n < 3; n += 1) {
    const { status, text } = await call(portal, { method: 'GET', path, token });
    expect([path, status]).toEqual([path, 200]);
    seen.push(...new Set([...text.matchAll(line)].map(([, one = '']) => one)));
    path = /href="([^"]*)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(path).toContain('after=');
  }
  expect([seen.length > 0, new Set(seen).size]).toEqual([true, seen.length]);
});

it('of the overview, whose large sums load later', async () => {
  expect(many).toBeGreaterThan(2 * summedAtOnce);
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
  ['x', 0],
])('of a list by the amount %j', async (amount, listed) => {
  const token = await sessionOf(portal, owner);
  const path = `/m/${merchantId}/payments?amount=${encodeURIComponent(amount)}`;
  const { text } = await call(portal, { method: 'GET', path, token });
  expect([text.includes('<tbody>'), text.includes('No payment matches')]).toEqual([
    listed === 1,
    listed === 0,
  ]);
});

it('finds a merchant’s own payment, however many others use its reference', async () => {
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
