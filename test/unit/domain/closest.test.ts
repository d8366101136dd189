import { closest } from '../../../src/domain/closest';

const paths = ['/api/v1/stk_push', '/api/v1/stk_push/status', '/api/v1/momo/payout', '/api/v1/payments'];

describe('what a mistyped word was meant to be', () => {
  it.each([
    ['/api/v1/stkpush', '/api/v1/stk_push'],
    ['/api/v1/STK-push', '/api/v1/stk_push'],
    ['/v1/stk_push', '/api/v1/stk_push'],
    ['/api/v1/momo/payouts', '/api/v1/momo/payout'],
    ['/api/v1/payment', '/api/v1/payments'],
  ])('%s is %s', (text, meant) => {
    expect(closest(text, paths)).toBe(meant);
  });

  it.each(['/', '', '/favicon.ico', '/wp-admin/setup.php', 'x'.repeat(10_000)])(
    'nothing, where nothing is near: %s',
    (text) => {
      expect(closest(text, paths)).toBeUndefined();
    },
  );

  it('is the nearest of several', () => {
    expect(closest('stk.insuficient-funds', ['stk.success', 'stk.insufficient-funds'])).toBe(
      'stk.insufficient-funds',
    );
  });
});
