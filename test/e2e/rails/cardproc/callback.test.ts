import { expectClean } from '../../../support/expect-clean';
import { atRest, creditsOf, ended } from '../../../support/payments/timeline';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { PaymentRow } from '../../../../src/store/tables';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import {
  accepted,
  callbackPath,
  cardAccepted,
  comeBack,
  customer,
  referenceOf,
} from '../../../support/rails/cardproc/payments';

describe('GET /cardproc/callback.php', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 1 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'cardproc');
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const lostNotification = { amount: 100.05 };
  const stateOf = async ({ payment_id }: PaymentRow) => (await getPaymentOrThrow(stack.db, payment_id)).state;
  const questionsAbout = async ({ provider_reference: id }: PaymentRow) =>
    (await provider.exchanges('query')).filter(({ url }) => url.includes(String(id))).length;
  const titleOf = async (response: Response) => /<h1>(.*)<\/h1>/.exec(await response.text())?.[1];

  describe('302', () => {
    it('queries the processor first, so that the merchant’s page gets the right status from us', async () => {
      const order = await cardAccepted(stack, merchant, lostNotification);
      await customer(provider, order, 'pay_card');
      expect(await stateOf(order)).toBe('pending');
      const response = await comeBack(stack, order);
      expect(response.status).toBe(302);
      expect(await stateOf(order)).toBe('succeeded');
      expect(await creditsOf(stack.db, order.payment_id)).toEqual([10_005n]);
    });

    it.each([
      ['https://shop.example.org/paid', 'https://shop.example.org/paid?'],
      ['https://shop.example.org/paid?cart=a%20b&x', 'https://shop.example.org/paid?cart=a%20b&x&'],
      ['http://127.0.0.1:8080/#/paid', 'http://127.0.0.1:8080/?'],
    ])(
      'redirects to %s with the merchant’s own reference, and keeps the existing query',
      async (callback_url, start) => {
        const order = await accepted(stack, merchant, { callback_url });
        const location = (await comeBack(stack, order)).headers.get('location') ?? '';
        const reported = referenceOf(order);
        reported.set('OrderMerchantReference', String(order.order_id));
        expect(location.startsWith(start + reported.toString())).toBe(true);
        expect(new URL(location).hash).toBe(new URL(callback_url).hash);
      },
    );

    it('accepts the names in any letter case, and only those two or three', async () => {
      const order = await cardAccepted(stack, merchant);
      const query = new URLSearchParams({
        ordertrackingid: String(order.provider_reference),
        ORDERMERCHANTREFERENCE: String(order.details.submitted_as),
        callback_url: 'https://evil.example/',
        next: '//evil.example',
      });
      const response = await fetch(`${stack.apiUrl}${callbackPath}?${query.toString()}`, {
        redirect: 'manual',
      });
      expect(response.headers.get('location')).toBe(
        `https://shop.example.org/paid?${new URLSearchParams({
          OrderTrackingId: String(order.provider_reference),
          OrderMerchantReference: String(order.order_id),
        }).toString()}`,
      );
    });

    it('may be framed by the merchant’s page, and is not cached', async () => {
      const { headers } = await comeBack(stack, await cardAccepted(stack, merchant));
      expect(headers.get('x-frame-options')).toBeNull();
      expect(headers.get('content-security-policy')).toContain('frame-ancestors *');
      expect(headers.get('cache-control')).toBe('no-store');
    });
  });

  describe('200, if the merchant named no page', () => {
    it('shows the result of the order', async () => {
      const order = await accepted(stack, merchant, lostNotification);
      const titleNow = async () => titleOf(await comeBack(stack, order));
      const notify = () => provider.notify('notifications', { order_tracking_id: order.provider_reference });
      expect(await titleNow()).toBe('Thank you');
      await customer(provider, order, 'fail');
      await notify();
      await ended(stack.db, order.payment_id, ['failed']);
      expect(await titleNow()).toBe('The payment did not go through');
      await customer(provider, order, 'pay_card');
      await notify();
      await ended(stack.db, order.payment_id, ['succeeded']);
      expect(await titleNow()).toBe('Payment received');
      await atRest(stack.db, order.payment_id);
    });

    it('loads and runs nothing, and may be framed', async () => {
      const response = await comeBack(stack, await accepted(stack, merchant));
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('x-frame-options')).toBeNull();
      expect(response.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'; frame-ancestors \*$/,
      );
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    });
  });

  it('another caller sees the page of an open order, without a query', async () => {
    const order = await accepted(stack, merchant);
    const page = async (response: Response) => [response.status, await response.text()];
    const known = await page(await comeBack(stack, order));
    const before = await questionsAbout(order);
    const answers = await Promise.all(
      [
        { OrderTrackingId: '00000000-0000-4000-8000-000000000000' },
        { OrderMerchantReference: 'cp-SOMEBODYELSE-1' },
        { OrderMerchantReference: order.order_id ?? '' },
        { OrderTrackingId: '<script>alert(1)</script>' },
      ].map(async (changes) => page(await comeBack(stack, order, changes))),
    );
    for (const answer of answers) expect(answer).toEqual(known);
    expect(await questionsAbout(order)).toBe(before);
    expect((await fetch(`${stack.apiUrl}${callbackPath}`)).status).toBe(200);
  });

  it('the processor is queried only a few times, however often a page is reloaded', async () => {
    const order = await cardAccepted(stack, merchant);
    const responses = await Promise.all(Array.from({ length: 12 }, () => comeBack(stack, order)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([302]));
    // Three at once, each repeated once with more patience without an answer, and followed for a minute.
    expect(await questionsAbout(order)).toBeLessThanOrEqual(2 * 3 + 2);
    expect((await stack.db('inbox').where({ payment_id: order.payment_id })).length).toBeLessThanOrEqual(4);
  });

  it('redirects when the processor does not answer: the merchant gets the result later', async () => {
    await provider.next({ call: 'query', behave: '500', times: 2 });
    const order = await cardAccepted(stack, merchant);
    expect((await comeBack(stack, order)).status).toBe(302);
    expect(await stateOf(order)).toBe('pending');
  });

  it('405: anything but GET, and no answer to a link preview', async () => {
    const to = `${stack.apiUrl}${callbackPath}`;
    expect((await fetch(to, { method: 'POST' })).status).toBe(405);
    expect((await fetch(to, { method: 'HEAD' })).status).toBe(405);
  });
});
