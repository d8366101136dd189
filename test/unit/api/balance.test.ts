import { PaymentError, type ErrorCode } from '../../../src/domain/errors';
import { balanceEndpoints } from '../../../src/api/balance';
import { errorOf, merchant, serve } from '../../support/api/serve';

async function ask(
  services: Parameters<typeof serve>[0] = {},
  init: RequestInit = { headers: { 'X-API-KEY': 'pk_test_1', 'X-API-SECRET': 'sk_test_1' } },
  path = '/api/v1/query_balance',
): Promise<Response> {
  const walletBalance = () => Promise.resolve(123_456n);
  const api = await serve({
    endpoints: balanceEndpoints({ walletBalance, timezone: 'Africa/Nairobi' }),
    ...services,
  });
  try {
    return await fetch(api.url + path, init);
  } finally {
    await api.close();
  }
}

const refusing = (code: ErrorCode) => ({ authenticate: () => Promise.reject(new PaymentError(code)) });

describe.each(['/api/v1/query_balance', '/api/v1/merchant/balance'])('GET %s', (path) => {
  it('200: shows the KES wallet as specified', async () => {
    const response = await ask({}, undefined, path);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      success: true,
      merchant_id: merchant.merchant_id,
      merchant_name: 'Duka la Mama',
      balance: 1234.56,
      currency: 'KES',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string,
      timestamp_utc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    });
  });
});

describe('GET /api/v1/query_balance', () => {
  describe('401', () => {
    it('API credentials required', async () => {
      const response = await ask({}, {});
      const body = await errorOf(response);
      expect([response.status, body.success, body.error]).toEqual([401, false, 'API credentials required']);
      expect(body.timestamp).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    });

    it.each(['INVALID_CREDENTIALS', 'KEY_OF_OTHER_ENVIRONMENT'] as const)(
      'Invalid merchant, for %s',
      async (code) => {
        const response = await ask(refusing(code));
        expect([response.status, (await errorOf(response)).error]).toEqual([401, 'Invalid merchant']);
      },
    );

    it('accepts credentials only from the headers', async () => {
      const response = await ask({}, {}, '/api/v1/query_balance?api_key=pk_test_1&api_secret=sk_test_1');
      expect((await errorOf(response)).error).toBe('API credentials required');
    });
  });

  it('403: reports a suspended merchant, once its secret is verified', async () => {
    const response = await ask(refusing('ACCOUNT_SUSPENDED'));
    expect([response.status, (await errorOf(response)).error]).toEqual([403, 'Account suspended']);
  });

  it('404: Merchant account not found, for a closed account', async () => {
    const response = await ask(refusing('ACCOUNT_INACTIVE'));
    expect([response.status, (await errorOf(response)).error]).toEqual([404, 'Merchant account not found']);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('405: rejects %s', async (method) => {
    const response = await ask({}, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
    expect((await errorOf(response)).error).toBe('Method not allowed. Use GET request');
  });

  it('500: has the one error shape when the balance cannot be read', async () => {
    const walletBalance = () => Promise.reject(new Error('no such table'));
    const response = await ask({ endpoints: balanceEndpoints({ walletBalance, timezone: 'UTC' }) });
    const body = await errorOf(response);
    expect([response.status, body.success, body.code]).toEqual([500, false, 'INTERNAL_ERROR']);
    expect(JSON.stringify(body)).not.toContain('table');
  });
});
