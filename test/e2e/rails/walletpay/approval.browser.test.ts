import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { setMerchant } from '../../../../src/merchants/merchants';
import { describeInBrowser, launchBrowser } from '../../../support/browser';
import { expectClean } from '../../../support/expect-clean';
import { atRest, creditsOf } from '../../../support/payments/timeline';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';
import { get, newOrder, stored, notifiedOf } from '../../../support/rails/walletpay/payments';

describeInBrowser('a buyer in a browser', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let shop: Server;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 20 });
    merchant = await stack.createMerchant('Duka la Mama');
    // A merchant's own pages: the return page captures, as the specification recommends.
    shop = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
      const html = (text: string) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>Shop</title><p>${text}</p>`);
      if (pathname !== '/paid') return void html(`At ${pathname}`);
      const [token, order_id] = [searchParams.get('token') ?? '', searchParams.get('shop_order') ?? ''];
      void get(stack, merchant, 'capture', { token, order_id }).then(({ status, body }) =>
        html(`Capture: ${String(status)} ${JSON.stringify(body.data?.status ?? body.code)}`),
      );
    });
    shop.listen(0, '127.0.0.1');
    await once(shop, 'listening');
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    shop.closeAllConnections();
    await new Promise((resolve) => shop.close(resolve));
    await expectClean(stack);
    await stack.stop();
  });
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 390, height: 700 } });
    page.setDefaultTimeout(20_000);
  });
  afterEach(() => page.close());

  const shopUrl = () => `http://127.0.0.1:${String((shop.address() as AddressInfo).port)}`;
  async function orderAtShop(orderId: string) {
    const urls = {
      returnUrl: `${shopUrl()}/paid?shop_order=${orderId}`,
      cancelUrl: `${shopUrl()}/not-paid`,
    };
    await setMerchant(stack.db, merchant.merchantId, urls, { environment: 'sandbox' });
    const order = await newOrder(stack, merchant, { order_id: orderId, amount: '12.50' });
    await page.goto(order.approvalUrl);
    return order;
  }

  it('pays, returns to the shop, and the shop captures: credited once', async () => {
    const order = await orderAtShop('SHOP-1');
    await page.getByText('12.50').first().waitFor();
    await page.getByText('Duka la Mama').first().waitFor();
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByText('Capture: 200 "Completed"').waitFor();
    expect(page.url()).toContain(`token=${order.token}`);
    // A reload of the page captures again, without an effect.
    await page.reload();
    await page.getByText('Capture: 200 "Completed"').waitFor();
    await notifiedOf(merchant, order.id, 'Completed');
    await atRest(stack.db, order.id);
    expect(await creditsOf(stack.db, order.id)).toEqual([1_250n]);
  });

  it('pays and closes the tab: captured and credited all the same', async () => {
    const order = await orderAtShop('SHOP-2');
    await page.getByRole('button', { name: 'Pay and close the tab' }).click();
    await notifiedOf(merchant, order.id, 'Completed');
    await atRest(stack.db, order.id);
    expect(await creditsOf(stack.db, order.id)).toEqual([1_250n]);
  });

  it('cancels, and returns to the shop’s other page: nothing is paid', async () => {
    const order = await orderAtShop('SHOP-3');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('At /not-paid').waitFor();
    await stored(stack, order.id, { state: 'pending' });
    expect(await creditsOf(stack.db, order.id)).toEqual([]);
  });

  it('returns to a page of ours if the shop has none', async () => {
    const urls = { returnUrl: null, cancelUrl: null };
    await setMerchant(stack.db, merchant.merchantId, urls, { environment: 'sandbox' });
    const order = await newOrder(stack, merchant);
    await page.goto(order.approvalUrl);
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByText('You can close this page').waitFor();
    await notifiedOf(merchant, order.id, 'Completed');
  });
});
