/** The measure of the portal's pages, of a portal that is there: it opens what it says, and leaves out what it tells. */
import { measurePortal } from '../../../tools/bench/full-house/portal';
import { portalRoutes } from '../../../src/portal/routes';
import { aMerchant } from '../../support/users/people-support';
import { startPortal, type TestPortal } from '../../support/portal/portal-support';
import { insertPayment } from '../../support/verify/books-support';

let portal: TestPortal;
beforeAll(async () => {
  portal = await startPortal();
});
afterAll(() => portal.stop());

it('opens every page, and those with more rows thirty pages on', async () => {
  const merchantId = await aMerchant(portal.db, portal.box);
  // Thirty pages of 25, and a few.
  for (let n = 0; n < 780; n += 1) await insertPayment(portal.test.db, { merchantId, rail: 'stk' });
  const { pages, left_out: leftOut } = await measurePortal(
    { db: portal.db, env: { MALIPO_PORTAL_URL: portal.url }, merchant: { merchant_id: merchantId } },
    2,
  );
  const opened = new Set(pages.map(({ page }) => page));
  const looked = portalRoutes.filter(({ method }) => method === 'GET').map(({ path }) => path);
  const missing = leftOut.map((line) => line.replace(/^\w+ (\S+):.*$/, '$1'));
  expect(looked.filter((path) => !opened.has(path) && !missing.includes(path))).toEqual([]);
  expect(opened).toContain('/m/:merchant/payments, 30 pages on');
  expect(opened).toContain('/ops/payments');
  expect(pages.filter(({ first_byte_ms: ms }) => !(ms.p50 > 0 && ms.p99 >= ms.p50))).toEqual([]);
});
