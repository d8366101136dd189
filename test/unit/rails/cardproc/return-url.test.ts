import type { Call, Endpoint } from '../../../../src/rail-kit/endpoint';
import type { RailApi } from '../../../../src/rail-kit/rail';
import { cardprocEndpoints } from '../../../../src/rails/cardproc/routes';
import { faultOfHost, faultOfReturnUrl, withParameters } from '../../../../src/rails/cardproc/return-url';

const registered = ['shop.example.org', 'pay.example.org:8443'];

describe('the redirect address of a browser', () => {
  it.each([
    'https://shop.example.org/paid',
    'https://shop.example.org',
    'https://pay.example.org:8443/?a=b#c',
  ])('in live: %s, which the merchant has registered', (url) => {
    expect(faultOfHost(url, 'live', registered)).toBeUndefined();
  });

  it.each([
    'http://shop.example.org/paid',
    'https://evil.example/',
    'https://shop.example.org.evil.example/',
    'https://evil.example/shop.example.org',
    'https://evil.example?https://shop.example.org',
    'https://evil.example#shop.example.org',
    'https://shop.example.org:8443/',
    'https://pay.example.org/',
    'https://www.shop.example.org/',
    'https://127.0.0.1/',
  ])('in live: not %s', (url) => {
    expect(faultOfHost(url, 'live', registered)).toMatch(/^must be/);
  });

  it('in live: none, for a merchant without registered hosts', () => {
    expect(faultOfHost('https://shop.example.org/', 'live', [])).toMatch(/registered/);
  });

  it('in sandbox: any', () => {
    expect(faultOfHost('http://127.0.0.1:8080/paid', 'sandbox', [])).toBeUndefined();
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    '//evil.example',
    '/paid',
    'https:evil.example',
    'https:///evil.example',
    'https://shop.example.org@evil.example/',
    'https://shop.example.org\\@evil.example/',
    'https://shop.example.org/\r\nSet-Cookie: a=b',
    'https://shop.example.org/ñ',
    `https://shop.example.org/${'x'.repeat(2000)}`,
  ])('never %j', (url) => {
    expect(faultOfReturnUrl(url)).toBeDefined();
  });
});

describe('an order of a live merchant with a page on a foreign host', () => {
  it.each([
    ['/api/v2/initiate.php', { callback_url: 'https://evil.example/' }],
    ['/api/v2/cardproc/initiate.php', { callback_url: 'http://shop.example.org/' }],
    ['/api/cardproc/submit_order.php', { callback_url: 'https://evil.example/' }],
    [
      '/api/cardproc/submit_order.php',
      { callback_url: 'https://shop.example.org/', cancellation_url: 'https://evil.example/' },
    ],
  ])('%s rejects %j before anything is written', async (path, input) => {
    let accepted = 0;
    const accept = () => Promise.resolve((accepted += 1));
    const endpoints = cardprocEndpoints({ accept } as unknown as RailApi, 'live', {
      askedEveryMs: 10_000,
      followedMs: 1,
    });
    const endpoint = endpoints.find((each) => each.path === path) as Endpoint;
    const call = { merchant: { checkout_hosts: registered }, input } as unknown as Call;
    await expect(endpoint.handle(call)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      options: { details: [{ field: Object.keys(input).at(-1) }] },
    });
    expect(accepted).toBe(0);
  });
});

describe('the parameters of a redirect', () => {
  it.each([
    ['https://shop.example.org/paid', 'https://shop.example.org/paid?Id=a%26b'],
    ['https://shop.example.org/paid?a=b%20c', 'https://shop.example.org/paid?a=b%20c&Id=a%26b'],
    ['https://shop.example.org/#/paid', 'https://shop.example.org/?Id=a%26b#/paid'],
  ])('are added to %s', (url, expected) => {
    expect(withParameters(url, { Id: 'a&b' })).toBe(expected);
  });
});
