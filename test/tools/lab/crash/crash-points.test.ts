/** A few crash points of each kind; and the harness itself, seen finding the faults that it is for. */
import { join } from 'node:path';
import { actionKinds, actions, type ActionKind } from '../../../../src/operator-actions/actions';
import { operations } from '../../../../tools/lab/crash/operations';
import { startLane, type Victim } from '../../../../tools/lab/crash/support/lane';
import { tryPoint, type Trial } from '../../../../tools/lab/crash/support/trial';

interface Named {
  operation: string;
  victim: Victim;
  boundary: string;
}

/** Tries points one after another on a lane of their own. */
async function tried(points: Named[], preloads: string[] = []): Promise<Trial[]> {
  const lane = await startLane(preloads);
  try {
    const trials: Trial[] = [];
    for (const point of points) {
      const operation = operations.find(({ name }) => name === point.operation);
      if (!operation) throw new Error(`there is no operation ${point.operation}`);
      trials.push(await tryPoint(lane, operation, point));
    }
    return trials;
  } finally {
    await lane.stop();
  }
}

const push = { operation: 'stk/push', victim: 'worker' } as const;
const unwritten = { ...push, boundary: 'activity:initiateInTask#1/transaction-1.commit' };
/** Nothing is called back: what tells the end first would spare the second question. */
const sent = {
  ...push,
  operation: 'stk/push-callback-lost',
  boundary: 'activity:initiateInTask#1/call:POST:/mpesa/stkpush/v1/processrequest-1.sent',
};
const booked = { ...push, boundary: 'activity:review#1/transaction-1.committed' };

/** All of them, to their ends: one that fails does not leave the others' stacks behind. */
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
  'float-proof.baseline': 'says what a wallet should hold',
  'float-proof.moved': 'says what will be moved outside of our books',
};

it('every action that moves money is among what is tried', () => {
  const moving = actionKinds.filter((kind) => actions[kind].approval === 'money');
  const tried = new Set(operations.map(({ action }) => action));
  expect(moving.filter((kind) => !tried.has(kind)).sort()).toEqual(Object.keys(booksNothing).sort());
});

describe('a process that ends', () => {
  it('at a boundary leaves nothing wrong behind, and one with a fault planted there does', async () => {
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
    const asked = /^the payer of \S+ was asked 2 times$/;
    expect(early[0]?.faults).toContainEqual(expect.stringMatching(asked));
    expect(again[0]?.faults).toContainEqual(expect.stringMatching(asked));
    expect(apart[0]?.faults).toContainEqual(expect.stringMatching(/is succeeded, and was told nothing/));
    expect(apart[0]?.faults).toContainEqual(expect.stringMatching(/^verify N1: /));
  });
});
