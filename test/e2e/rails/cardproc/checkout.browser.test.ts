import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { PaymentRow } from '../../../../src/store/tables';
import { startMerchantSite, type MerchantSite } from '../../simulator/merchant-site';
import { describeInBrowser, launchBrowser } from '../../../support/browser';
import { expectClean } from '../../../support/expect-clean';
import { atRest, ended } from '../../../support/payments/timeline';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';
import { accepted, cardAccepted, comeBack, notifiedOf } from '../../../support/rails/cardproc/payments';

/** The customer's view, from the merchant's page with the framed checkout back to the merchant's page. */
describeInBrowser('a customer at a hosted checkout', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let shop: MerchantSite;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let checkout: FrameLocator;
  let faults: string[];

  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 1 });
    merchant = await stack.createMerchant();
    shop = await startMerchantSite();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await shop.close();
    await expectClean(stack);
    await stack.stop();
  });

  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
    faults = [];
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    checkout = page.frameLocator('iframe');
  });
  afterEach(() => context.close());

  const openShop = ({ details }: PaymentRow) =>
    page.goto(`${shop.url}/shop?frame=${encodeURIComponent(details.redirect_url ?? '')}`);
  const press = (name: string) => checkout.getByRole('button', { name }).click();
  const current = ({ payment_id: id }: PaymentRow) => getPaymentOrThrow(stack.db, id);

  it.each([
    ['Card', 'Visa test card', 'Visa'],
    ['Mobile money', 'M-PESA', 'MpesaKE'],
  ])(
    'pays by %s in the frame, and returns to the callback_url with the payment known',
    async (tab, how, method) => {
      const payment = await accepted(stack, merchant, { callback_url: `${shop.url}/paid?basket=7` });
      await openShop(payment);
      await checkout.getByRole('tab', { name: tab }).click();
      await checkout.getByLabel(how).check();
      await press('Pay KES 1,500.00');
      await page
        .getByText(
          `Merchant: /paid?basket=7&OrderTrackingId=${payment.provider_reference ?? ''}` +
            `&OrderMerchantReference=${payment.account_reference ?? ''}&OrderNotificationType=IPNCHANGE`,
        )
        .waitFor();
      const { state, details } = await current(payment);
      expect([state, details.payment_method]).toEqual(['succeeded', method]);
      await atRest(stack.db, payment.payment_id);
      expect(await notifiedOf(stack.db, payment.payment_id)).toEqual(['COMPLETED']);
      expect(faults).toEqual([]);
    },
  );

  it('is declined, tries again, and sees the result on our own page if the merchant has none', async () => {
    const payment = await accepted(stack, merchant);
    await openShop(payment);
    await press('Let it fail');
    await checkout.getByText('Your payment was declined').waitFor();
    await ended(stack.db, payment.payment_id, ['failed']);
    await press('Pay KES 1,500.00');
    await page.getByRole('heading', { name: 'Payment received' }).waitFor();
    await atRest(stack.db, payment.payment_id);
    expect(await notifiedOf(stack.db, payment.payment_id)).toEqual(['FAILED', 'COMPLETED correction']);
    expect(faults).toEqual([]);
  });

  it('returns to the cancellation_url, and nothing is paid', async () => {
    const payment = await cardAccepted(stack, merchant, {
      callback_url: `${shop.url}/paid`,
      cancellation_url: `${shop.url}/cancelled`,
    });
    await openShop(payment);
    await press('Cancel and return to the merchant');
    await page.getByText('Merchant: /cancelled').waitFor();
    expect((await current(payment)).state).toBe('pending');
  });

  it('sees our page in a merchant’s frame, in its own style and without a fault', async () => {
    const payment = await accepted(stack, merchant);
    const { url } = await comeBack(stack, payment);
    await page.goto(`${shop.url}/shop?frame=${encodeURIComponent(url)}`);
    await checkout.getByRole('heading', { name: 'Thank you' }).waitFor();
    const frame = page.frame({ url: (address) => address.href === url });
    const alignment = "getComputedStyle(document.querySelector('h1')).textAlign";
    expect(await frame?.evaluate(alignment)).toBe('center');
    expect(faults).toEqual([]);
  });
});
