/**
 * The measurement of the portal's pages on a real portal: it opens the pages it reports, and reports those it omits.
 */
import { measurePortal } from '../../../tools/bench/volume/portal';
import { portalRoutes } from '../../../src/portal/routes';
import { aMerchant } from '../../support/users/users-support';
import { startPortal, type TestPortal } from '../../support/portal/portal-support';
import { insertPayment } from '../../support/verify/books-support';

let portal: TestPortal;
beforeAll(async () => {
  portal = await startPortal();
});
afterAll(() => portal.stop());

it('opens every page, and lists with more rows thirty pages deep', async () => {
  const merchantId = await aMerchant(portal.db, portal.box);
  // Thirty pages of 25, and a few more.
  for (let n = 0; n < 780; n += 1) await insertPayment(portal.test.db, { merchantId, rail: 'stk' });
  const { pages, left_out: leftOut } = await measurePortal(
    { db: portal.db, env: { MALIPO_PORTAL_URL: portal.url }, merchant: { merchant_id: merchantId } },
    2,
  );
  const opened = new Set(pages.map(({ page }) => page));
  const checked = portalRoutes.filter(({ method }) => method === 'GET').map(({ path }) => path);
  const missing = leftOut.map((line) => line.replace(/^\w+ (\S+):.*$/, '$1'));
  expect(checked.filter((path) => !opened.has(path) && !missing.includes(path))).toEqual([]);
  expect(opened).toContain('/m/:merchant/payments, 30 pages on');
  expect(opened).toContain('/ops/payments');
  expect(pages.filter(({ first_byte_ms: ms }) => !(ms.p50 > 0 && ms.p99 >= ms.p50))).toEqual([]);
});
