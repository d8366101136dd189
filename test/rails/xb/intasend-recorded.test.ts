/** What IntaSend has shown of its payloads, read by our adapter: nothing of it may come to a wrong end. */
import { findingOf, readInvoice, recordOf } from '../../../src/rails/xb/providers/intasend/invoice';
import { recorded, unsourced } from '../../support/recorded';

it('every payload says where it is from', () => {
  expect(unsourced('intasend')).toEqual([]);
});

it.each([
  [
    'collection-event.json',
    (body: unknown) => body,
    { kind: 'open', as: 'processing', providerReference: 'BRZKGPR' },
    { charges: '0.00', netAmount: '10.36' },
  ],
  [
    'payment-status.json',
    (body: unknown) => recordOf(body)['invoice'],
    { kind: 'open', text: 'PENDING', providerReference: 'XMSLWOS' },
    { charges: '0.00', netAmount: '10.36' },
  ],
])('%s is an invoice that is still open', (name, invoiceIn, finding, figures) => {
  const invoice = readInvoice(invoiceIn(JSON.parse(recorded('intasend', name).toString('utf8'))));
  expect(invoice).toMatchObject({ apiRef: 'ISL_faa26ef9-eb08-4353-b125-ec6a8f022815', ...figures });
  expect(invoice && findingOf(invoice, [])).toMatchObject(finding);
});
