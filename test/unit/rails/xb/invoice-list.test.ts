import type { ProviderResponse } from '../../../../src/rail-kit/provider-http';
import { invoiceList } from '../../../../src/rails/xb/providers/intasend';

const ours = { invoice_id: 'QX7PL2K', state: 'PENDING', api_ref: 'xb-OURS' };
const another = { ...ours, invoice_id: 'OTHER77', api_ref: 'xb-ANOTHER' };

/** A provider that gives these answers in turn, and the requested paths. */
function provider(...answers: [status: number, json: unknown][]) {
  const asked: string[] = [];
  const list = invoiceList((path) => {
    const [status, json] = answers[asked.length] ?? [500, {}];
    asked.push(path);
    return Promise.resolve({
      kind: 'answered',
      status,
      json,
      text: JSON.stringify(json),
    } as ProviderResponse);
  });
  return { asked, list };
}

describe('a collection is found by our own reference', () => {
  it.each([
    ['in a page of results', { results: [another, ours] }],
    ['in a bare list', [ours, another]],
    ['called by id alone', { results: [{ ...ours, invoice_id: undefined, id: 'QX7PL2K' }] }],
    ['inside what is around it', [{ id: 'of the transaction', invoice: ours }]],
  ])('%s', async (_where, json) => {
    const { asked, list } = provider([200, json]);
    expect(await list.find('xb-OURS', 1_000)).toMatchObject({ invoiceId: 'QX7PL2K' });
    expect(asked).toEqual(['/api/v1/invoices/?api_ref=xb-OURS']);
  });

  it.each([
    ['others alone are listed, where the name is not looked at', { results: [another] }],
    ['two of ours are listed', { results: [ours, { ...ours, invoice_id: 'SECOND7' }] }],
    ['nothing is listed', { results: [] }],
    ['it is no list', 'gone'],
  ])('and not if %s', async (_what, json) => {
    expect(await provider([200, json]).list.find('xb-OURS', 1_000)).toHaveProperty('lost');
  });
});

it.each([404, 405])(
  'a provider that answers %i has no such list, and is not queried for it again',
  async (status) => {
    const { asked, list } = provider([status, { detail: 'Not found.' }], [200, [ours]]);
    expect(await list.find('xb-OURS', 1_000)).toHaveProperty('lost');
    expect(await list.find('xb-OURS', 1_000)).toHaveProperty('lost');
    expect(asked).toHaveLength(1);
  },
);

it.each([401, 429, 500, 503])('a provider that answers %i is queried again the next time', async (status) => {
  const { list } = provider([status, {}], [200, [ours]]);
  expect(await list.find('xb-OURS', 1_000)).toHaveProperty('lost');
  expect(await list.find('xb-OURS', 1_000)).toMatchObject({ invoiceId: 'QX7PL2K' });
});
