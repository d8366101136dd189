import type { ProviderResponse } from '../../../../src/rail-kit/provider-http';
import { pullTransactions } from '../../../../src/rails/stk/providers/daraja/pull-transactions';
import { darajaStatement } from '../../../../src/rails/stk/providers/daraja/statement';
import type { FetchedStatement } from '../../../../src/reconciliation/statement-source';
import { answered, hourMs, patiently } from '../../../support/reconciliation/statement-support';
import { atOnce } from '../../../support/at-once';

const now = new Date('2026-11-20T12:00:20Z');
const before = (hours: number) => new Date(now.getTime() - hours * hourMs);

type Json = Record<string, unknown>;

const transaction = (receipt: string, more: Json = {}): Json => ({
  transactionId: receipt,
  trxDate: '2026-11-20T07:13:00Z',
  msisdn: 712000001,
  sender: 'MADE UP',
  transactiontype: 'c2b-pay-bill-debit',
  billreference: 'INV-1',
  amount: '1250.00',
  organizationname: 'MADE UP',
  ...more,
});
const reported = (json: Json) => answered(200, JSON.stringify({ ResponseRefID: '1', ...json }));
const page = (...transactions: unknown[]) =>
  reported({ ResponseCode: '1000', ResponseMessage: 'Success', Response: [transactions] });
const registered = reported({ ResponseStatus: '1000', ShortCode: '600000' });
const nothing = reported({ ResponseCode: '1001', Response: '[[]]' });

/** Gives these answers in turn, repeats the last one, and records the requests. */
function provider(...answers: ProviderResponse[]) {
  const asked: { path: string; body: Json }[] = [];
  const source = pullTransactions(
    ({ path, body }) => {
      asked.push({ path, body });
      return Promise.resolve(answers[Math.min(asked.length, answers.length) - 1] as ProviderResponse);
    },
    {
      shortcode: '600000',
      nominatedNumber: '254722000000',
      callbackUrl: 'https://pay.example.com/in/stk/pull',
    },
    1_000,
  );
  const fetch = (from = before(24), to = before(0)) => source.fetch({ from, to }, patiently);
  const paths = () => asked.map(({ path }) => path.split('/').at(-1));
  return { asked, paths, fetch };
}

function linesOf(statement: FetchedStatement) {
  if (statement.kind !== 'fetched') throw new Error(`nothing was fetched: ${statement.text}`);
  return atOnce(darajaStatement.read(statement.content, {}));
}
const receiptsOf = (statement: FetchedStatement) =>
  linesOf(statement).map(({ providerReference }) => providerReference);

describe('Pull Transactions of Daraja', () => {
  beforeEach(() => {
    jest.spyOn(Date, 'now').mockReturnValue(now.getTime());
  });
  afterEach(() => jest.restoreAllMocks());

  it('is registered, and queried page by page until one is empty', async () => {
    const daraja = provider(
      registered,
      page(transaction('A'), transaction('B')),
      page(transaction('C')),
      nothing,
    );
    expect(receiptsOf(await daraja.fetch())).toEqual(['A', 'B', 'C']);
    const query = {
      ShortCode: '600000',
      StartDate: '2026-11-19 15:00:20',
      EndDate: '2026-11-20 15:00:20',
    };
    expect(daraja.asked).toEqual([
      {
        path: '/pulltransactions/v1/register',
        body: {
          ShortCode: '600000',
          RequestType: 'Pull',
          NominatedNumber: '254722000000',
          CallBackURL: 'https://pay.example.com/in/stk/pull',
        },
      },
      { path: '/pulltransactions/v1/query', body: { ...query, OffSetValue: '0' } },
      { path: '/pulltransactions/v1/query', body: { ...query, OffSetValue: '2' } },
      { path: '/pulltransactions/v1/query', body: { ...query, OffSetValue: '3' } },
    ]);
  });

  it.each([
    ['as documented', { ResponseStatus: '1001' }],
    ['as the sandbox of the provider words it', { 'Response Status': '1001' }],
    ['as a number', { ResponseStatus: 1001 }],
  ])('is registered once, and an earlier registration is accepted: %s', async (_how, status) => {
    const daraja = provider(reported(status), nothing);
    expect(linesOf(await daraja.fetch())).toEqual([]);
    expect(linesOf(await daraja.fetch())).toEqual([]);
    expect(daraja.paths()).toEqual(['register', 'query', 'query']);
  });

  it("returns the same lines as the portal's file: receipts, collections, shillings", async () => {
    const bare = { msisdn: '2547 ***** 126', billreference: '', transactiontype: '' };
    const statement = await provider(
      registered,
      page(
        transaction('UKK1AAAAA1'),
        transaction('UKK1AAAAA2', { ...bare, amount: 168.5, trxDate: '2026-11-20 10:13:00' }),
      ),
      nothing,
    ).fetch();
    expect(linesOf(statement)).toEqual([
      {
        n: 1,
        providerReference: 'UKK1AAAAA1',
        ourReference: 'INV-1',
        kind: 'collection',
        amountMinor: 125_000n,
        currency: 'KES',
        at: new Date('2026-11-20T07:13:00Z'),
        state: 'completed',
        phone: '254712000001',
        description: 'c2b-pay-bill-debit',
      },
      {
        n: 2,
        phone: '2547*****126',
        providerReference: 'UKK1AAAAA2',
        kind: 'collection',
        amountMinor: 16_850n,
        currency: 'KES',
        at: new Date('2026-11-20T07:13:00Z'),
        state: 'completed',
      },
    ]);
    expect(statement.kind === 'fetched' && statement.content.toString()).not.toContain('sender');
  });

  it('returns a repeated row twice, for the reader to judge', async () => {
    const daraja = provider(
      registered,
      page(transaction('A')),
      page(transaction('A')),
      page(transaction('B')),
      nothing,
    );
    expect(receiptsOf(await daraja.fetch())).toEqual(['A', 'A', 'B']);
  });

  describe('of the last 48 hours', () => {
    const earliest = new Date('2026-11-18T12:16:00Z');

    it.each([
      ['48 hours', before(48)],
      ['three days', before(72)],
      ['31 days, as for a payment that came late', before(31 * 24)],
    ])('covers no more if %s are requested', async (_what, from) => {
      const daraja = provider(registered, nothing);
      expect(await daraja.fetch(from)).toMatchObject({ covers: { from: earliest, to: before(0) } });
      expect(daraja.asked[1]?.body).toMatchObject({ StartDate: '2026-11-18 15:16:00' });
    });

    it('covers the requested time within them', async () => {
      const fetched = await provider(registered, nothing).fetch(before(40), before(20));
      expect(fetched).toMatchObject({ covers: { from: before(40), to: before(20) } });
    });

    it('is not queried for older times, and reports why', async () => {
      const daraja = provider(registered, nothing);
      expect(await daraja.fetch(before(72), before(48))).toEqual({
        kind: 'refused',
        text: expect.stringMatching(/last 48 hours.*M-Pesa portal/),
      });
      expect(daraja.asked).toEqual([]);
    });

    it('has two files for two nights without transactions', async () => {
      const contentOf = async (from: Date, to: Date) => {
        const statement = await provider(registered, nothing).fetch(from, to);
        return statement.kind === 'fetched' && statement.content.toString();
      };
      expect(await contentOf(before(40), before(30))).not.toEqual(await contentOf(before(30), before(20)));
    });
  });

  it('is queried again if it is busy or down', async () => {
    const lost: ProviderResponse = { kind: 'unknown', text: 'UND_ERR_SOCKET' };
    const [busy, down] = [answered(429, '{}'), answered(503, '')];
    const daraja = provider(busy, registered, lost, down, page(transaction('A')), busy, nothing);
    expect(receiptsOf(await daraja.fetch())).toEqual(['A']);
  });

  const first = page(transaction('A'));
  it.each<[string, ProviderResponse[], string, string]>([
    ['a page fails half way', [registered, first, answered(503, '')], 'unavailable', 'HTTP 503'],
    [
      'a page breaks off',
      [registered, first, answered(200, '{"ResponseCode":"10')],
      'unavailable',
      'not a page',
    ],
    ['a page is one for people', [registered, answered(200, '<html></html>')], 'unavailable', 'not a page'],
    ['a page has no list', [registered, reported({ ResponseCode: '1000' })], 'unavailable', 'not a page'],
    [
      'nothing is told, and something',
      [registered, reported({ ResponseCode: '1001', Response: [[transaction('A')]] })],
      'unavailable',
      'not a page',
    ],
    ['the offset is not known there', [registered, first], 'unavailable', 'the same transactions again'],
    ['another code is answered', [registered, reported({ ResponseCode: '1002' })], 'refused', '1002'],
    ['the app may not ask', [registered, answered(401, '{}')], 'refused', 'STK_PULL_TRANSACTIONS'],
    [
      'the registration is refused',
      [reported({ ResponseStatus: '1002' })],
      'refused',
      'not registered (1002)',
    ],
    ['the registration is not answered', [answered(200, '{}')], 'unavailable', 'registration'],
    ['the token is refused', [{ kind: 'account_refused', text: '' } as never], 'refused', 'credentials'],
  ])('returns nothing if %s', async (_what, answers, kind, text) => {
    expect(await provider(...answers).fetch()).toEqual({ kind, text: expect.stringContaining(text) });
  });

  it.each<[string, unknown, RegExp]>([
    ['an amount that is none', transaction('B', { amount: '1.200,00' }), /line 2.*not an amount/],
    ['no amount', transaction('B', { amount: null }), /line 2.*not an amount/],
    ['no receipt', transaction(''), /line 2: it has no transactionId/],
    ['no date', transaction('B', { trxDate: 'yesterday' }), /line 2.*not a readable date/],
    ['something else', 'B', /line 2: it has no transactionId/],
  ])('cannot be read at all with %s', async (_what, row, complaint) => {
    const statement = await provider(registered, page(transaction('A'), row), nothing).fetch();
    expect(() => linesOf(statement)).toThrow(complaint);
  });

  it.each<[string, Json, bigint]>([
    ['nothing paid', { amount: '0.00' }, 0n],
    ['less than nothing', { amount: '-5.00' }, -500n],
    ['what goes back', { transactiontype: 'c2b-reversal' }, -125_000n],
    ['what was paid out', { transactiontype: 'b2c-payment-debit' }, -125_000n],
    ['what nobody knows', { transactiontype: 'something-new' }, 125_000n],
  ])('leaves %s to an operator, and reads the rest', async (_what, changes, amountMinor) => {
    const rows = [transaction('A'), transaction('B', changes), transaction('C')];
    const statement = await provider(registered, page(...rows), nothing).fetch();
    expect(linesOf(statement).map(({ kind, amountMinor: minor }) => [kind, minor])).toEqual([
      ['collection', 125_000n],
      ['other', amountMinor],
      ['collection', 125_000n],
    ]);
  });
});
