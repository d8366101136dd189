/** The merchant's time zone applies to shown times, filters and figures. */
import { DateTime } from 'luxon';
import { readFigures } from '../../../src/portal/merchant-figures';
import { aMerchant, createPerson } from '../../support/users/users-support';
import { insertPayment } from '../../support/verify/books-support';
import { call, sessionOf, startPortal, type TestPortal } from '../../support/portal/portal-support';

let portal: TestPortal;
let merchantId: string;
let token: string;
beforeAll(async () => {
  portal = await startPortal();
  merchantId = await aMerchant(portal.db, portal.box);
  const owner = await createPerson(portal.db, 'owner@duka.example', { merchantId, role: 'owner' });
  token = await sessionOf(portal, owner);
});
afterAll(() => portal.stop());

const get = async (path: string) => call(portal, { method: 'GET', path: `/m/${merchantId}${path}`, token });
const setZone = (timeZone: string) =>
  call(portal, {
    method: 'POST',
    path: `/m/${merchantId}/settings`,
    token,
    form: { name: 'Duka', returnUrl: '', cancelUrl: '', walletCurrency: 'KES', timeZone },
  });
const payAt = (iso: string) =>
  insertPayment(portal.test.db, { merchantId, rail: 'stk', with: { created_at: new Date(iso) } });

it('is set by the owner, and must exist', async () => {
  const refused = await setZone('Mars/Olympus');
  expect([refused.status, refused.text.includes('Time zone: choose a time zone from the list')]).toEqual([
    422,
    true,
  ]);
  expect((await setZone('Pacific/Auckland')).to).toContain('done=saved');
  expect((await get('/settings')).text).toContain('value="Pacific/Auckland"');
});

it('applies to shown times and to the days of filters', async () => {
  await setZone('Pacific/Auckland');
  // In New Zealand it is already the second of July.
  const { payment_id: id } = await payAt('2026-07-01T13:30:00Z');
  const { text } = await get(`/payments/${id}`);
  expect(text).toContain('title="2026-07-01 13:30:00 UTC"');
  expect(text).toContain('01:30:00');
  expect((await get('/payments?from=2026-07-02&until=2026-07-02')).text).toContain(id);
  expect((await get('/payments?from=2026-07-01&until=2026-07-01')).text).not.toContain(id);
  expect((await get('/statements')).text).toContain(
    'Each day begins at midnight in your time zone (Pacific/Auckland).',
  );
  await setZone('');
  expect((await get(`/payments/${id}`)).text).toContain('16:30:00');
});

it('applies to the days of the figures, also to a day with 25 hours', async () => {
  const zone = 'America/New_York';
  // On 1 November 2026 the clocks go back by an hour.
  const days = ['2026-10-31', '2026-11-01', '2026-11-02'].map((day) =>
    DateTime.fromISO(day, { zone }).toJSDate(),
  );
  const shop = await aMerchant(portal.db, portal.box, 'New York');
  const at = (iso: string) =>
    insertPayment(portal.test.db, { merchantId: shop, rail: 'stk', with: { created_at: new Date(iso) } });
  await at('2026-11-01T03:59:59Z');
  await at('2026-11-01T04:00:00Z');
  await at('2026-11-02T04:59:59Z');
  await at('2026-11-02T05:00:00Z');
  const [figure, ...more] = await readFigures(portal.db, shop, days);
  expect(figure?.days.map(({ waiting }) => waiting)).toEqual([1, 2, 1]);
  expect([figure?.waiting, more]).toEqual([4, []]);
});
