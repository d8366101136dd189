import type { PaymentRow } from '../../../src/store/tables';
import type { Trial } from '../../../tools/lab/crash/operations/operation';
import { faultsOfUnpaid } from '../../../tools/lab/chaos/support/legal-ends';

const reported = (ends: Trial['ends'], changes: Partial<Trial> = {}) => ({
  operation: 'momo/deposit',
  history: { ask: () => Promise.resolve('P1'), living: () => Promise.resolve(['P1']), ends, ...changes },
});
const taken = { rail: 'momo', accepted_at: new Date(), failure_code: 'X', result_code: 'Y' };
const faultsOf = (payment: Partial<PaymentRow>, ends: Trial['ends'], changes: Partial<Trial> = {}) =>
  faultsOfUnpaid({ payment_id: 'P1', ...taken, ...payment } as PaymentRow, reported(ends, changes));

describe('an unpaid payment', () => {
  it('may not fail if its customer was to pay and its provider accepted it', () => {
    expect(faultsOf({ state: 'failed' }, ['succeeded'])).toEqual([
      'momo/deposit: P1 is failed (X, Y), but was not declined',
    ]);
    expect(faultsOf({ state: 'timed_out' }, ['succeeded'])).toHaveLength(1);
    expect(faultsOf({ state: 'cancelled' }, ['failed'])).toHaveLength(1);
  });

  it.each<[string, Partial<PaymentRow>, Trial['ends'], Partial<Trial>]>([
    ['its provider never accepted it', { state: 'failed', accepted_at: null }, ['succeeded'], {}],
    ['its provider never received it', { state: 'failed', result_code: 'NOT_RECEIVED' }, ['succeeded'], {}],
    ['nobody opened its page', { state: 'cancelled' }, ['succeeded'], { acts: () => Promise.resolve() }],
    ['its customer was to decline', { state: 'failed' }, ['failed'], {}],
    ['the provider could not be queried in time', { state: 'timed_out' }, ['failed'], {}],
  ])('may end like this if %s', (_because, payment, ends, changes) => {
    expect(faultsOf(payment, ends, changes)).toEqual([]);
  });
});
