import type { Browser, Page } from 'playwright-core';
import { startTestBench, type TestBench } from '../../support/simulator/bench';
import { startMerchantSite, type MerchantSite } from './merchant-site';
import { orderFields } from '../../support/simulator/walletpay-client';
import { describeInBrowser, launchBrowser } from '../../support/browser';

/** A browser shares the machine with all other processes. */

describeInBrowser('the page for the buyer', () => {
  let bench: TestBench;
  let merchant: MerchantSite;
  let browser: Browser;
  let page: Page;
  let faults: string[];
  let orderId: string;
  let approvalUrl: string;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  beforeEach(async () => {
    bench = await startTestBench();
    merchant = await startMerchantSite();
    page = await browser.newPage({ viewport: { width: 320, height: 640 } });
    faults = [];
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.setDefaultTimeout(20_000);
    const context = {
      return_url: `${merchant.url}/paid`,
      cancel_url: `${merchant.url}/not-paid`,
      brand_name: 'Duka la Mama & Co',
    };
    const { body } = await bench.walletpay.create({
      ...orderFields('1250.00', { description: 'Order 77', invoice_id: 'tx-91aa' }),
      payment_source: { paypal: { experience_context: context } },
    });
    orderId = body.id;
    approvalUrl = body.links.find(({ rel }) => rel === 'payer-action')?.href ?? '';
  });
  afterEach(async () => {
    await page.close();
    await merchant.close();
    await bench.stop();
  });

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const status = async () => (await bench.walletpay.query(orderId)).body.status;

  it('shows merchant, amount and purpose, under the banner of the sandbox, on a narrow phone', async () => {
    await page.goto(approvalUrl);
    await page.getByText('Sandbox — no real money').waitFor();
    await page.getByRole('heading', { name: 'Duka la Mama & Co' }).waitFor();
    for (const text of ['USD 1,250.00', 'Order 77', 'tx-91aa', '180 min left to decide']) {
      await page.getByText(text).waitFor();
    }
    const sidewaysScroll = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    expect(await page.evaluate(sidewaysScroll)).toBe(false);
    expect(faults).toEqual([]);
  });

  it('pays with the keyboard only, and leads to the merchant with the token', async () => {
    await page.goto(approvalUrl);
    await page.getByRole('button', { name: 'Pay', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(`Merchant: /paid?token=${orderId}&PayerID=`).waitFor();
    expect(await status()).toBe('APPROVED');
    expect(faults).toEqual([]);
    await page.goBack();
    await page.getByText('You have approved this payment.').waitFor();
  });

  it('pays and closes the tab: the browser does not return to the merchant', async () => {
    await page.goto(approvalUrl);
    await press('Pay and close the tab');
    await page.getByText('Paid, and the tab is closed').waitFor();
    expect(await status()).toBe('APPROVED');
    await bench.walletpay.advance(10_000);
    expect(bench.receiver.received[0]?.body['event_type']).toBe('CHECKOUT.ORDER.APPROVED');
  });

  it('cancels, and leads to the merchant’s cancel page; the order can still be paid from the list', async () => {
    await page.goto(approvalUrl);
    await press('Cancel');
    await page.getByText(`Merchant: /not-paid?token=${orderId}`).waitFor();
    expect(await status()).toBe('PAYER_ACTION_REQUIRED');
    await page.goto(`${bench.walletpay.origin}/checkoutnow`);
    await page.getByRole('link', { name: 'Duka la Mama & Co: USD 1,250.00' }).click();
    await press('Pay');
    await page.getByText('Merchant: /paid').waitFor();
    expect(faults).toEqual([]);
  });

  it('says so when there is nothing to decide', async () => {
    await page.goto(approvalUrl);
    await bench.walletpay.decide(orderId, 'approve');
    await press('Pay');
    await page.getByText(`Order ${orderId} is APPROVED`).waitFor();
    await page.goto(`${bench.walletpay.origin}/checkoutnow`);
    await page.getByText('No order is waiting').waitFor();
    await page.goto(`${bench.walletpay.origin}/checkoutnow?token=unknown`);
    await page.getByText('There is no such payment, or it has expired.').waitFor();
  });
});
