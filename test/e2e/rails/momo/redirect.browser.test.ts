/** A redirect provider's customer from end to end: our `redirect_url`, the provider's page, the shop's page. */
import type { Browser, Page } from 'playwright-core';
import { setMerchant } from '../../../../src/merchants/merchants';
import { startMerchantSite, type MerchantSite } from '../../simulator/merchant-site';
import { describeInBrowser, launchBrowser } from '../../../support/browser';
import { expectClean } from '../../../support/expect-clean';
import { atRest, creditsOf } from '../../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { verifySignature } from '../../../support/webhook-receiver';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import {
  callbacksOf,
  idOf,
  places,
  post,
  shownAs,
  statusOf,
  notifiedOf,
  transferBody,
  walletOf,
} from '../../../support/rails/momo/payments';

const halfAnHourMs = 30 * 60_000;

describeInBrowser('a customer who is sent to the provider’s page', () => {
  let stack: Stack;
  let provider: SimulatorControl;
  let shop: MerchantSite;
  let merchant: TestMerchant;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await launchBrowser();
    // Slow enough for a busy machine: the test waits for the page, and its half hour does not pass while it is drawn.
    stack = await startStack({ timeScale: 2 });
    provider = simulatorControl(stack.simulatorUrl, 'momo');
    shop = await startMerchantSite();
  });
  afterAll(async () => {
    await browser.close();
    await shop.close();
    await expectClean(stack);
    await stack.stop();
  });

  beforeEach(async () => {
    merchant = await stack.createMerchant();
    await setMerchant(
      stack.db,
      merchant.merchantId,
      { returnUrl: `${shop.url}/paid`, cancelUrl: `${shop.url}/not-paid` },
      { environment: 'sandbox' },
    );
    page = await browser.newPage({ viewport: { width: 320, height: 640 } });
    page.setDefaultTimeout(40_000);
  });
  afterEach(() => page.close());

  /** @returns the deposit's transaction_id, with the browser at the page in its answer. */
  async function sentToThePage(): Promise<string> {
    const body = transferBody({ ...places.senegal, provider: 'WAVE_SEN', customer_message: 'Order 7' });
    const answer = await post(stack, merchant, 'deposit', body);
    expect(answer.body).toMatchObject({ status: 'ACCEPTED', redirect_url: expect.any(String) });
    await page.goto(String(answer.body.redirect_url));
    return idOf(answer);
  }
  const press = (name: string) => page.getByRole('button', { name }).click();
  const see = (text: string) => page.getByText(text).waitFor();
  const wallet = () => walletOf(stack, merchant, 'XOF');
  const statusesReported = (id: string) => callbacksOf(merchant, id).map(({ body }) => body['status']);

  it('sees the request, approves, and returns to a shop that gets Success and one credit', async () => {
    const id = await sentToThePage();
    await see('XOF 1,500.00');
    await see('Order 7');
    await see(places.senegal.phone_number);
    expect(await wallet()).toEqual({ free: 0n, reserved: 0n });

    await press('Pay');
    await see('Merchant: /paid');
    const reported = await notifiedOf(merchant, id, 'Success');
    verifySignature(reported, merchant.webhookSecret);
    expect(reported.headers['x-callback-type']).toBe('Mobile-Money');
    expect(reported.body).toMatchObject({
      type: 'deposit',
      provider: 'WAVE_SEN',
      currency: 'XOF',
      requested_amount: '1500.00',
      amount: '1500.00',
      phone_number: places.senegal.phone_number,
      provider_transaction_id: expect.stringMatching(/^\d+$/),
      failure_code: null,
    });

    await page.goBack();
    await see('This payment is paid.');
    await atRest(stack.db, id);
    expect(statusesReported(id)).toEqual(['Success']);
    expect(await creditsOf(stack.db, id)).toEqual([1500n]);
    expect(await wallet()).toEqual({ free: 1500n, reserved: 0n });
    const { body } = await statusOf(stack, merchant, id);
    expect(body).toMatchObject({ status: 'COMPLETED', is_final: true, payment_status: 'Success' });
    expect(body).not.toHaveProperty('redirect_url');
  });

  it('declines, and returns to a shop that gets Cancelled and no credit', async () => {
    const id = await sentToThePage();
    await press('Decline');
    await see('Merchant: /not-paid');
    const reported = await notifiedOf(merchant, id, 'Cancelled');
    expect(reported.body).toMatchObject({ requested_amount: '1500.00', amount: '0.00', failure_code: null });
    await atRest(stack.db, id);
    expect(statusesReported(id)).toEqual(['Cancelled']);
    expect(await creditsOf(stack.db, id)).toEqual([]);
    expect((await statusOf(stack, merchant, id)).body).toMatchObject({
      status: 'CANCELLED',
      is_final: true,
      amount: '0.00',
    });
  });

  it('leaves without deciding, finds the page again through the status, and approves after all', async () => {
    const id = await sentToThePage();
    await press('Abandon');
    await see('You left without deciding');
    const { body } = await shownAs(stack, merchant, id, { status: 'PROCESSING', is_final: false });
    expect([body.payment_status, statusesReported(id)]).toEqual(['Processing', []]);

    await page.goto(String(body.redirect_url));
    await press('Pay');
    await see('Merchant: /paid');
    await notifiedOf(merchant, id, 'Success');
    expect(await creditsOf(stack.db, id)).toEqual([1500n]);
  });

  it('never decides: the provider ends it, and the shop gets Cancelled', async () => {
    const id = await sentToThePage();
    await press('Abandon');
    await see('You left without deciding');
    await provider.advance(halfAnHourMs);
    await notifiedOf(merchant, id, 'Cancelled');
    expect(await creditsOf(stack.db, id)).toEqual([]);
    await page.goBack();
    await see('This payment was not approved.');
  });

  it('opens the shop’s page directly: that alone pays nothing', async () => {
    const id = await sentToThePage();
    await page.goto(`${shop.url}/paid`);
    await page.goto(`${stack.apiUrl}/momo/done`);
    await see('Thank you.');
    await shownAs(stack, merchant, id, { status: 'PROCESSING', is_final: false });
    expect([statusesReported(id), await creditsOf(stack.db, id)]).toEqual([[], []]);
  });

  it.each([
    ['Pay', 'Success'],
    ['Decline', 'Cancelled'],
  ])('presses %s for a shop without its own pages, and sees ours', async (button, status) => {
    await setMerchant(
      stack.db,
      merchant.merchantId,
      { returnUrl: null, cancelUrl: null },
      { environment: 'sandbox' },
    );
    const id = await sentToThePage();
    await press(button);
    await see('Thank you. You can close this page');
    expect(page.url()).toBe(`${stack.apiUrl}/momo/done`);
    await notifiedOf(merchant, id, status);
  });
});
