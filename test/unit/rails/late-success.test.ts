/** What every rail does with a payment out that is paid after all, when its failure has been told. */
import { describedRails } from '../../../tools/docs-site/served-api';

const outgoing = describedRails().flatMap(({ name, operations, operationsOf = {} }) =>
  Object.entries({ ours: operations, ...operationsOf }).flatMap(([provider, { payout, refund }]) =>
    Object.entries({ payout, refund }).flatMap(([kind, operation]) =>
      operation ? [{ name: `${name} ${provider} ${kind}`, ...operation.inDoubt }] : [],
    ),
  ),
);

it('finds the rails that pay out', () => {
  expect(outgoing.length).toBeGreaterThanOrEqual(4);
});

// What was set aside is back where it came from, and may be spent: nothing is left to be paid out of.
it.each(outgoing)('$name: asks an operator', ({ whenSuccessIsLate }) => {
  expect(whenSuccessIsLate).toBe('open_case');
});
