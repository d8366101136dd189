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
  it('are never left for themselves, save what goes back in one part after another', () => {
    expect(paymentStates.filter((state) => exits[state].includes(state))).toEqual(['refunded', 'reversed']);
  });

  it('after a success only give the money back', () => {
    for (const state of exits.succeeded) expect(['refunded', 'reversed', 'returned']).toContain(state);
  });

  it('after an unhappy end only turn into a success, save a timeout that learns its real reason', () => {
    expect([exits.failed, exits.cancelled]).toEqual([['succeeded'], ['succeeded']]);
  });

  it('never lead back to one before the provider had heard of the payment', () => {
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

  it('are entered from where the exits lead', () => {
    for (const to of paymentStates) {
      for (const from of paymentStates) expect(entrancesOf(to).includes(from)).toBe(exits[from].includes(to));
    }
  });

  it('are final when the customer is not waited for any more', () => {
    expect(paymentStates.filter(isFinal)).toEqual([...finalStates]);
    expect(paymentStates.filter((state) => !isFinal(state))).toEqual([
      'received',
      'initiating',
      'pending',
      'queued',
      'processing',
    ]);
  });

  it('are settled from the success on', () => {
    const settled = ['succeeded', 'refunded', 'reversed', 'returned'];
    expect(paymentStates.filter(isSettled)).toEqual(settled);
  });

  it('have public reasons of ours, which merchants compare', () => {
    expect([NOT_STARTED, NOT_RELEASED, OUTCOME_UNKNOWN, PAYOUT_RETURNED]).toEqual([
      'NOT_STARTED',
      'NOT_RELEASED',
      'OUTCOME_UNKNOWN',
      'PAYOUT_RETURNED',
    ]);
  });
});
