import type { ProviderResponse } from '../../../src/rail-kit/provider-http';
import type { AskableWallets } from '../../../src/rail-kit/provider-wallets';
import { pawapayWallets } from '../../../src/rails/momo/providers/pawapay/wallets';
import { paypalWallets } from '../../../src/rails/walletpay/providers/paypal/balances';
import { intasendWallets } from '../../../src/rails/xb/providers/intasend/wallets';

type Answer = ProviderResponse | { kind: 'account_refused'; text: string };

const json = (value: unknown): ProviderResponse => ({
  kind: 'answered',
  status: 200,
  json: value,
  text: JSON.stringify(value),
});
const as =
  <T extends Answer>(answer: Answer) =>
  () =>
    Promise.resolve(answer as T);

const baseUrl = 'https://provider.example';

/** Each provider's wallets, for this answer. */
const providers = {
  pawapay: (answer: Answer) => pawapayWallets(as(answer), baseUrl),
  intasend: (answer: Answer) => intasendWallets(as(answer), baseUrl),
  paypal: (answer: Answer) => paypalWallets(() => as(answer), baseUrl),
} satisfies Record<string, (answer: Answer) => AskableWallets>;
const all = Object.keys(providers) as (keyof typeof providers)[];

/** None of these answers later. */
const noQuestions = {
  ask: () => Promise.reject(new Error('nothing is asked')),
  take: () => Promise.reject(new Error('nothing is taken')),
};
const asked = (name: keyof typeof providers, answer: Answer) =>
  providers[name](answer).ask({ timeoutMs: 1_000, requestId: 'request-1', questions: noQuestions });
const balances = (...list: unknown[]) => json({ balances: list });
const usd = (value: unknown, more: object = {}) => ({
  currency: 'USD',
  total_balance: { currency_code: 'USD', value },
  ...more,
});
const no = (text: string) => ({ unreadable: `${text} is not a balance` });

describe('the wallets of a provider', () => {
  it('are summed by country and currency, including those of single networks', async () => {
    const reported = await asked(
      'pawapay',
      balances(
        { country: 'ZMB', currency: 'ZMW', balance: '21798.03', provider: '' },
        { country: 'BEN', currency: 'XOF', balance: '10', provider: 'MTN_MOMO_BEN' },
        { country: 'BEN', currency: 'XOF', balance: '5.00', provider: 'MOOV_BEN' },
        { country: 'CIV', currency: 'XOF', balance: '7', provider: '' },
      ),
    );
    expect(reported).toEqual({
      kind: 'reported',
      wallets: [
        { country: 'ZMB', currency: 'ZMW', balanceMinor: 2_179_803n },
        { country: 'BEN', currency: 'XOF', balanceMinor: 15n },
        { country: 'CIV', currency: 'XOF', balanceMinor: 7n },
      ],
    });
  });

  it('are summed by currency if they have no country, in texts or numbers, paged or not', async () => {
    const list = [
      { currency: 'UGX', current_balance: '1500.00', available_balance: '0.00' },
      { currency: 'UGX', current_balance: 500, available_balance: 500 },
      { currency: 'KES', current_balance: 12.5 },
    ];
    const wallets = [
      { country: null, currency: 'UGX', balanceMinor: 2_000n },
      { country: null, currency: 'KES', balanceMinor: 1_250n },
    ];
    expect(await asked('intasend', json(list))).toEqual({ kind: 'reported', wallets });
    const page = { count: 3, next: null, results: list };
    expect(await asked('intasend', json(page))).toEqual({ kind: 'reported', wallets });
    // Wallets on another page are not in the sum.
    expect(await asked('intasend', json({ ...page, next: 'https://example.org/?page=2' }))).toMatchObject({
      kind: 'unknown',
    });
  });

  it('include withheld money, and may be negative, if the provider documents that', async () => {
    const reported = await asked('paypal', balances(usd('-3.50', { available_balance: { value: '0.00' } })));
    expect(reported).toMatchObject({ wallets: [{ country: null, currency: 'USD', balanceMinor: -350n }] });
  });

  it.each([
    '1,200.00',
    '-5.00',
    '12.345',
    '1e6',
    '',
    ' 5',
    '0x10',
    'NaN',
    12_345_678_901_234_567_890,
    null,
    {},
  ])('reject the balance %j', async (balance) => {
    const reported = await asked(
      'pawapay',
      balances(
        { country: 'KEN', currency: 'KES', balance },
        { country: 'ZMB', currency: 'ZMW', balance: '5' },
      ),
    );
    expect(reported).toMatchObject({
      wallets: [
        { currency: 'KES', ...no(JSON.stringify(balance)) },
        { currency: 'ZMW', balanceMinor: 500n },
      ],
    });
  });

  it('have no sum if one part cannot be read or is in another currency', async () => {
    const list = [
      { currency: 'UGX', current_balance: 'soon' },
      { currency: 'UGX', current_balance: '5' },
    ];
    expect(await asked('intasend', json(list))).toMatchObject({ wallets: [no('"soon"')] });
    const other = { currency: 'USD', total_balance: { currency_code: 'EUR', value: '5.00' } };
    expect(await asked('paypal', balances(other))).toMatchObject({ wallets: [no('null')] });
    // No payment is in an unknown currency.
    expect(await asked('pawapay', balances({ country: 'KEN', currency: 'XXQ', balance: '5' }))).toEqual({
      kind: 'reported',
      wallets: [],
    });
  });

  it.each<[string, Answer]>([
    ['does not answer', { kind: 'unknown', text: 'TimeoutError' }],
    ['is not there', { kind: 'not_sent', text: 'ECONNREFUSED' }],
    ['refuses our account', { kind: 'account_refused', text: 'no' }],
    ['has been asked too often', { kind: 'answered', status: 429, json: {}, text: '{}' }],
    ['answers with a page', { kind: 'answered', status: 200, json: undefined, text: '<html>' }],
    ['answers with something else', json({ results: 'none', balances: 5 })],
    ['answers with nothing', json(null)],
  ])('are unknown if the provider %s', async (_what, answer) => {
    for (const name of all) expect(await asked(name, answer)).toMatchObject({ kind: 'unknown' });
  });
});
