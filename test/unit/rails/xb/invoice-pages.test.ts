import type { ProviderResponse } from '../../../../src/rail-kit/provider-http';
import { intasendStatement } from '../../../../src/rails/xb/providers/intasend/statement';
import { invoicePages } from '../../../../src/rails/xb/providers/intasend/invoice-pages';
import { answered, patiently } from '../../../support/reconciliation/statement-support';
import { atOnce } from '../../../support/at-once';

const period = { from: new Date('2026-11-10T00:00:00Z'), to: new Date('2026-11-12T00:00:00Z') };

const invoice = (id: string, day: string, more: object = {}) => ({
  invoice_id: id,
  state: 'COMPLETE',
  value: 1000.1,
  currency: 'KES',
  charges: 30,
  api_ref: `xb-${id}`,
  account: '256700000789',
  created_at: `2026-${day}T09:00:00.123456+03:00`,
  updated_at: `2026-${day}T09:01:00.123456+03:00`,
  ...more,
});
const page = (results: object[], next: unknown = null, more: object = {}) =>
  answered(200, JSON.stringify({ next, previous: null, results, ...more }));
const nextPage = (n: number) => `https://payment.intasend.com/api/v1/invoices/?page=${n}`;

function provider(...answers: ProviderResponse[]) {
  const asked: string[] = [];
  const source = invoicePages((path) => {
    asked.push(path);
    return Promise.resolve(answers[Math.min(asked.length, answers.length) - 1] as ProviderResponse);
  }, 1_000);
  return { asked, fetch: () => source.fetch(period, patiently) };
}

async function idsOf(fetched: ReturnType<ReturnType<typeof provider>['fetch']>): Promise<string[]> {
  const statement = await fetched;
  if (statement.kind !== 'fetched') throw new Error(`nothing was fetched: ${statement.text}`);
  return atOnce(intasendStatement.read(statement.content, {})).map(
    ({ providerReference }) => providerReference,
  );
}

describe("IntaSend's invoices are fetched", () => {
  it('page by page, and those of the period are kept with their amounts as written', async () => {
    const intasend = provider(
      page([invoice('NEW', '11-12'), invoice('B', '11-11')], nextPage(2)),
      page([invoice('A', '11-10'), invoice('OLD', '11-09')]),
    );
    const statement = await intasend.fetch();
    if (statement.kind !== 'fetched') throw new Error(statement.text);
    expect(atOnce(intasendStatement.read(statement.content, {}))).toEqual([
      expect.objectContaining({ providerReference: 'B', amountMinor: 100_010n, feeMinor: 3_000n }),
      expect.objectContaining({ providerReference: 'A', ourReference: 'xb-A' }),
    ]);
    expect(statement.covers).toEqual(period);
    expect(intasend.asked).toEqual(['/api/v1/invoices/?page=1', '/api/v1/invoices/?page=2']);
  });

  it('with those of the period that changed after it', async () => {
    const touched = { updated_at: '2026-11-14T10:00:00Z' };
    const intasend = provider(page([invoice('NEW', '11-12'), invoice('B', '11-11', touched)]));
    expect(await idsOf(intasend.fetch())).toEqual(['B']);
  });

  it('until a page is too old, with the newest first', async () => {
    const newest = provider(
      page([invoice('B', '11-11'), invoice('A', '11-10')], nextPage(2)),
      page([invoice('PAID', '11-08', { updated_at: '2026-11-10T10:00:00Z' })], nextPage(3)),
      page([invoice('OLD', '11-05')], nextPage(4)),
    );
    expect(await idsOf(newest.fetch())).toEqual(['B', 'A', 'PAID']);
    expect(newest.asked).toHaveLength(3);
  });

  it.each([
    ['have changed places', [invoice('C', '11-11', { created_at: '2026-11-11T08:59:59+03:00' })], 2],
    ['are on the wrong page', [invoice('ODD', '10-01')], 3],
  ])('until then too, if some %s', async (_what, odd, pages) => {
    const newest = provider(
      page([...odd, invoice('B', '11-11'), invoice('A', '11-10')], nextPage(2)),
      page([invoice('OLD', '11-05'), invoice('OLDER', '11-04')], nextPage(3)),
      page([invoice('OLDEST', '11-03'), invoice('FIRST', '11-02')], nextPage(4)),
      page([], nextPage(5)),
    );
    expect(await idsOf(newest.fetch())).toEqual(expect.arrayContaining(['B', 'A']));
    expect(newest.asked).toHaveLength(pages);
  });

  it('to the end, with the oldest first', async () => {
    const oldest = provider(
      page([invoice('OLDEST', '10-01')], nextPage(2)),
      page([invoice('OLD', '10-02')], nextPage(3)),
      page([invoice('A', '11-10')]),
    );
    expect(await idsOf(oldest.fetch())).toEqual(['A']);
  });

  it('to the end, without any order', async () => {
    const anyhow = provider(
      page([invoice('OLD', '11-01'), invoice('A', '11-10')], nextPage(2)),
      page([invoice('OLDER', '10-01')], nextPage(3)),
      page([invoice('B', '11-11')]),
    );
    expect(await idsOf(anyhow.fetch())).toEqual(['A', 'B']);
  });

  it('only from its own host, whatever the address of the next page', async () => {
    const intasend = provider(page([], 'http://169.254.169.254/latest?page=2'), page([]));
    expect(await idsOf(intasend.fetch())).toEqual([]);
    expect(intasend.asked).toEqual(['/api/v1/invoices/?page=1', '/api/v1/invoices/?page=2']);
  });

  it('as a bare list, and only by the id', async () => {
    const named = { ...invoice('', '11-10'), invoice_id: undefined, id: 'A' };
    expect(await idsOf(provider(answered(200, JSON.stringify([named]))).fetch())).toEqual(['A']);
  });

  it('again if it is busy', async () => {
    const busy = answered(429, '{"detail":"Request was throttled."}');
    expect(await idsOf(provider(busy, busy, page([invoice('A', '11-10')])).fetch())).toEqual(['A']);
  });
});

it.each([
  ['a page fails', page([invoice('A', '11-10')], nextPage(2)), answered(500, ''), 'unavailable'],
  [
    'the address of a page cannot be read',
    page([invoice('A', '11-10')], 'https://'),
    answered(500, ''),
    'unavailable',
  ],
  [
    'the list ends before all of it came',
    page([invoice('A', '11-10')], null, { count: 3 }),
    answered(500, ''),
    'unavailable',
  ],
  ['a page is cut off', page([], nextPage(2)), answered(200, '{"results":[{"invoice_id"'), 'unavailable'],
  ['there is no such list', answered(404, ''), answered(404, ''), 'refused'],
  ['the key is refused', answered(401, ''), answered(401, ''), 'refused'],
])('none of them is used if %s', async (_what, first, second, kind) => {
  expect(await provider(first, second).fetch()).toMatchObject({ kind });
});
