/** How bodies of providers are read, on every rail. */
import { wireJson } from '../../../src/rail-kit/wire-json';
import { readCallback } from '../../../src/rails/stk/providers/daraja/notification-body';

describe('JSON of a provider', () => {
  it('is read with and without a byte order mark', () => {
    expect(wireJson('{"a":1}')).toEqual({ a: 1 });
    expect(wireJson('\uFEFF{"a":1}')).toEqual({ a: 1 });
  });

  it('is read so in a callback of STK push', () => {
    const body = JSON.stringify({ Body: { stkCallback: { CheckoutRequestID: 'c', ResultCode: 0 } } });
    expect(readCallback(`\uFEFF${body}`)).toMatchObject({ checkoutRequestId: 'c', resultCode: '0' });
  });

  it.each(['', '<html>', '{', '\uFEFF', '\uFEFF\uFEFF{}'])('is undefined for %j', (text) => {
    expect(wireJson(text)).toBeUndefined();
  });
});
