import type { PaymentRow } from '../../../src/store/tables';
import type { Story } from '../../../tools/lab/crash/operations/operation';
import { faultsOfUnpaid } from '../../../tools/lab/chaos/support/legal-ends';

const told = (ends: Story['ends'], changes: Partial<Story> = {}) => ({
  operation: 'momo/deposit',
  story: { ask: () => Promise.resolve('P1'), living: () => Promise.resolve(['P1']), ends, ...changes },
});
const taken = { rail: 'momo', accepted_at: new Date(), failure_code: 'X', result_code: 'Y' };
const faultsOf = (payment: Partial<PaymentRow>, ends: Story['ends'], changes: Partial<Story> = {}) =>
  faultsOfUnpaid({ payment_id: 'P1', ...taken, ...payment } as PaymentRow, told(ends, changes));

describe('a payment that nobody has paid', () => {
  it('may not fail where its customer was to pay, and its provider took it', () => {
    expect(faultsOf({ state: 'failed' }, ['succeeded'])).toEqual([
      'momo/deposit: P1 is failed (X, Y), and nobody refused it',
    ]);
    expect(faultsOf({ state: 'timed_out' }, ['succeeded'])).toHaveLength(1);
    expect(faultsOf({ state: 'cancelled' }, ['failed'])).toHaveLength(1);
  });

  it.each<[string, Partial<PaymentRow>, Story['ends'], Partial<Story>]>([
    ['its provider never took it', { state: 'failed', accepted_at: null }, ['succeeded'], {}],
    ['its provider never received it', { state: 'failed', result_code: 'NOT_RECEIVED' }, ['succeeded'], {}],
    ['nobody came to its page', { state: 'cancelled' }, ['succeeded'], { acts: () => Promise.resolve() }],
    ['its customer was to refuse', { state: 'failed' }, ['failed'], {}],
    ['nobody could ask why it failed in time', { state: 'timed_out' }, ['failed'], {}],
  ])('may end so where %s', (_because, payment, ends, changes) => {
    expect(faultsOf(payment, ends, changes)).toEqual([]);
  });
});
