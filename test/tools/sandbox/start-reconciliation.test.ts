/** The last part of the demo is done once for all starts with the same data. */
import type { DemoContext, UnmatchedReceipt } from '../../../src/rail-kit/demo';
import { reconciliationDemo } from '../../../tools/sandbox/demo/reconciliation';

const unmatched: UnmatchedReceipt = {
  ...{ receipt_id: '7', provider_reference: 'ORPHAN0001' },
  ...{ amount: '1250.00', currency: 'KES' },
};
const item = { ...unmatched, outcome: 'theirs_only' };

/** A context in which the unmatched receipt has a state, with a record of what was done. */
function worldWith(state: string | undefined): { context: DemoContext; done: string[] } {
  let is = state;
  const done: string[] = [];
  const operator: Partial<DemoContext['operator']> = {
    unmatchedReceipts: (_provider, asked) => Promise.resolve(asked === is ? [unmatched] : []),
    reconcile(rail, { from, to }, [option]) {
      done.push(`reconcile ${rail} ${from.toISOString()} ${to.toISOString()} ${option ?? ''}`);
      is ??= 'open';
      return Promise.resolve({ explained: is === 'assigned', items: [item] });
    },
    claim(id) {
      done.push(`claim ${id}`);
      is = 'assigned';
      return Promise.resolve();
    },
  };
  const simulator: Partial<DemoContext['simulator']> = {
    // The later one comes first, and is in another year.
    successes: () =>
      Promise.resolve([
        { amount: '1250.00', at: '2027-01-01T00:00:00.250Z' },
        { amount: '30.00', at: '2026-12-31T23:59:59.900Z' },
      ]),
    statement: () => Promise.resolve('as the provider exports it'),
  };
  return { context: { operator, simulator } as DemoContext, done };
}

const period = '2026-12-31T23:59:59.000Z 2027-01-01T00:00:01.250Z';
const all = [`reconcile stk ${period} --statement`, 'claim 7', `reconcile stk ${period} --kept`];

describe('the reconciliation of the demo', () => {
  it.each([
    ['that nobody has seen', undefined],
    ['that an interrupted start has found', 'open'],
  ])('finds and assigns an unmatched receipt %s, also around midnight', async (_, state) => {
    const { context, done } = worldWith(state);
    const results = await reconciliationDemo.run(context);
    expect(done).toEqual(all);
    expect(results.flatMap(({ faults }) => faults)).toEqual([]);
    expect(results.flatMap(({ gains }) => gains)).toEqual([
      { account: 'wallet', currency: 'KES', minor: 125_000n },
    ]);
  });

  it.each(['assigned', 'returned', 'explained'])('leaves one unchanged that is %s', async (state) => {
    const { context, done } = worldWith(state);
    expect([await reconciliationDemo.run(context), done]).toEqual([[], []]);
  });
});
