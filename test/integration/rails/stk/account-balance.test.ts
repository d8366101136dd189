import { balanceQuestions } from '../../../../src/rail-kit/provider-wallets';
import type { ProviderResponse } from '../../../../src/rail-kit/provider-http';
import type { RailApi } from '../../../../src/rail-kit/rail';
import { stkNotifications } from '../../../../src/rails/stk/notifications';
import { darajaWallets, readBalanceResult } from '../../../../src/rails/stk/providers/daraja/account-balance';
import { createTestDatabase, type TestDatabase } from '../../../support/database';

const account = (name: string, balance: string, currency = 'KES') =>
  [name, currency, balance, balance, '0.00', '0.00'].join('|');
const charges = account('Charges Paid Account', '-1540.00');
const accounts = [
  account('Working Account', '700000.00'),
  account('Float Account', '0.00'),
  account('Utility Account', '228037.25'),
  charges,
  account('Organization Settlement Account', '0.00'),
].join('&');
const resultWith = (balances: unknown, changes: object = {}) =>
  JSON.stringify({
    Result: {
      ResultType: 0,
      ResultCode: 0,
      ResultDesc: 'The service request is processed successfully.',
      ResultParameters: {
        ResultParameter: [
          { Key: 'ActionType', Value: 'AccountBalance' },
          { Key: 'AccountBalance', Value: balances },
          { Key: 'BOCompletedTime', Value: 20200109125710 },
        ],
      },
      ...changes,
    },
  });

describe('the result of Account Balance', () => {
  it('is the sum of all accounts of the organisation, whichever gets collections, without paid charges', () => {
    expect(readBalanceResult(resultWith(accounts))).toEqual({ balanceMinor: 92_803_725n });
    const ofTill = [account('Utility Account', '0.00'), charges, account('Merchant Account', '12.50')].join(
      '&',
    );
    expect(readBalanceResult(resultWith(ofTill))).toEqual({ balanceMinor: 1_250n });
    expect(readBalanceResult(resultWith('Working Account|KES|5.00&Other Account|USD|7.00'))).toEqual({
      balanceMinor: 500n,
    });
  });

  it.each([
    ['an amount that is none', `${accounts}&${account('Merchant Account', '1,200.00')}`],
    ['money that is owed', account('Utility Account', '-5.00')],
    ['accounts that ran into one', 'Working Account|KES|700000.00|KES|0.00|Utility Account|KES|228037.00|'],
    ['a name alone', 'Working Account'],
    ['nothing of ours', charges],
    ['another currency alone', account('Working Account', '5.00', 'USD')],
    ['nothing', ''],
    ['a number', 5],
  ])('cannot be read with %s', (_what, balances) => {
    expect(readBalanceResult(resultWith(balances))).toMatchObject({
      unreadable: expect.any(String) as unknown,
    });
  });

  it('with a rejection is not a balance', () => {
    const changes = { ResultCode: 2001, ResultDesc: 'The initiator information is invalid.' };
    expect(readBalanceResult(resultWith(accounts, changes))).toEqual({
      unreadable: '2001 The initiator information is invalid.',
    });
  });

  it.each(['', '[]', '{"Body":{}}', '{"Result":{}}', '{"Result":null}'])('is not %s', (body) => {
    expect(readBalanceResult(body)).toBeUndefined();
  });
});

describe('a balance query', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());
  beforeEach(() => test.db('balance_queries').delete());

  const taken: ProviderResponse = { kind: 'answered', status: 200, json: { ResponseCode: '0' }, text: '' };
  /** Queried as the float check does; `meanwhile` sends results to the address during the query. */
  const ask = (meanwhile: (token: string) => Promise<unknown> = () => Promise.resolve(), answer = taken) =>
    darajaWallets(
      async (_call, _path, body) => {
        await meanwhile(String(body()['ResultURL']).replace(/^.*\//, ''));
        return answer;
      },
      { shortcode: '600000', baseUrl: 'https://daraja.example' },
      { name: 'tester', credential: 'sealed' },
      'https://pay.example/in/stk',
    ).ask({
      // A second of it is left for what follows.
      timeoutMs: 1_050,
      requestId: 'request-1',
      questions: balanceQuestions(test.db, { provider: 'daraja' }),
    });
  /** @returns the HTTP status for the sender of the result. */
  async function notify(
    token: string,
    body = resultWith(account('Utility Account', '5.00')),
  ): Promise<unknown> {
    const routes = stkNotifications({ db: test.db } as RailApi, []);
    const received = await routes
      .find(({ path }) => path === '/in/stk/balance/:token')
      ?.receive({
        params: { token },
        query: {},
        headers: {},
        rawBody: Buffer.from(body),
        clientAddress: '127.0.0.1',
      });
    return received && 'status' in received ? received.status : received;
  }
  const age = (minutes: number) =>
    test.db.raw('UPDATE balance_queries SET asked_at = asked_at - INTERVAL ? MINUTE', [minutes]);
  const asked = () => test.db('balance_queries').first();
  const wallets = (balanceMinor: bigint) => [{ country: null, currency: 'KES', balanceMinor }];
  const none = { kind: 'unknown', text: 'no result has arrived yet' };

  it('is answered by the result at its address, once', async () => {
    expect(await ask(notify)).toEqual({
      kind: 'reported',
      wallets: wallets(500n),
      asOf: (await asked())?.asked_at,
    });
    expect(await ask()).toEqual(none);
  });

  it('uses a late result in the next round, with the time of its query', async () => {
    expect(await ask()).toEqual(none);
    await age(10);
    const { token = '', asked_at: askedAt } = (await asked()) ?? {};
    expect(await notify(token)).toBe(200);
    expect(await ask()).toEqual({ kind: 'reported', wallets: wallets(500n), asOf: askedAt });
    expect(await ask()).toEqual(none);
  });

  it('is answered by the newest result', async () => {
    await ask();
    const { token = '' } = (await asked()) ?? {};
    await notify(token);
    const newest = (own: string) => notify(own, resultWith(account('Utility Account', '7.00')));
    expect(await ask(newest)).toMatchObject({ wallets: wallets(700n) });
    expect(await ask()).toEqual(none);
  });

  it('accepts no result from another caller, no old one, no second one, and none after a long time', async () => {
    await ask();
    const { token: first = '' } = (await asked()) ?? {};
    await ask();
    const { token = '' } = (await asked()) ?? {};
    expect([
      await notify(first),
      await notify('0'.repeat(32)),
      await notify('%00'),
      await notify(token, '{}'),
    ]).toEqual([404, 404, 404, 400]);
    expect(await asked()).toMatchObject({ reported_at: null });
    expect([
      await notify(token),
      await notify(token, resultWith(account('Utility Account', '9.00'))),
    ]).toEqual([200, 200]);
    expect(await asked()).toMatchObject({ balance_minor: '500' });
    await age(20);
    expect(await ask()).toEqual(none);
    const { token: old = '' } = (await asked()) ?? {};
    await age(20);
    expect(await notify(old)).toBe(200);
    expect(await asked()).toMatchObject({ reported_at: null });
  });

  it('that is not accepted, or rejected, is unknown', async () => {
    const refused: ProviderResponse = { kind: 'answered', status: 429, json: {}, text: 'too often' };
    expect(await ask(undefined, refused)).toEqual({ kind: 'unknown', text: '429 too often' });
    const body = resultWith(accounts, {
      ResultCode: 2001,
      ResultDesc: 'The initiator information is invalid.',
    });
    expect(await ask((token) => notify(token, body))).toEqual({
      kind: 'unknown',
      text: '2001 The initiator information is invalid.',
    });
    expect(await ask((token) => notify(token, resultWith('soon')))).toMatchObject({ kind: 'unknown' });
  });
});
