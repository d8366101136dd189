/** What IntaSend has shown of its payloads, read by our adapter: nothing of it may come to a wrong end. */
import { readAcceptance, invoiceList } from '../../../../src/rails/xb/providers/intasend';
import { findingOf, readInvoice, recordOf } from '../../../../src/rails/xb/providers/intasend/invoice';
import { recordedAnswer, recordedJson, unsourced } from '../../../support/recorded';

const json = (name: string) => recordedJson('intasend', name);
const flat = (body: unknown) => body;
const nested = (body: unknown) => recordOf(body)['invoice'];

it('every payload says where it is from', () => {
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
  ])('%s is what it says, whether its figures are texts or numbers', (name, invoiceIn, finding, figures) => {
    const invoice = readInvoice(invoiceIn(json(name)));
    expect(invoice).toMatchObject(figures);
    const told = invoice && findingOf(invoice, []);
    expect(told).toMatchObject(finding);
    expect(told).not.toHaveProperty('receipt');
  });

  it('cross-border-complete.json is found by our own name for it in a page of the list', async () => {
    const page = { count: 1, next: null, previous: null, results: [json('cross-border-complete.json')] };
    const list = invoiceList(() =>
      Promise.resolve({ kind: 'answered', status: 200, json: page, text: JSON.stringify(page) }),
    );
    expect(await list.find('Dbrs5_C_22044', 1_000)).toMatchObject({ invoiceId: 'Y23RDWZ' });
  });

  // They carry the invoice of a payment that was made, which says nothing about one that is under way.
  it.each(['chargeback-event.json', 'send-money-event.json', 'invoice-unknown.json'])(
    '%s is none',
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
  ])('%s (%s) is what it proves, and no more', (name, status, means) => {
    expect(readAcceptance(recordedAnswer('intasend', name, status))).toMatchObject(means);
  });
});
