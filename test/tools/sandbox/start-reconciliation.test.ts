/** The last of the demo is done once for all starts on the same data. */
import type { DemoContext, Orphan } from '../../../src/rail-kit/demo';
import { reconciliationDemo } from '../../../tools/sandbox/demo/reconciliation';

const orphan: Orphan = {
  ...{ orphan_id: '7', provider_reference: 'ORPHAN0001' },
  ...{ amount: '1250.00', currency: 'KES' },
};
const item = { ...orphan, outcome: 'theirs_only' };

/** A world in which the orphan is in a state, with what was done in it. */
function worldWith(state: string | undefined): { context: DemoContext; done: string[] } {
  let is = state;
  const done: string[] = [];
  const operator: Partial<DemoContext['operator']> = {
    orphans: (_provider, asked) => Promise.resolve(asked === is ? [orphan] : []),
    reconcile(rail, { from, to }, [option]) {
      done.push(`reconcile ${rail} ${from.toISOString()} ${to.toISOString()} ${option ?? ''}`);
      is ??= 'open';
      return Promise.resolve({ explained: is === 'claimed', items: [item] });
    },
    claim(id) {
      done.push(`claim ${id}`);
      is = 'claimed';
      return Promise.resolve();
    },
  };
  const simulator: Partial<DemoContext['simulator']> = {
    // The later one stands first, and in another year.
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
    ['that an earlier start has found, and died', 'open'],
  ])('finds and claims an orphan %s, around midnight as ever', async (_, state) => {
    const { context, done } = worldWith(state);
    const results = await reconciliationDemo.run(context);
    expect(done).toEqual(all);
    expect(results.flatMap(({ faults }) => faults)).toEqual([]);
    expect(results.flatMap(({ gains }) => gains)).toEqual([
      { account: 'wallet', currency: 'KES', minor: 125_000n },
    ]);
  });

  it.each(['claimed', 'returned', 'explained'])('leaves one alone that is %s', async (state) => {
    const { context, done } = worldWith(state);
    expect([await reconciliationDemo.run(context), done]).toEqual([[], []]);
  });
});
