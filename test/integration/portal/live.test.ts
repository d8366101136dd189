/** Answers to automatic updates: empty if nothing changed, and a redirect to the sign-in after the session. */
import { atTime } from '../../support/at-time';
import { aMerchant, createPerson } from '../../support/users/users-support';
import { insertPayment } from '../../support/verify/books-support';
import {
  call,
  createPlatformPerson,
  sessionOf,
  startPortal,
  type TestPortal,
} from '../../support/portal/portal-support';

let portal: TestPortal;
let merchantId: string;
let token: string;
let operatorToken: string;
let paymentId: string;
beforeAll(async () => {
  portal = await startPortal();
  merchantId = await aMerchant(portal.db, portal.box);
  token = await sessionOf(
    portal,
    await createPerson(portal.db, 'owner@duka.example', { merchantId, role: 'owner' }),
  );
  operatorToken = await sessionOf(portal, await createPlatformPerson(portal, 'operator'));
  ({ payment_id: paymentId } = await insertPayment(portal.db, { merchantId, rail: 'stk' }));
});
afterAll(() => portal.stop());

const byItself = { 'hx-request': 'true' };
const seenOf = (text: string) => /hx-headers='({[^']*})'/.exec(text)?.[1] ?? '{}';
const pages = () =>
  [
    [`/m/${merchantId}/payments`, token],
    [`/m/${merchantId}/payments/${paymentId}`, token],
    ['/ops', operatorToken],
  ] as const;

it('sends nothing if the content is unchanged, and new content at once', async () => {
  // The links of the dashboard name times, which stay the same for ten minutes.
  const opened = new Date(Math.ceil(Date.now() / 600_000) * 600_000);
  const aMinuteLater = new Date(opened.getTime() + 60_000);
  for (const [path, by] of pages()) {
    const page = await atTime(opened, () => call(portal, { method: 'GET', path, token: by }));
    const seen = JSON.parse(seenOf(page.text)) as Record<string, string>;
    expect([path, Object.values(seen)[0]]).toEqual([path, expect.stringMatching(/^[\w-]{22}$/)]);
    const ask = () => call(portal, { method: 'GET', path, token: by, headers: { ...byItself, ...seen } });
    const same = await atTime(aMinuteLater, ask);
    expect([path, same.status, same.text]).toEqual([path, 204, '']);
    await insertPayment(portal.test.db, { merchantId, rail: 'stk' });
    await portal.test.db('payments').where({ payment_id: paymentId }).increment('requested_minor', 1);
    const renewed = await atTime(aMinuteLater, ask);
    expect([path, renewed.status, renewed.text.includes('<h1>')]).toEqual([path, 200, true]);
  }
});

it('redirects the whole page to the sign-in after the session, and back afterwards', async () => {
  for (const [path] of pages()) {
    const over = await call(portal, { method: 'GET', path, token: 'x'.repeat(43), headers: byItself });
    const to = `/sign-in?next=${encodeURIComponent(path)}`;
    expect([over.status, over.to, over.headers.get('hx-redirect'), over.text]).toEqual([200, '', to, '']);
    const opened = await call(portal, { method: 'GET', path, token: 'x'.repeat(43) });
    expect([opened.status, opened.to]).toEqual([303, to]);
  }
});

it('does not update a finished payment', async () => {
  await portal.test
    .db('payments')
    .where({ payment_id: paymentId })
    .update({ state: 'succeeded', is_final: 1 });
  const page = await call(portal, { method: 'GET', path: `/m/${merchantId}/payments/${paymentId}`, token });
  expect([page.text.includes('data-live'), page.text.includes('hx-get')]).toEqual([false, false]);
});
