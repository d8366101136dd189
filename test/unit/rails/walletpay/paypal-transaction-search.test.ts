import { paypalStatement } from '../../../../src/rails/walletpay/providers/paypal/statement';
import type { PaypalAnswer } from '../../../../src/rails/walletpay/providers/paypal/calls';
import { transactionSearch } from '../../../../src/rails/walletpay/providers/paypal/transaction-search';
import { patiently } from '../../../support/reconciliation/statement-support';
import { atOnce } from '../../../support/at-once';

const dayMs = 86_400_000;
const from = new Date('2026-11-01T00:00:00Z');
const after = (days: number) => new Date(from.getTime() + days * dayMs);

const transaction = (id: string) => ({
  transaction_info: {
    transaction_id: id,
    transaction_event_code: 'T0006',
    transaction_initiation_date: '2026-11-01T10:00:00+0000',
    transaction_amount: { currency_code: 'USD', value: '12.50' },
    transaction_status: 'S',
  },
});
const answered = (status: number, json: unknown): PaypalAnswer => ({
  kind: 'answered',
  status,
  json,
  text: '',
});
const page = (ids: string[], more: object = {}) =>
  answered(200, {
    transaction_details: ids.map(transaction),
    total_items: ids.length,
    total_pages: 1,
    last_refreshed_datetime: '2027-06-01T00:00:00+0000',
    ...more,
  });
const tooMany = answered(400, { name: 'RESULTSET_TOO_LARGE', message: 'Result set size is too large.' });

/** Gives these answers in turn, repeats the last one, and records the requests. */
function provider(...answers: PaypalAnswer[]) {
  const asked: URLSearchParams[] = [];
  const source = transactionSearch(
    () =>
      ({ path }) => {
        asked.push(new URL(path, 'https://any').searchParams);
        return Promise.resolve(answers[Math.min(asked.length, answers.length) - 1] as PaypalAnswer);
      },
    1_000,
  );
  const spans = () => asked.map((query) => [query.get('start_date'), query.get('end_date')]);
  return { asked, spans, fetch: (to = after(1)) => source.fetch({ from, to }, patiently) };
}

async function linesOf(fetched: ReturnType<ReturnType<typeof provider>['fetch']>) {
  const statement = await fetched;
  if (statement.kind !== 'fetched') throw new Error(`nothing was fetched: ${statement.text}`);
  const lines = atOnce(paypalStatement.read(statement.content, {}));
  return { ids: lines.map(({ providerReference }) => providerReference), covers: statement.covers };
}

describe("PayPal's Transaction Search is queried", () => {
  it("page by page, for the statement's data", async () => {
    const paypal = provider(
      page(['A', 'B'], { total_items: 3, total_pages: 2 }),
      page(['C'], { total_items: 3, total_pages: 2 }),
    );
    expect(await linesOf(paypal.fetch())).toEqual({
      ids: ['A', 'B', 'C'],
      covers: { from, to: after(1) },
    });
    expect(paypal.asked.map((query) => Object.fromEntries(query))).toEqual([
      {
        start_date: '2026-11-01T00:00:00.000Z',
        end_date: '2026-11-01T23:59:59.999Z',
        fields: 'transaction_info',
        page_size: '500',
        page: '1',
      },
      expect.objectContaining({ page: '2' }),
    ]);
  });

  it('for 31 days at a time', async () => {
    const paypal = provider(page(['A']), page(['B']));
    expect((await linesOf(paypal.fetch(after(40)))).ids).toEqual(['A', 'B']);
    expect(paypal.spans()).toEqual([
      ['2026-11-01T00:00:00.000Z', '2026-12-01T23:59:59.999Z'],
      ['2026-12-02T00:00:00.000Z', '2026-12-10T23:59:59.999Z'],
    ]);
  });

  it('for half of a time with too many transactions, and half of that', async () => {
    const paypal = provider(tooMany, tooMany, page(['A']), page(['B']), page(['C']));
    expect((await linesOf(paypal.fetch())).ids).toEqual(['A', 'B', 'C']);
    expect(paypal.spans().map(([start]) => start?.slice(11, 16))).toEqual([
      '00:00',
      '00:00',
      '00:00',
      '06:00',
      '12:00',
    ]);
    expect(await provider(tooMany).fetch()).toMatchObject({ kind: 'refused' });
  });

  it('again if it is busy or down', async () => {
    const busy = answered(429, { name: 'RATE_LIMIT_REACHED' });
    const lost: PaypalAnswer = { kind: 'unknown', text: 'UND_ERR_SOCKET' };
    expect((await linesOf(provider(busy, lost, answered(503, {}), page(['A'])).fetch())).ids).toEqual(['A']);
  });

  it.each([
    ['what it covers is told', { last_refreshed_datetime: '2026-11-01T21:30:00+0000' }, 21.5 / 24],
    ['and taken for three hours late where it is not', { last_refreshed_datetime: undefined }, 1],
  ])('not for data that does not exist yet: %s', async (_what, reported, days) => {
    const { covers } = await linesOf(provider(page(['A'], reported)).fetch());
    expect(covers).toEqual({ from, to: after(days) });
  });

  it('again once it covers more of the same time, which is another file even without transactions', async () => {
    const until = (moment: string) => provider(page(['A'], { last_refreshed_datetime: moment })).fetch();
    const early = await until('2026-11-01T21:00:00Z');
    expect(await until('2026-11-01T21:00:00Z')).toEqual(early);
    const [late, later] = [await until('2026-11-02T03:00:00Z'), await until('2026-11-02T05:00:00Z')];
    expect(late).toEqual(later);
    expect(late).not.toMatchObject({ content: early.kind === 'fetched' && early.content });
  });

  it('for nights without transactions, which are two files', async () => {
    const empty = () => provider(page([], { total_pages: 0 }));
    const one = await empty().fetch(after(1));
    const two = await empty().fetch(after(2));
    expect([one, two]).toEqual([
      expect.objectContaining({ kind: 'fetched' }),
      expect.objectContaining({ kind: 'fetched' }),
    ]);
    expect(one).not.toEqual({ ...one, content: two.kind === 'fetched' && two.content });
  });
});

describe('the statement is not used', () => {
  it.each([
    ['a page fails', [page(['A'], { total_pages: 2 }), answered(500, {})], 'unavailable', 'HTTP 500'],
    ['a page is no page', [page(['A'], { total_pages: 2 }), answered(200, {})], 'unavailable', 'not a page'],
    ['transactions are missing', [page(['A'], { total_items: 2 })], 'unavailable', 'only 1 of 2'],
    [
      'all of it is to come',
      [page([], { last_refreshed_datetime: '2026-11-01T00:00:00Z' })],
      'unavailable',
      'yet',
    ],
    ['the app may not search', [answered(403, { name: 'NOT_AUTHORIZED' })], 'refused', 'Transaction search'],
    ['the question is wrong', [answered(400, { name: 'INVALID_REQUEST' })], 'refused', 'INVALID_REQUEST'],
    ['the account is refused', [{ kind: 'account_refused', text: '401' }], 'refused', 'credentials'],
  ] as [string, PaypalAnswer[], string, string][])('if %s', async (_what, answers, kind, text) => {
    const reported = await provider(...answers).fetch();
    expect(reported).toEqual({ kind, text: expect.stringContaining(text) });
  });
});
