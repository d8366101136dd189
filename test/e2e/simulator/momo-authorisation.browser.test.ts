import type { Browser, Page } from 'playwright-core';
import { startTestBench, type TestBench } from '../../support/simulator/bench';
import { startMerchantSite, type MerchantSite } from './merchant-site';
import { redirectFields } from '../../support/simulator/momo-client';
import { describeInBrowser, launchBrowser } from '../../support/browser';

/** A browser shares the machine with all other processes. */

describeInBrowser('the approval page', () => {
  let bench: TestBench;
  let merchant: MerchantSite;
  let browser: Browser;
  let page: Page;
  let faults: string[];
  let depositId: string;

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
    depositId = await bench.momo.accepted('deposits', {
      ...redirectFields(merchant.url),
      customerMessage: 'INV 2041',
    });
  });
  afterEach(async () => {
    await page.close();
    await merchant.close();
    await bench.stop();
  });

  const open = async () => {
    await bench.momo.advance(2_500);
    const { authorizationUrl } = await bench.momo.dataOf('deposits', depositId);
    await page.goto(String(authorizationUrl));
  };
  const press = (name: string) => page.getByRole('button', { name }).click();
  const state = () => bench.momo.stateOf('deposits', depositId);

  it('shows the request, under the banner of the sandbox, on a narrow phone', async () => {
    await open();
    await page.getByText('Sandbox — no real money').waitFor();
    await page.getByText('XOF 1,500.00').waitFor();
    await page.getByText('INV 2041').waitFor();
    await page.getByText('+221771234567').waitFor();
    await page.getByText('30 min left to answer').waitFor();
    const sidewaysScroll = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    expect(await page.evaluate(sidewaysScroll)).toBe(false);
    expect(faults).toEqual([]);
  });

  it('pays, and leads to the merchant’s page for success', async () => {
    await open();
    await press('Pay');
    await page.getByText('Merchant: /paid').waitFor();
    expect(await state()).toBe('COMPLETED');
    expect(faults).toEqual([]);
    await page.goBack();
    await page.getByText('This payment is paid.').waitFor();
  });

  it('declines, and leads to the merchant’s page for failure', async () => {
    await open();
    await press('Decline');
    await page.getByText('Merchant: /not-paid').waitFor();
    expect(await state()).toBe('FAILED');
    expect(faults).toEqual([]);
  });

  it('can be left without a decision, and opened again from the list', async () => {
    await open();
    await press('Abandon');
    await page.getByText('You left without deciding').waitFor();
    expect(await state()).toBe('PROCESSING');
    await page.goto(`${bench.momo.origin}/authorise`);
    await page.getByRole('link', { name: /Wave: XOF 1,500.00/ }).click();
    await press('Pay');
    await page.getByText('Merchant: /paid').waitFor();
  });

  it('says so when there is nothing to decide', async () => {
    const goTo = (path: string) => page.goto(`${bench.momo.origin}/authorise${path}`);
    await goTo(`/${depositId}`);
    await page.getByText('The payment is being prepared').waitFor();
    await goTo('');
    await page.getByText('No payment is waiting').waitFor();
    await open();
    await bench.momo.decide(depositId, 'decline');
    await press('Pay');
    await page.getByText('is not waiting for a user').waitFor();
    await goTo('/unknown');
    await page.getByText('There is no such payment').waitFor();
  });
});
