/** On every rail, a payout or refund that is paid after it was reported as failed. */
import { describedRails } from '../../../tools/docs-site/served-api';

const outgoing = describedRails().flatMap(({ name, operations, operationsOf = {} }) =>
  Object.entries({ ours: operations, ...operationsOf }).flatMap(([provider, { payout, refund }]) =>
    Object.entries({ payout, refund }).flatMap(([kind, operation]) =>
      operation ? [{ name: `${name} ${provider} ${kind}`, ...operation.uncertainty }] : [],
    ),
  ),
);

it('finds the rails with payouts', () => {
  expect(outgoing.length).toBeGreaterThanOrEqual(4);
});

// The reserve was released, and may be spent: nothing is left to pay from.
it.each(outgoing)('$name: opens a case for an operator', ({ whenSuccessIsLate }) => {
  expect(whenSuccessIsLate).toBe('open_case');
});
