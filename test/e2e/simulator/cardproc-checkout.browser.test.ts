import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core';
import { startCardprocBench, type CardprocBench } from '../../support/simulator/cardproc-bench';
import type { Fields } from '../../support/simulator/http-client';
import { startMerchantSite, type MerchantSite } from './merchant-site';
import { describeInBrowser, launchBrowser } from '../../support/browser';

/** A browser shares the machine with all other processes. */
const sidewaysScroll = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
const COMPLETED = 1;
const FAILED = 2;

describeInBrowser('the payment page', () => {
  let bench: CardprocBench;
  let merchant: MerchantSite;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let checkout: FrameLocator;
  let faults: string[];
  let trackingId: string;

  beforeAll(async () => {
    browser = await launchBrowser();
    bench = await startCardprocBench();
    // Another port is another origin, as a merchant's site is.
    merchant = await startMerchantSite();
  });
  afterAll(async () => {
    await browser.close();
    await merchant.close();
    await bench.stop();
  });

  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    page = await context.newPage();
    page.setDefaultTimeout(20_000);
    faults = [];
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    checkout = page.frameLocator('iframe');
  });
  afterEach(() => context.close());

  const order = async (changes: Fields = {}) => {
    const { body } = await bench.client.submit({
      callback_url: `${merchant.url}/paid?basket=7`,
      cancellation_url: `${merchant.url}/cancelled`,
      ...changes,
    });
    trackingId = String(body['order_tracking_id']);
    return String(body['redirect_url']);
  };
  const shopWith = (address: string) => `${merchant.url}/shop?frame=${encodeURIComponent(address)}`;
  const openShop = async (changes: Fields = {}) => page.goto(shopWith(await order(changes)));
  const press = (name: string) => checkout.getByRole('button', { name }).click();
  const statusNow = async () => (await bench.client.status(trackingId)).body;

  it('accepts a card inside the iframe of another site, and sends that site’s window back', async () => {
    await openShop();
    await checkout.getByText('Test mode.').waitFor();
    await checkout.getByText('Order 881').waitFor();
    await checkout.getByLabel('Mastercard test card').check();
    await press('Pay KES 1,500.00');
    await page.getByText(`Merchant: /paid?basket=7&OrderTrackingId=${trackingId}&`).waitFor();
    expect(page.frames()).toHaveLength(1);
    expect(await statusNow()).toMatchObject({ status_code: COMPLETED, payment_method: 'MasterCard' });
    expect(faults).toEqual([]);
  });

  it.each([
    ['Mobile money', 'Airtel Money', 'AirtelKE'],
    ['Bank', 'Test Bank', 'BankTransfer'],
  ])('accepts %s on its own tab', async (tab, instrument, method) => {
    await openShop();
    await checkout.getByRole('tab', { name: tab }).click();
    expect(await checkout.getByRole('tabpanel').count()).toBe(1);
    await checkout.getByLabel(instrument).check();
    await press('Pay KES 1,500.00');
    await page.getByText('Merchant: /paid').waitFor();
    expect(await statusNow()).toMatchObject({ status_code: COMPLETED, payment_method: method });
    expect(faults).toEqual([]);
  });

  it('can be used with the keyboard only', async () => {
    await openShop();
    const tab = (name: string) => checkout.getByRole('tab', { name });
    const focused = () => checkout.locator(':focus');
    const selected = async () => checkout.locator('[role=tab][aria-selected=true]').textContent();
    await page.keyboard.press('Tab');
    await focusReaches(tab('Card'));
    for (const [key, name] of [
      ['ArrowRight', 'Mobile money'],
      ['End', 'Bank'],
      ['ArrowRight', 'Card'],
      ['ArrowLeft', 'Bank'],
      ['Home', 'Card'],
      ['ArrowRight', 'Mobile money'],
    ] as const) {
      await page.keyboard.press(key);
      await focusReaches(tab(name));
      expect((await selected())?.trim()).toBe(name);
    }
    await page.keyboard.press('Tab');
    await focusReaches(checkout.getByLabel('M-PESA'));
    await page.keyboard.press('ArrowDown');
    await focusReaches(checkout.getByLabel('Airtel Money'));
    await page.keyboard.press('Tab');
    expect(await focused().evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await page.keyboard.press('Enter');
    await page.getByText('Merchant: /paid').waitFor();
    expect(await statusNow()).toMatchObject({ payment_method: 'AirtelKE' });
    expect(faults).toEqual([]);
  });

  async function focusReaches(locator: ReturnType<Page['locator']>): Promise<void> {
    await locator.and(checkout.locator(':focus')).waitFor();
  }

  it('lets a customer try again on the same page after a failure', async () => {
    await openShop();
    await press('Let it fail');
    const statusText = checkout.getByRole('status');
    await statusText.getByText('Your payment was declined').waitFor();
    await focusReaches(statusText);
    expect(await bench.client.stateOf(trackingId)).toBe(FAILED);
    expect(page.url()).toContain('/shop');
    await page.reload();
    await statusText.getByText('Your payment was declined').waitFor();
    await press('Pay KES 1,500.00');
    await page.getByText('Merchant: /paid').waitFor();
    expect(await bench.client.stateOf(trackingId)).toBe(COMPLETED);
    expect(faults).toEqual([]);
  });

  it('lets a customer cancel, return and pay', async () => {
    await openShop();
    await press('Cancel and return to the merchant');
    await page.getByText('Merchant: /cancelled').waitFor();
    expect(page.url()).toBe(`${merchant.url}/cancelled`);
    expect(await bench.client.stateOf(trackingId)).toBe(0);
    await page.goBack();
    await press('Pay KES 1,500.00');
    await page.getByText('Merchant: /paid').waitFor();
    expect(faults).toEqual([]);
  });

  it.each([
    ['who closes the tab', 'Pay, do not return', '1500.00'],
    ['whose browser is not sent back (x.06)', 'Pay KES 20.06', '20.06'],
  ])('pays for a customer %s, and stays on the page', async (_who, button, amount) => {
    await openShop({ amount });
    await press(button);
    await checkout.getByRole('status').getByText('Payment received').waitFor();
    await checkout.getByText('You can close this window.').waitFor();
    expect(await checkout.getByRole('button').count()).toBe(0);
    expect(await bench.client.stateOf(trackingId)).toBe(COMPLETED);
    expect(page.url()).toContain('/shop');
    await page.reload();
    await checkout.getByRole('heading', { name: 'Payment received' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('sends the parent of its frame back when the order asks for PARENT_WINDOW', async () => {
    await openShop({ redirect_mode: 'PARENT_WINDOW' });
    await press('Pay KES 1,500.00');
    await page.getByText('Merchant: /paid').waitFor();
    expect(faults).toEqual([]);
  });

  it('shows a link if the browser does not let it move the parent', async () => {
    const host = shopWith(await order({ redirect_mode: 'PARENT_WINDOW' }));
    await page.goto(shopWith(host));
    const inner = checkout.frameLocator('iframe');
    await inner.getByRole('button', { name: 'Pay KES 1,500.00' }).click();
    const onward = inner.getByRole('link', { name: 'Continue to the merchant' });
    await onward.and(inner.locator(':focus')).waitFor();
    await onward.click();
    await page.getByText('Merchant: /paid').waitFor();
    expect(page.frames()).toHaveLength(1);
  });

  it('says when the order was paid elsewhere meanwhile', async () => {
    await openShop();
    await bench.client.decide(trackingId, 'pay_card', false);
    await press('Pay KES 1,500.00');
    await checkout.getByText('This order can no longer be paid').waitFor();
    expect(await checkout.getByRole('button').count()).toBe(0);
    expect(page.url()).toContain('/shop');
  });

  it('says when a click did not arrive, and accepts the next one', async () => {
    await openShop();
    const isPress = (url: URL) => url.pathname === '/pay' && url.search === '';
    await page.route(isPress, (route) => route.abort());
    await press('Pay KES 1,500.00');
    await checkout.getByText('That did not reach us').waitFor();
    await page.unroute(isPress);
    await press('Pay KES 1,500.00');
    await page.getByText('Merchant: /paid').waitFor();
  });

  it('fits a phone 320 wide, in a frame and alone, in both colour schemes', async () => {
    const address = await order({
      amount: 99_999_999.99,
      description: 'W'.repeat(100),
      id: `cp-${'x'.repeat(30)}-${String(Date.now())}`,
    });
    await page.setViewportSize({ width: 320, height: 640 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(address);
      await page.getByRole('tab', { name: 'Bank' }).click();
      expect(await page.evaluate(sidewaysScroll)).toBe(false);
      await page.goto(shopWith(address));
      await checkout.getByRole('tab', { name: 'Mobile money' }).click();
      expect(await checkout.locator('html').evaluate(sidewaysScroll)).toBe(false);
    }
    expect(faults).toEqual([]);
  });

  it('works without its script, with all ways to pay below each other', async () => {
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const bare = await plain.newPage();
    await bare.goto(shopWith(await order()));
    const frame = bare.frameLocator('iframe');
    expect(await frame.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
      'Card',
      'Mobile money',
      'Bank',
    ]);
    await frame.getByRole('button', { name: 'Let it fail' }).first().click();
    await frame.getByText('Your payment was declined').waitFor();
    await frame.getByRole('button', { name: 'Pay KES 1,500.00' }).nth(1).click();
    await bare.getByText('Merchant: /paid').waitFor();
    await plain.close();
    expect(await statusNow()).toMatchObject({ status_code: COMPLETED, payment_method: 'MpesaKE' });
  });

  it('can be opened from the list of open orders', async () => {
    await order({ description: 'Sandals <b>42</b>' });
    await page.goto(`${bench.url}/orders`);
    await page.getByRole('link', { name: 'Sandals <b>42</b>' }).click();
    await page.getByRole('heading', { name: 'Pay KES 1,500.00' }).waitFor();
    await page.getByRole('button', { name: 'Pay KES 1,500.00' }).click();
    await page.getByText('Merchant: /paid').waitFor();
    expect(faults).toEqual([]);
  });
});
