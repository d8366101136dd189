/** Recorded payloads of IntaSend, read by the adapter: none may lead to a wrong result. */
import { readSubmission, invoiceList } from '../../../../src/rails/xb/providers/intasend';
import { resultOf, readInvoice, recordOf } from '../../../../src/rails/xb/providers/intasend/invoice';
import { recordedAnswer, recordedJson, unsourced } from '../../../support/recorded';

const json = (name: string) => recordedJson('intasend', name);
const flat = (body: unknown) => body;
const nested = (body: unknown) => recordOf(body)['invoice'];

it('every payload has its source', () => {
  expect(unsourced('intasend')).toEqual([]);
});

describe('an invoice', () => {
  it.each([
    [
      'collection-event.json',
      flat,
      { kind: 'open', as: 'processing', providerReference: 'BRZKGPR' },
      { charges: '0.00', netAmount: '10.36' },
    ],
    [
      'payment-status.json',
      nested,
      { kind: 'open', text: 'PENDING', providerReference: 'XMSLWOS' },
      { charges: '0.00', netAmount: '10.36' },
    ],
    [
      'collection-event-pending.json',
      flat,
      { kind: 'open', text: 'PENDING', providerReference: 'KZ5MM24' },
      { charges: '0.00', netAmount: '207.00', value: '207.00' },
    ],
    [
      'push-answer-live.json',
      nested,
      { kind: 'open', text: 'PENDING', providerReference: 'KZ5MM24' },
      { charges: '0.00', netAmount: '207.00', value: '207' },
    ],
    [
      'collection-event-complete.json',
      flat,
      { kind: 'succeeded', amountMinor: 20_700n, currency: 'KES', providerReference: 'KZ5MM24' },
      { charges: '6.21', netAmount: '200.79', reference: '' },
    ],
    [
      'cross-border-complete.json',
      flat,
      { kind: 'succeeded', amountMinor: 3_013n, currency: 'UGX', providerReference: 'Y23RDWZ' },
      { charges: '105.46', netAmount: '2907.54', reference: '' },
    ],
  ])(
    '%s has its result, whether its numbers are texts or numbers',
    (name, invoiceIn, providerResult, figures) => {
      const invoice = readInvoice(invoiceIn(json(name)));
      expect(invoice).toMatchObject(figures);
      const reported = invoice && resultOf(invoice, []);
      expect(reported).toMatchObject(providerResult);
      expect(reported).not.toHaveProperty('receipt');
    },
  );

  it('cross-border-complete.json is found by our own reference in a page of the list', async () => {
    const page = { count: 1, next: null, previous: null, results: [json('cross-border-complete.json')] };
    const list = invoiceList(() =>
      Promise.resolve({ kind: 'answered', status: 200, json: page, text: JSON.stringify(page) }),
    );
    expect(await list.find('Dbrs5_C_22044', 1_000)).toMatchObject({ invoiceId: 'Y23RDWZ' });
  });

  // They contain the invoice of a completed payment, which says nothing about an open one.
  it.each(['chargeback-event.json', 'send-money-event.json', 'invoice-unknown.json'])(
    '%s is not an invoice',
    (name) => {
      expect(readInvoice(json(name))).toBeUndefined();
    },
  );
});

describe('an answer to a push', () => {
  it.each([
    ['push-answer-live.json', 200, { kind: 'accepted', providerReference: 'KZ5MM24' }],
    ['push-answer.json', 200, { kind: 'accepted', providerReference: 'XMSLWOS' }],
    ['wallet-push-answer.json', 200, { kind: 'accepted', providerReference: '1762' }],
    ['unauthenticated.json', 401, { kind: 'refused', publicCode: 'PROVIDER_ACCOUNT_REFUSED' }],
    ['invoice-unknown.json', 500, { kind: 'unknown' }],
  ])('%s (%s) proves only its result', (name, status, means) => {
    expect(readSubmission(recordedAnswer('intasend', name, status))).toMatchObject(means);
  });
});
