import {
  NOT_RELEASED,
  NOT_STARTED,
  OUTCOME_UNKNOWN,
  PAYOUT_RETURNED,
  entrancesOf,
  exits,
  finalStates,
  isFinal,
  isSettled,
  paymentStates,
} from '../../../src/domain/payment';

describe('the states of a payment', () => {
  it('never change to themselves, except for partial refunds', () => {
    expect(paymentStates.filter((state) => exits[state].includes(state))).toEqual(['refunded', 'reversed']);
  });

  it('after a success only refund or return the money', () => {
    for (const state of exits.succeeded) expect(['refunded', 'reversed', 'returned']).toContain(state);
  });

  it('after a failure change only to success, except a timeout that learns its real reason', () => {
    expect([exits.failed, exits.cancelled]).toEqual([['succeeded'], ['succeeded']]);
  });

  it('never return to a state before the provider knew the payment', () => {
    expect(entrancesOf('received')).toEqual([]);
    expect(entrancesOf('initiating')).toEqual(['received']);
  });

  it('can all be reached from the first one', () => {
    const reached = new Set<string>(['received']);
    for (let size = 0; size !== reached.size;) {
      size = reached.size;
      for (const state of paymentStates)
        if (reached.has(state)) for (const next of exits[state]) reached.add(next);
    }
    expect([...reached].sort()).toEqual([...paymentStates].sort());
  });

  it('are entered where the exits lead', () => {
    for (const to of paymentStates) {
      for (const from of paymentStates) expect(entrancesOf(to).includes(from)).toBe(exits[from].includes(to));
    }
  });

  it('are final when the service no longer waits for the customer', () => {
    expect(paymentStates.filter(isFinal)).toEqual([...finalStates]);
    expect(paymentStates.filter((state) => !isFinal(state))).toEqual([
      'received',
      'initiating',
      'pending',
      'queued',
      'processing',
    ]);
  });

  it('are settled from success on', () => {
    const settled = ['succeeded', 'refunded', 'reversed', 'returned'];
    expect(paymentStates.filter(isSettled)).toEqual(settled);
  });

  it('have our own public reasons, which merchants compare', () => {
    expect([NOT_STARTED, NOT_RELEASED, OUTCOME_UNKNOWN, PAYOUT_RETURNED]).toEqual([
      'NOT_STARTED',
      'NOT_RELEASED',
      'OUTCOME_UNKNOWN',
      'PAYOUT_RETURNED',
    ]);
  });
});
