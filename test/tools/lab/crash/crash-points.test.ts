/** A few crash points of each kind; and the harness itself, finding planted faults. */
import { join } from 'node:path';
import { actionKinds, actions, type ActionKind } from '../../../../src/operator-actions/actions';
import { operations } from '../../../../tools/lab/crash/operations';
import { startTestRig, type Victim } from '../../../../tools/lab/crash/support/test-rig';
import { tryPoint, type Trial } from '../../../../tools/lab/crash/support/trial';

interface Named {
  operation: string;
  victim: Victim;
  boundary: string;
}

/** Tries points one after another on their own test rig. */
async function tried(points: Named[], preloads: string[] = []): Promise<Trial[]> {
  const rig = await startTestRig(preloads);
  try {
    const trials: Trial[] = [];
    for (const point of points) {
      const operation = operations.find(({ name }) => name === point.operation);
      if (!operation) throw new Error(`there is no operation ${point.operation}`);
      trials.push(await tryPoint(rig, operation, point));
    }
    return trials;
  } finally {
    await rig.stop();
  }
}

const push = { operation: 'stk/push', victim: 'worker' } as const;
const unwritten = { ...push, boundary: 'activity:submitToProvider#1/transaction-1.commit' };
/** No notification is sent: an earlier report of the end would save the second query. */
const sent = {
  ...push,
  operation: 'stk/push-callback-lost',
  boundary: 'activity:submitToProvider#1/call:POST:/mpesa/stkpush/v1/processrequest-1.sent',
};
const booked = { ...push, boundary: 'activity:checkStatus#1/transaction-1.committed' };

/** All of them, to their ends: a failing one does not leave the others' stacks behind. */
async function all<const T extends readonly Promise<unknown>[]>(
  works: T,
): Promise<{ -readonly [N in keyof T]: Awaited<T[N]> }> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

const planted = (name: string): string[] => [
  join(__dirname, '../../../../tools/lab/crash/planted', `${name}.cjs`),
];

/** Actions about money that book none of it. */
const booksNothing: Partial<Record<ActionKind, string>> = {
  'float-check.adjust': 'says what a wallet should hold',
  'float-check.transfer': 'says what will be moved outside of our books',
};

it('every action that moves money is tried', () => {
  const moving = actionKinds.filter((kind) => actions[kind].approval === 'money');
  const tried = new Set(operations.map(({ action }) => action));
  expect(moving.filter((kind) => !tried.has(kind)).sort()).toEqual(Object.keys(booksNothing).sort());
});

describe('a process that ends', () => {
  it('at a boundary leaves no error, and does with a planted fault', async () => {
    const [apis, workers, command, early, apart, again] = await all([
      tried([
        {
          operation: 'momo/payout',
          victim: 'api',
          boundary: 'POST:/api/v1/momo/payout#1/transaction-1.committed',
        },
        {
          operation: 'voucher/redeem',
          victim: 'api',
          boundary: 'POST:/api/v1/redeem_voucher#1/transaction-1.commit',
        },
      ]),
      tried([unwritten, booked]),
      tried([{ operation: 'cli/float-add', victim: 'cli', boundary: 'command/transaction-1.committed' }]),
      tried([unwritten], planted('sent-before-written')),
      tried([booked], planted('webhook-apart')),
      tried([sent], planted('sent-again-unasked')),
    ]);
    const trials = [apis, workers, command, early, apart, again].flat();
    expect(trials.map(({ killed }) => killed)).toEqual(trials.map(() => true));
    expect([...apis, ...workers, ...command].flatMap(({ faults }) => faults)).toEqual([]);
    const asked = /^the payer of \S+ was prompted 2 times$/;
    expect(early[0]?.faults).toContainEqual(expect.stringMatching(asked));
    expect(again[0]?.faults).toContainEqual(expect.stringMatching(asked));
    expect(apart[0]?.faults).toContainEqual(expect.stringMatching(/is succeeded, and was reported nothing/));
    expect(apart[0]?.faults).toContainEqual(expect.stringMatching(/^verify N1: /));
  });
});
