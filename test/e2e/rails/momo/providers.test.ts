import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { call } from '../../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { post, setNetwork, transferBody } from '../../../support/rails/momo/payments';

const path = '/api/v1/momo/providers';

interface ProviderRecord {
  provider: string;
  country: string;
  currency: string;
  operations: Record<string, Record<string, unknown>>;
}

describe('GET /api/v1/momo/providers', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    // The list is cached for five minutes: six seconds of this sandbox.
    stack = await startStack({ timeScale: 50, without: ['worker'] });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'momo');
  });
  afterAll(() => stack.stop());

  const ask = (query = '') => call(stack, merchant, 'GET', `${path}${query}`);
  const list = async (query = '') => (await ask(query)).body['providers'] as ProviderRecord[];
  const named = async (name: string) => (await list()).find((record) => record.provider === name);

  describe('200', () => {
    it('lists each provider with its limits, its status and its requirements, exactly', async () => {
      const answer = await ask('?country=ZMB');
      expect(answer.status).toBe(200);
      const limits = { min_amount: '1', max_amount: '20000', decimals: 2, status: 'OPERATIONAL' };
      const zambian = { country: 'ZMB', country_name: 'Zambia', currency: 'ZMW' };
      const operations = { deposit: limits, payout: limits, refund: limits };
      const simple = { requires_redirect: false, requires_preauth: false };
      expect(answer.body).toEqual({
        success: true,
        providers: [
          { provider: 'MTN_MOMO_ZMB', provider_name: 'MTN', ...zambian, ...simple, operations },
          { provider: 'AIRTEL_OAPI_ZMB', provider_name: 'Airtel', ...zambian, ...simple, operations },
          {
            provider: 'ZAMTEL_ZMB',
            provider_name: 'Zamtel',
            ...zambian,
            ...simple,
            operations: Object.fromEntries(
              ['deposit', 'payout', 'refund'].map((name) => [name, { ...limits, max_amount: '10000' }]),
            ),
          },
        ],
      });
    });

    it('lists every country by default', async () => {
      const countries = new Set((await list()).map(({ country }) => country));
      expect([...countries].sort()).toEqual(
        'BEN BFA CIV CMR COD GHA KEN MOZ MWI RWA SEN SLE TZA UGA ZMB'.split(' '),
      );
    });

    it('says which need a page, and which need a code', async () => {
      expect(await named('WAVE_SEN')).toMatchObject({ requires_redirect: true, requires_preauth: false });
      expect(await named('WAVE_CIV')).toMatchObject({ requires_redirect: true, requires_preauth: false });
      expect(await named('ORANGE_BFA')).toMatchObject({ requires_redirect: false, requires_preauth: true });
    });

    it('says which allow no decimals', async () => {
      expect((await named('MPESA_KEN'))?.operations['deposit']).toMatchObject({ decimals: 0 });
      expect((await named('AIRTEL_MWI'))?.operations['deposit']).toMatchObject({ decimals: 2 });
    });

    it('lists a provider once per currency', async () => {
      const congolese = (await list('?country=COD')).filter((record) => record.provider === 'AIRTEL_COD');
      expect(congolese.map(({ currency }) => currency)).toEqual(['CDF', 'USD']);
    });

    it('lists nothing for a country without providers', async () => {
      expect((await ask('?country=NOR')).body).toEqual({ success: true, providers: [] });
    });

    it('queries the provider once for many requests, and again after five minutes', async () => {
      const asked = async () => (await provider.exchanges('conf')).length;
      await waitFor(
        async () => {
          const before = await asked();
          await Promise.all(Array.from({ length: 50 }, () => list()));
          // Unless the five minutes ended just now.
          return (await asked()) === before;
        },
        { what: 'fifty answers from one list', timeoutMs: 20_000 },
      );
      await setNetwork(provider, 'ZAMTEL_ZMB', 'PAYOUT', 'DELAYED');
      const fresh = await waitFor(
        async () => {
          const zamtel = await named('ZAMTEL_ZMB');
          return zamtel?.operations['payout']?.['status'] === 'DELAYED' ? zamtel : undefined;
        },
        { what: 'the list to be read again', timeoutMs: 30_000 },
      );
      expect(fresh.operations['deposit']).toMatchObject({ status: 'OPERATIONAL' });
    });

    it('answers with the old list while the provider cannot be reached', async () => {
      const before = await list();
      await provider.next({ call: 'conf', behave: '500', times: 1_000 });
      const failed = async () => (await provider.exchanges('conf')).filter(({ fault }) => fault === '500');
      await waitFor(async () => (await list()).length > 0 && (await failed()).length > 0, {
        what: 'the provider to be asked in vain',
        timeoutMs: 30_000,
      });
      expect(await list()).toEqual(before);
    });
  });

  describe('400', () => {
    it.each(['ZM', 'zmb', 'ZZZ', 'Zambia', '894', "';--"])('rejects the country %j', async (country) => {
      const answer = await ask(`?country=${encodeURIComponent(country)}`);
      expect([answer.status, answer.body.details?.map(({ field }) => field)]).toEqual([400, ['country']]);
    });

    it('rejects a repeated country', async () => {
      const answer = await ask('?country=ZMB&country=KEN');
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_QUERY']);
    });
  });

  describe('503', () => {
    it('when no list was ever read: a deposit starts nothing either', async () => {
      const blind = await startStack({ timeScale: 20, without: ['worker', 'simulator'] });
      try {
        const own = await blind.createMerchant();
        for (const answer of [
          await call(blind, own, 'GET', path),
          await post(blind, own, 'deposit', transferBody()),
        ]) {
          expect([answer.status, answer.body.code]).toEqual([503, 'PROVIDER_UNAVAILABLE']);
          expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
        }
        expect(await blind.db('payments')).toEqual([]);
      } finally {
        await blind.stop();
      }
    });
  });
});
