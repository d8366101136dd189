import type { RailSettings } from '../../../../src/rail-kit/rail';
import { darajaProvider } from '../../../../src/rails/stk/providers/daraja';
import type { StkSettings } from '../../../../src/rails/stk/settings';
import type { PaymentRow } from '../../../../src/store/tables';

const timeoutMs = 15_000;
const call = { timeoutMs, requestId: 'request-1', attempt: 1 };
const payment = {
  payment_id: '0b9a2c61-5f44-7a3e-9c1d-7d2e8f60a111',
  callback_token: 'token-of-the-callback',
  provider_reference: 'ws_CO_1',
  phone_number: '254700000001',
  account_reference: 'INV-1',
  instructed_currency: 'KES',
  instructed_minor: '10000',
  details: {},
} as unknown as PaymentRow;
const stk = {
  // Nothing listens there: the test records calls before they are sent.
  baseUrl: 'http://127.0.0.1:1',
  consumerKey: 'key',
  consumerSecret: 'secret',
  shortcode: '174379',
  passkey: 'passkey',
  transactionType: 'CustomerPayBillOnline',
  partyB: '174379',
} as StkSettings;

/** An adapter whose token arrives after this much of the call's time, and the calls that it made. */
function adapter(lateMs: number) {
  const calls: string[] = [];
  const real = Date.now.bind(Date);
  const read = () => {
    jest.spyOn(Date, 'now').mockImplementation(() => real() + lateMs);
    const times = { refreshInMs: 3_600_000, expiresInMs: 3_600_000, leasedForMs: 0 };
    return Promise.resolve({ version: 1, token: 'token-1', ...times });
  };
  const observe = (_rail: string, name: string) => void calls.push(name);
  const settings = { environment: 'sandbox', tokens: { read }, observe } as unknown as RailSettings;
  return { ...darajaProvider(stk, settings, 'https://api.example.org/in/stk'), calls };
}
afterEach(() => jest.restoreAllMocks());

describe('a token that arrives late', () => {
  it('leaves a push unsent without enough time: after a timeout its result would be unknown', async () => {
    const { initiate, calls } = adapter(timeoutMs - 4_000);
    expect(await initiate(payment, call)).toEqual({ kind: 'not_sent', text: 'the token arrived too late' });
    expect(calls).toEqual([]);
  });

  it('leaves enough time for a push', async () => {
    const { initiate, calls } = adapter(timeoutMs - 9_000);
    await initiate(payment, call);
    expect(calls).toEqual(['initiate']);
  });

  it('leaves enough time for a query, which has no effect', async () => {
    const { retrieveStatus, calls } = adapter(timeoutMs - 4_000);
    await retrieveStatus(payment, call);
    expect(calls).toEqual(['query']);
  });
});
