import { startTestBench, type TestBench } from '../../support/simulator/bench';
import type { Fields } from '../../support/simulator/http-client';
import { bearer, depositFields, payoutFields, type MomoClient } from '../../support/simulator/momo-client';

const SUCCESS = '260763456789';
const wireTime: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

let bench: TestBench;
let momo: MomoClient;
beforeAll(async () => {
  bench = await startTestBench();
  momo = bench.momo;
});
afterAll(() => bench.stop());

const reason = (failureCode: string) => ({ failureCode, failureMessage: expect.any(String) as string });

describe('a submission', () => {
  it('of a deposit is accepted with the next step', async () => {
    const fields = depositFields(SUCCESS);
    expect(await momo.send('deposits', fields)).toMatchObject({ status: 200 });
    const { body } = await momo.send('deposits', depositFields(SUCCESS));
    expect(body).toEqual({
      depositId: expect.any(String),
      status: 'ACCEPTED',
      nextStep: 'FINAL_STATUS',
      created: wireTime,
    });
  });

  it('of a payout is accepted without one', async () => {
    const fields = payoutFields(SUCCESS);
    const { body } = await momo.send('payouts', fields);
    expect(body).toEqual({ payoutId: fields['payoutId'], status: 'ACCEPTED', created: wireTime });
  });

  it('keeps the remarks, and returns the metadata as one object', async () => {
    const id = await momo.deposit(SUCCESS, {
      customerMessage: 'INV 2041',
      clientReferenceId: 'inv-2041',
      metadata: [{ tx: '5b1c9d0e' }, { customer: 'a@example.org', isPII: true }],
    });
    expect(await momo.dataOf('deposits', id)).toMatchObject({
      customerMessage: 'INV 2041',
      clientReferenceId: 'inv-2041',
      metadata: { tx: '5b1c9d0e', customer: 'a@example.org' },
    });
  });

  it('in bulk is answered payout by payout', async () => {
    const items = [payoutFields(SUCCESS), { ...payoutFields(SUCCESS), amount: '5.00' }, payoutFields('0977')];
    const { status, body } = await momo.post<unknown>('/v2/payouts/bulk', items, bearer);
    expect(status).toBe(200);
    expect(body).toMatchObject([
      { payoutId: items[0]?.['payoutId'], status: 'ACCEPTED' },
      { payoutId: items[1]?.['payoutId'], status: 'REJECTED', failureReason: reason('INVALID_PARAMETER') },
      { payoutId: items[2]?.['payoutId'], status: 'REJECTED', failureReason: reason('INVALID_PHONE_NUMBER') },
    ]);
    for (const wrong of [[], {}, Array.from({ length: 21 }, () => payoutFields(SUCCESS))]) {
      expect(await momo.post('/v2/payouts/bulk', wrong, bearer)).toMatchObject({
        status: 400,
        body: { failureReason: reason('INVALID_INPUT') },
      });
    }
  });
});

describe('row 18: strict validation', () => {
  const payer = (phoneNumber: string, provider = 'MTN_MOMO_ZMB', more: Fields = {}) => ({
    payer: { type: 'MMO', accountDetails: { phoneNumber, provider }, ...more },
  });

  it.each<[string, Fields]>([
    ['MISSING_PARAMETER', { depositId: undefined }],
    ['MISSING_PARAMETER', { amount: undefined }],
    ['MISSING_PARAMETER', { currency: undefined }],
    ['MISSING_PARAMETER', { payer: undefined }],
    ['MISSING_PARAMETER', { payer: { type: 'MMO' } }],
    ['UNSUPPORTED_PARAMETER', { country: 'ZMB' }],
    ['UNSUPPORTED_PARAMETER', payer(SUCCESS, 'MTN_MOMO_ZMB', { name: 'A' })],
    ['UNSUPPORTED_PARAMETER', { successfulUrl: 'https://example.org' }],
    ['UNSUPPORTED_PARAMETER', { failedUrl: 'https://example.org' }],
    ['INVALID_PARAMETER', { depositId: 'not-a-uuid' }],
    ['INVALID_PARAMETER', { depositId: '5b1c9d0e-3f5a-1c41-9a57-2d1f0a6f7e11' }],
    ['INVALID_PARAMETER', { amount: 15 }],
    ['INVALID_PARAMETER', { amount: '15.00' }],
    ['INVALID_PARAMETER', { amount: '15.50' }],
    ['INVALID_PARAMETER', { amount: '015' }],
    ['INVALID_PARAMETER', { amount: '-15' }],
    ['INVALID_PARAMETER', { amount: '1e3' }],
    ['INVALID_PARAMETER', { currency: 'zmw' }],
    ['INVALID_PARAMETER', { payer: 'me' }],
    ['INVALID_PARAMETER', { payer: { type: 'BANK', accountDetails: {} } }],
    ['INVALID_PARAMETER', { customerMessage: 'abc' }],
    ['INVALID_PARAMETER', { customerMessage: 'INV-2041' }],
    ['INVALID_PARAMETER', { customerMessage: 'x'.repeat(23) }],
    ['INVALID_PARAMETER', { preAuthorisationCode: '' }],
    ['INVALID_PARAMETER', { metadata: { a: 1 } }],
    ['INVALID_PARAMETER', { metadata: [{ a: 1, b: 2 }] }],
    ['INVALID_PARAMETER', { metadata: Array.from({ length: 11 }, (_, n) => ({ [`f${String(n)}`]: 1 })) }],
    ['DUPLICATE_METADATA_FIELD', { metadata: [{ a: 1 }, { a: 2 }] }],
  ])('400 %s: %j', async (code, changes) => {
    expect(await momo.send('deposits', { ...depositFields(SUCCESS), ...changes })).toMatchObject({
      status: 400,
      body: { status: 'REJECTED', failureReason: reason(code) },
    });
  });

  it.each<[string, Fields]>([
    ['INVALID_AMOUNT', { amount: '15.555' }],
    ['AMOUNT_OUT_OF_BOUNDS', { amount: '0' }],
    ['AMOUNT_OUT_OF_BOUNDS', { amount: '0.99' }],
    ['AMOUNT_OUT_OF_BOUNDS', { amount: '20000.01' }],
    ['INVALID_CURRENCY', { currency: 'KES' }],
    ['INVALID_PROVIDER', payer(SUCCESS, 'NOBODY_ZMB')],
    ['INVALID_PHONE_NUMBER', payer('+260763456789')],
    ['INVALID_PHONE_NUMBER', payer('0763456789')],
    ['INVALID_PHONE_NUMBER', payer('256763456789')],
    ['INVALID_PHONE_NUMBER', payer('26076345678')],
  ])('200 REJECTED %s: %j', async (code, changes) => {
    const fields = { ...depositFields(SUCCESS), ...changes };
    const { status, body } = await momo.send('deposits', fields);
    expect(status).toBe(200);
    expect(body).toEqual({ depositId: fields['depositId'], status: 'REJECTED', failureReason: reason(code) });
  });

  it.each([
    ['256771234567', 'MTN_MOMO_UGA', 'UGX', '1000.5'],
    ['250781234567', 'MTN_MOMO_RWA', 'RWF', '1000.5'],
    ['254708374149', 'MPESA_KEN', 'KES', '1000.5'],
  ])('%s: %s accepts no decimals of %s', async (phone, provider, currency, amount) => {
    const fields = { ...depositFields(phone, provider), currency, amount };
    expect((await momo.send('deposits', fields)).body['failureReason']).toEqual(reason('INVALID_AMOUNT'));
    await momo.accepted('deposits', { ...fields, amount: '1000' });
  });

  it('400 INVALID_INPUT: a body that is not JSON, or not an object', async () => {
    const headers = { ...bearer, 'content-type': 'application/json' };
    const broken = await momo.call('/v2/deposits', { method: 'POST', headers, body: '{"a":' });
    expect(broken).toMatchObject({ status: 400, body: { failureReason: reason('INVALID_INPUT') } });
    expect(await momo.send('deposits', [])).toMatchObject({
      status: 400,
      body: { failureReason: reason('INVALID_INPUT') },
    });
  });
});

describe('the token', () => {
  it('is required by every call except the availability', async () => {
    const paths = ['deposits/x', 'active-conf', 'wallet-balances', 'public-key/http'];
    for (const path of paths) {
      const missing = await momo.call(`/v2/${path}`);
      expect([missing.status, missing.body['failureReason']]).toEqual([401, reason('NO_AUTHENTICATION')]);
    }
    const wrong = await momo.send('deposits', depositFields(SUCCESS), { authorization: 'Bearer wrong' });
    expect([wrong.status, wrong.body['failureReason']]).toEqual([403, reason('AUTHENTICATION_ERROR')]);
    expect((await momo.call('/v2/availability')).status).toBe(200);
  });

  it('is not shown in the list of requests', async () => {
    await momo.get('wallet-balances');
    expect(JSON.stringify(await momo.requests())).not.toContain('test-momo-token');
  });
});

describe('the toolkit', () => {
  it.each([
    ['+260 763-456789', 'ZMB', 'MTN_MOMO_ZMB', '260763456789'],
    ['260977123456', 'ZMB', 'AIRTEL_OAPI_ZMB', '260977123456'],
    ['260955123456', 'ZMB', 'ZAMTEL_ZMB', '260955123456'],
    ['254708374149', 'KEN', 'MPESA_KEN', '254708374149'],
    ['256701234567', 'UGA', 'AIRTEL_OAPI_UGA', '256701234567'],
    ['255744123456', 'TZA', 'VODACOM_TZA', '255744123456'],
    ['250731234567', 'RWA', 'AIRTEL_RWA', '250731234567'],
    ['233241234567', 'GHA', 'MTN_MOMO_GHA', '233241234567'],
    ['22951345789', 'BEN', 'MTN_MOMO_BEN', '22951345789'],
    ['2290151345789', 'BEN', 'MTN_MOMO_BEN', '2290151345789'],
    ['22607123456', 'BFA', 'ORANGE_BFA', '22607123456'],
    ['221771234567', 'SEN', 'ORANGE_SEN', '221771234567'],
    ['237651234567', 'CMR', 'MTN_MOMO_CMR', '237651234567'],
    ['258841234567', 'MOZ', 'VODACOM_MOZ', '258841234567'],
  ])('predicts for %s: %s, %s', async (written, country, provider, phoneNumber) => {
    const { body } = await momo.post('/v2/predict-provider', { phoneNumber: written }, bearer);
    expect(body).toEqual({ country, provider, phoneNumber });
  });

  it('predicts nothing for a number it does not know', async () => {
    const { status, body } = await momo.post(
      '/v2/predict-provider',
      { phoneNumber: '4915112345678' },
      bearer,
    );
    expect([status, body]).toEqual([200, { failureReason: reason('INVALID_PHONE_NUMBER') }]);
    expect((await momo.post('/v2/predict-provider', {}, bearer)).status).toBe(400);
  });

  it('returns the active configuration, filtered as requested', async () => {
    const { body } = await momo.get('active-conf?country=SEN&operationType=DEPOSIT');
    expect(body).toEqual({
      companyName: 'Malipo Sandbox',
      signatureConfiguration: { signedRequestsOnly: false, signedCallbacks: true },
      countries: [
        {
          country: 'SEN',
          prefix: '221',
          displayName: { en: 'Senegal', fr: 'Sénégal' },
          providers: [
            expect.objectContaining({ provider: 'ORANGE_SEN' }),
            {
              provider: 'WAVE_SEN',
              displayName: 'Wave',
              nameDisplayedToCustomer: 'Malipo Sandbox',
              logo: null,
              currencies: [
                {
                  currency: 'XOF',
                  displayName: 'CFA',
                  operationTypes: {
                    DEPOSIT: {
                      authType: 'REDIRECT_AUTH',
                      minAmount: '100',
                      maxAmount: '1500000',
                      decimalsInAmount: 'NONE',
                      status: 'OPERATIONAL',
                      callbackUrl: `${bench.receiver.url}/in/momo/deposits`,
                    },
                  },
                },
              ],
            },
          ],
        },
      ],
    });
  });

  it('returns every country, and which networks require pre-authorisation', async () => {
    interface Configuration {
      countries: {
        country: string;
        providers: { provider: string; currencies: { operationTypes: Record<string, Fields> }[] }[];
      }[];
    }
    const { countries } = (await momo.get<Configuration>('active-conf')).body;
    expect(countries.map(({ country }) => country)).toEqual(
      expect.arrayContaining(['ZMB', 'KEN', 'UGA', 'TZA', 'RWA', 'GHA', 'BEN', 'BFA', 'SEN', 'CIV', 'MOZ']),
    );
    // With each network's prompts in two languages, the table exceeds the usual buffer of a caller.
    expect(JSON.stringify(countries).length).toBeGreaterThan(64 * 1024);
    const authTypes = countries.flatMap(({ providers }) =>
      providers.map(({ provider, currencies }) => [
        provider,
        currencies[0]?.operationTypes['DEPOSIT']?.['authType'],
      ]),
    );
    expect(authTypes.filter(([, authType]) => authType !== 'PROVIDER_AUTH')).toEqual([
      ['ORANGE_BFA', 'PREAUTH'],
      ['WAVE_SEN', 'REDIRECT_AUTH'],
      ['WAVE_CIV', 'REDIRECT_AUTH'],
    ]);
  });

  it('returns the availability', async () => {
    const { body } = await momo.call<unknown>('/v2/availability?country=KEN&operationType=PAYOUT');
    expect(body).toEqual([
      {
        country: 'KEN',
        providers: [
          { provider: 'MPESA_KEN', operationTypes: [{ operationType: 'PAYOUT', status: 'OPERATIONAL' }] },
        ],
      },
    ]);
  });

  it('returns the balance of each wallet, two in a country of two currencies', async () => {
    const { body } = await momo.get('wallet-balances?country=COD');
    expect(body).toEqual({
      balances: [
        { country: 'COD', currency: 'CDF', balance: '1000000000.00', provider: '' },
        { country: 'COD', currency: 'USD', balance: '1000000000.00', provider: '' },
      ],
    });
  });
});

it('writes a notification byte for byte as the provider does', async () => {
  const own = await startTestBench();
  try {
    const fields = payoutFields('260763000089');
    await own.momo.accepted('payouts', {
      ...fields,
      clientReferenceId: 'ref-1',
      customerMessage: 'INV 2041',
    });
    await own.momo.advance(3_000);
    const callback = own.receiver.received[0];
    expect([callback?.path, callback?.contentType]).toEqual(['/in/momo/payouts', 'application/json']);
    expect(callback?.text).toBe(
      `{"payoutId":"${String(fields['payoutId'])}","status":"FAILED","amount":"100","currency":"ZMW","country":"ZMB",` +
        '"recipient":{"type":"MMO","accountDetails":{"phoneNumber":"260763000089","provider":"MTN_MOMO_ZMB"}},' +
        `"customerMessage":"INV 2041","created":"${String(callback?.body['created'])}",` +
        '"failureReason":{"failureCode":"RECIPIENT_NOT_FOUND","failureMessage":"The phone number does not belong to the provider."}}',
    );
    expect(callback?.body['created']).toEqual(wireTime);
  } finally {
    await own.stop();
  }
});

it('sends nothing when no address was set', async () => {
  const own = await startTestBench({ env: { MOMO_CALLBACK_DEPOSIT_URL: '' } });
  try {
    const id = await own.momo.deposit(SUCCESS);
    await own.momo.advance(3_000);
    expect(await own.momo.stateOf('deposits', id)).toBe('COMPLETED');
    expect(own.receiver.received).toEqual([]);
  } finally {
    await own.stop();
  }
});

it('answers 404 on other paths', async () => {
  expect((await momo.get('unknown')).status).toBe(404);
});
