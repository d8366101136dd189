import { inTransaction } from '../../../src/store/transaction';
import { makeBatch } from '../../../src/portal/payouts/batches';
/**
 * Downloads and other outgoing data are recorded with the user. Invalid forms are rejected, and files open correctly.
 */
import { parse } from 'csv-parse/sync';
import { aMerchant, createPerson } from '../../support/users/users-support';
import { deposit, testContext } from '../../support/verify/books-support';
import { call, sessionOf, startPortal, type TestPortal } from '../../support/portal/portal-support';
import { asOurs } from '../../support/own-rows';

let portal: TestPortal;
let merchantId: string;
let token: string;
let base: string;
beforeAll(async () => {
  portal = await startPortal();
  merchantId = await aMerchant(portal.db, portal.box);
  base = `/m/${merchantId}`;
  const owner = await createPerson(portal.db, 'owner@duka.example', { merchantId, role: 'owner' });
  token = await sessionOf(portal, owner);
  const changes = { phone_number: '254708374149', account_reference: 'Bei ya “chai”' };
  const states = ['initiating', 'pending', 'succeeded'] as const;
  await deposit(testContext(portal.test.db), { merchantId, with: changes }, ...states);
});
afterAll(() => portal.stop());

const lastLine = () => portal.db('audit_log').orderBy('seq', 'desc').first('action', 'details');
const detailsOf = async () => {
  const line = await lastLine();
  return [line?.action, JSON.parse(line?.details ?? '{}')] as const;
};

async function bytesOf(path: string): Promise<Buffer> {
  const headers = { cookie: `malipo-session=${token}` };
  const response = await fetch(`${portal.url}${path}`, { headers });
  expect([path, response.status]).toEqual([path, 200]);
  return Buffer.from(await response.arrayBuffer());
}

it.each([
  ['payments/file?state=succeeded&phone=149', 'payments.export', {}],
  ['statements/file?currency=KES', 'statement.export', {}],
])('a file of %s opens correctly in a spreadsheet, and is recorded', async (file, action, details) => {
  const bytes = await bytesOf(`${base}/${file}`);
  // Without a byte order mark, a spreadsheet does not recognise UTF-8.
  expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
  const rows = parse<Record<string, string>>(bytes, { columns: true, bom: true });
  const [first] = rows;
  expect(first?.['time_zone']).toBe('Africa/Nairobi');
  expect(first?.['created_at'] ?? first?.['time']).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  expect(await detailsOf()).toEqual([action, details]);
});

it('a test event and a change of the language are recorded', async () => {
  await portal.test
    .db('merchants')
    .where({ merchant_id: merchantId })
    .update({ webhook_url: 'https://duka.example.invalid/hook?key=secret' });
  await call(portal, {
    method: 'POST',
    path: `${base}/developers/test`,
    token,
    form: { endpoint: 'webhook_url' },
  });
  expect(await detailsOf()).toEqual(['webhook.test', { endpoint: 'webhook_url' }]);
  const speak = (language: string) =>
    call(portal, { method: 'POST', path: '/language', token, form: { language, next: base } });
  await speak('sw');
  expect(await detailsOf()).toEqual(['user.language', { language: 'sw' }]);
  const lines = await portal.db('audit_log').where({ action: 'user.language' });
  await speak('sw');
  expect(await portal.db('audit_log').where({ action: 'user.language' })).toHaveLength(lines.length);
  await speak('en');
});

it('a form that is too long is rejected, and nothing is done', async () => {
  const form = { name: 'x'.repeat(30_000) };
  const { status, text } = await call(portal, { method: 'POST', path: `${base}/settings`, token, form });
  expect([status, text.includes('The form is too large')]).toEqual([413, true]);
});

it('a rail that is no longer active is reported', async () => {
  const userId = (await portal.db('users').first('user_id'))?.user_id ?? '';
  const made = { merchantId, rail: 'gone', name: 'List', rows: [], userId };
  const batchId = await inTransaction(portal.db, (trx) => makeBatch(trx, made));
  await portal.test.db('payout_batches').update({ state: 'waiting', asked_at: new Date() });
  await asOurs(portal.db, 'payout_batches', batchId);
  const path = `${base}/payouts/${batchId}`;
  const approved = await call(portal, { method: 'POST', path: `${path}/approve`, token });
  expect([approved.status, approved.text.includes('This payment method is not active here')]).toEqual([
    422,
    true,
  ]);
  expect(approved.text).not.toContain('suspended');
  expect((await call(portal, { method: 'POST', path: `${path}/reject`, token })).to).toBe(
    `${path}?done=rejected`,
  );
});

it('the assets of the pages work without the database', async () => {
  const page = await call(portal, { method: 'GET', path: '/sign-in' });
  const assets = [...page.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, url = '']) => url);
  expect(assets.length).toBe(4);
  const asked: string[] = [];
  const note = ({ sql }: { sql: string }) => asked.push(sql);
  portal.db.on('query', note);
  for (const path of assets) {
    const { status, headers } = await call(portal, { method: 'GET', path, token });
    expect([path, status, headers.get('cache-control')]).toEqual([
      path,
      200,
      'public, max-age=31536000, immutable',
    ]);
  }
  portal.db.removeListener('query', note);
  expect(asked).toEqual([]);
  expect((await call(portal, { method: 'GET', path: '/assets/none.css', token })).status).toBe(404);
});

it('downloads are recorded once per day, user and kind, and limited to twelve at once', async () => {
  const { db } = portal.test;
  await db('rate_limit_buckets').where('bucket', 'like', 'portal:files:%').delete();
  const kinds = {
    'payments.export': `${base}/payments/file`,
    'statement.export': `${base}/statements/file?currency=KES`,
  };
  const counted = async () => (await db('audit_log').whereIn('action', Object.keys(kinds))).length;
  for (const path of Object.values(kinds)) await bytesOf(path);
  const before = await counted();
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      call(portal, { method: 'GET', path: Object.values(kinds)[i % 2] ?? '', token }),
    ),
  );
  expect([answers.map(({ status }) => status), await counted()]).toEqual([Array(10).fill(200), before]);
  for (const path of Object.values(kinds)) {
    const slow = await call(portal, { method: 'GET', path, token });
    expect([slow.status, Number(slow.headers.get('retry-after')) > 0]).toEqual([429, true]);
  }
});
