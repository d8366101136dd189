import { randomUUID } from 'node:crypto';
import { startCardprocBench, type CardprocBench } from '../../support/simulator/cardproc-bench';
import { SHOP } from '../../support/simulator/cardproc-client';

let bench: CardprocBench;
beforeAll(async () => {
  bench = await startCardprocBench();
});
afterAll(() => bench.stop());

const pageOf = (trackingId: string) => `/pay?OrderTrackingId=${trackingId}`;
const textOf = async (trackingId: string) => (await bench.client.call(pageOf(trackingId))).text;
const pay = { way: 'card', method: 'Visa', action: 'pay' };

describe('the headers of the payment page', () => {
  const headersOf = async (path: string) => (await fetch(`${bench.url}${path}`)).headers;

  it('let any site show it in a frame, and forbid everything else', async () => {
    const trackingId = await bench.client.order({
      callback_url: 'https://shop.example.org/paid?a=1',
      cancellation_url: 'https://cancelled.example.org/',
    });
    const headers = await headersOf(pageOf(trackingId));
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "form-action 'self' https://shop.example.org https://cancelled.example.org",
      "base-uri 'none'",
      'frame-ancestors *',
    ]);
    expect(headers.get('x-frame-options')).toBeNull();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each(['/orders', '/', '/no-such-page'])(
    'are not sent with %s, which no site may frame',
    async (path) => {
      expect((await headersOf(path)).get('content-security-policy')).toContain("frame-ancestors 'none'");
    },
  );
});

describe('what a page of the checkout submits', () => {
  it('a plain form leads to the merchant, and back to the page after a failure', async () => {
    const trackingId = await bench.client.order();
    const answers = [];
    for (const action of ['fail', 'pay']) {
      const response = await fetch(`${bench.url}/pay`, {
        method: 'POST',
        body: new URLSearchParams({ ...pay, OrderTrackingId: trackingId, action }),
        redirect: 'manual',
      });
      answers.push([response.status, response.headers.get('location')]);
    }
    expect(answers).toEqual([
      [303, pageOf(trackingId)],
      [303, expect.stringContaining(`${SHOP}/paid?basket=7&OrderTrackingId=${trackingId}&`)],
    ]);
  });

  it.each([
    ['another way to pay', { way: 'cash' }, 400],
    ['a card that is not a test card', { method: 'Amex' }, 400],
    ['the network of another country', { way: 'mobile', method: 'MTNUG' }, 400],
    ['another button', { action: 'steal' }, 400],
    ['an order that does not exist', { OrderTrackingId: randomUUID() }, 404],
  ])('is refused when it names %s', async (_what, changes, status) => {
    const trackingId = await bench.client.order();
    const answer = await bench.client.press(trackingId, { ...pay, ...changes });
    expect(answer).toMatchObject({ status, body: { success: false, message: expect.any(String) } });
    expect((await bench.client.press(trackingId, { ...pay, ...changes }, 'text/html')).status).toBe(status);
    expect(await bench.client.stateOf(trackingId)).toBe(0);
  });

  it('is refused when it is sent by a page of another site', async () => {
    const trackingId = await bench.client.order();
    const answer = await bench.client.call('/pay', {
      method: 'POST',
      headers: { 'sec-fetch-site': 'cross-site', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...pay, OrderTrackingId: trackingId }).toString(),
    });
    expect(answer.status).toBe(403);
    expect(await bench.client.stateOf(trackingId)).toBe(0);
  });

  it('stores nothing that the customer typed', async () => {
    const trackingId = await bench.client.order();
    await bench.client.press(trackingId, { ...pay, card_number: '4929123456781234', cvv: '987' });
    const shown = [
      JSON.stringify((await bench.client.status(trackingId)).body),
      JSON.stringify(await bench.client.requests()),
      await textOf(trackingId),
    ];
    for (const text of shown) expect(text).not.toMatch(/4929123456781234|card_number/);
    expect(await bench.client.stateOf(trackingId)).toBe(1);
  });
});

describe('the page of an order', () => {
  it('has no input field', async () => {
    expect(await textOf(await bench.client.order())).not.toMatch(/<input(?! type="(?:hidden|radio)")/);
  });

  it.each([
    ['UGX', 'MTN MoMo'],
    ['TZS', 'Tigo Pesa'],
    ['USD', 'M-PESA'],
  ])('in %s offers %s', async (currency, network) => {
    expect(await textOf(await bench.client.order({ currency }))).toContain(network);
  });

  it('shows what the merchant sent as text, not as HTML', async () => {
    const trackingId = await bench.client.order({ description: '<img src=x onerror=alert(1)>' });
    expect(await textOf(trackingId)).toContain('&lt;img src=x onerror=alert(1)&gt;');
  });

  it.each<[string, string, (trackingId: string) => Promise<unknown>, number | undefined]>([
    ['paid', 'Payment received', (id) => bench.client.decide(id, 'pay_card'), undefined],
    ['being decided', 'Your payment is being processed', (id) => bench.client.decide(id, 'pay_card'), 20.07],
    ['cancelled', 'This order was cancelled', (id) => bench.client.cancelOrder(id), undefined],
    [
      'reversed',
      'This payment was returned',
      async (id) => {
        await bench.client.decide(id, 'pay_card');
        await bench.client.decide(id, 'reverse');
      },
      undefined,
    ],
  ])('shows when it is %s', async (_state, sentence, happen, amount = 1500) => {
    const trackingId = await bench.client.order({ amount });
    await happen(trackingId);
    const text = await textOf(trackingId);
    expect(text).toContain(sentence);
    expect(text).not.toMatch(/undefined|<form/);
    expect(await bench.client.press(trackingId, pay)).toMatchObject({
      status: 409,
      body: { success: false },
    });
  });

  it('is a 404 when there is no such order', async () => {
    expect(await bench.client.call(pageOf(randomUUID()))).toMatchObject({
      status: 404,
      text: expect.stringContaining('There is no such order'),
    });
  });
});
