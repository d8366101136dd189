/**
 * Payouts, releases, pauses, cancellations and lost connections in any order: no limit is exceeded, nothing is released
 * twice, no payout on hold is sent, and no reserve is released twice. The steps of one list run at once. The model
 * predicts the result of a step that runs alone. MALIPO_PROPERTY_RUNS sets the number of histories, and
 * MALIPO_PROPERTY_SEED repeats the same ones.
 */
import fc from 'fast-check';
import { verify } from '../../../src/verify/verify';
import type { Database } from '../../../src/store/database';
import type { Cut } from '../../support/cut-transaction';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { testContext } from '../../support/verify/books-support';
import { exceeded, fateOf, moneyOf, verdictOf, type Paid } from './model';
import {
  createOutgoing,
  fundedMinor,
  type End,
  type Released,
  type Request,
  type Step,
  type OutgoingPayments,
  type Word,
} from './outgoing-payments';

const { MALIPO_PROPERTY_RUNS: runs = '10', MALIPO_PROPERTY_SEED: seed } = process.env;
const minute = 60_000;

const requests = fc.array(
  fc.record({
    isBulk: fc.boolean(),
    rail: fc.constantFrom('loud' as const, 'quiet' as const),
    rows: fc.array(
      fc.record({ amount: fc.integer({ min: 1, max: 640 }), recipient: fc.integer({ min: 1, max: 4 }) }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  { minLength: 8, maxLength: 8 },
);

const which = fc.nat(5);
const words = fc.constantFrom<Word>('accepted', 'accepted', 'refused', 'not_sent', 'unknown', 'silent');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      which: fc.nat(7),
      isEngineAway: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('send' as const), which, word: words }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('release' as const),
      which,
      by: fc.constantFrom('amina' as const, 'baraka' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      which,
      to: fc.constantFrom('succeeded' as const, 'failed' as const, 'returned' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('stop' as const, 'start' as const) }) },
);
const cut: fc.Arbitrary<Cut | undefined> = fc.option(
  fc.record({
    nth: fc.integer({ min: 1, max: 2 }),
    moment: fc.constantFrom('before' as const, 'after' as const),
    how: fc.constantFrom('lost' as const, 'dies' as const),
  }),
  { nil: undefined, freq: 3 },
);
const together = fc.oneof(
  { weight: 2, arbitrary: fc.array(fc.record({ step, cut }), { minLength: 2, maxLength: 6 }) },
  { weight: 3, arbitrary: step.map((alone) => [{ step: alone, cut: undefined }]) },
);
/** None of them is exactly the end of a limit's window or of a hold. */
const passing = fc.constantFrom(23, 67, 25 * 60, 73 * 60).map((minutes) => minutes * minute);
const chapters = fc.array(fc.oneof({ weight: 5, arbitrary: together }, { weight: 1, arbitrary: passing }), {
  minLength: 6,
  maxLength: 14,
});

/** Invariants that hold at any time. */
async function expectKept(history: OutgoingPayments): Promise<void> {
  const rows = await history.rows();
  expect(exceeded(rows, await history.now())).toBeUndefined();
  expect(history.faults).toEqual([]);
  expect(new Set(history.reached).size).toBe(history.reached.length);
  const { taken, reserved } = moneyOf(rows);
  expect(await history.money()).toEqual({ left: fundedMinor - taken, reserved });
}

/** Compares the result of a step that ran alone with the model. */
async function expectForeseen(
  history: OutgoingPayments,
  { step, before, isFirst, requests }: { step: Step; before: Seen; isFirst: boolean; requests: Request[] },
  end: End,
): Promise<void> {
  const { rows, now } = before;
  const after = await history.rows();
  const ids = new Set(rows.map(({ id }) => id));
  if (step.kind === 'ask' && isFirst && !step.isEngineAway) {
    const { rows: all, isBulk } = requests[step.which] as Request;
    const asked = (isBulk ? all : all.slice(0, 1)).map(({ amount, recipient }) => ({
      amount: BigInt(amount),
      recipient: String(recipient),
    }));
    const verdict = verdictOf(rows, now, asked);
    const written = after.filter(({ id }) => !ids.has(id));
    if (verdict === 'refused') {
      expect(end).toMatchObject({ kind: 'thrown', error: { code: 'OUTFLOW_LIMIT_REACHED' } });
      expect(written).toEqual([]);
    } else {
      expect(end.kind).toBe('done');
      expect(written.map(({ hold }) => hold?.reason)).toEqual(verdict);
    }
  }
  if (step.kind === 'send' && rows.length > 0) {
    const row = rows[step.which % rows.length] as Paid;
    const fate = before.wasSent.has(row.id) ? 'ended' : fateOf(row, now, before.isStopped);
    const isSent = (await history.attempts()).length > before.attempts;
    expect([fate, isSent]).toEqual([fate, fate === 'sent']);
    const state = after.find(({ id }) => id === row.id)?.state;
    if (fate === 'given_up') expect(state).toBe('failed');
    if (fate === 'waits') expect(state).toBe(row.state);
  }
  if (step.kind === 'release' && rows.length > 0) {
    const row = rows[step.which % rows.length] as Paid;
    const isOver = !['received', 'initiating', 'pending'].includes(row.state);
    const ended = isOver ? 'ended' : 'released';
    const kind = !row.hold ? 'not_held' : row.hold.isReleased ? 'released_before' : ended;
    expect(end).toMatchObject({ kind: 'done', value: { id: row.id, release: { kind } } });
  }
}

interface Seen {
  rows: Paid[];
  now: number;
  isStopped: boolean;
  attempts: number;
  wasSent: ReadonlySet<string>;
}

async function seen(history: OutgoingPayments): Promise<Seen> {
  const [rows, now, isStopped, attempts] = [
    await history.rows(),
    await history.now(),
    await history.isStopped(),
    await history.attempts(),
  ];
  // A process that wrote an attempt and died may have sent it.
  const written = attempts.filter(({ state }) => state === 'sent').map(({ payment_id: id }) => id);
  return {
    rows,
    now,
    isStopped,
    attempts: attempts.length,
    wasSent: new Set([...history.reached, ...written]),
  };
}

/** In the end every payout is released, sent once or not at all, and has a final state. */
async function expectToEnd(history: OutgoingPayments): Promise<void> {
  await history.take({ kind: 'start' });
  for (const which of (await history.rows()).keys()) {
    await history.take({ kind: 'release', which, by: 'amina' });
    await history.take({ kind: 'send', which, word: 'accepted' });
    await history.take({ kind: 'end', which, to: 'failed' });
  }
  await expectKept(history);
  const open = ['received', 'initiating', 'pending'];
  expect((await history.rows()).filter(({ state }) => open.includes(state))).toEqual([]);
}

describe('payouts under limits, holds and pauses', () => {
  let database: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.db;
  });
  afterAll(() => database.drop());

  async function live(all: Request[], history: readonly (number | { step: Step; cut: Cut | undefined }[])[]) {
    const life = await createOutgoing(db, all);
    const askedBefore = new Set<number>();
    const releases = new Map<string, number>();
    for (const chapter of history) {
      if (typeof chapter === 'number') {
        await life.pass(chapter);
        continue;
      }
      const before = await seen(life);
      const ends = await Promise.all(chapter.map(({ step, cut }) => life.take(step, cut)));
      await expectKept(life);
      const isStarted = chapter.some(({ step }) => step.kind === 'start');
      if (before.isStopped && !isStarted) expect(await life.attempts()).toHaveLength(before.attempts);
      const [alone] = chapter;
      if (alone && chapter.length === 1) {
        const isFirst = alone.step.kind === 'ask' && !askedBefore.has(alone.step.which);
        const about = { step: alone.step, before, isFirst, requests: all };
        await expectForeseen(life, about, ends[0] as End);
      }
      for (const { step } of chapter) if (step.kind === 'ask') askedBefore.add(step.which);
      for (const end of ends) {
        const released = end.kind === 'done' ? (end.value as Partial<Released> | undefined) : undefined;
        if (released?.release?.kind !== 'released') continue;
        releases.set(released.id ?? '', (releases.get(released.id ?? '') ?? 0) + 1);
      }
      await life.forgetTheDead();
    }
    await expectToEnd(life);
    expect([...releases.values()].filter((times) => times > 1)).toEqual([]);
    const lines = await db('audit_log').where({ action: 'payout.release' }).pluck('subject_id');
    expect(new Set(lines).size).toBe(lines.length);
  }

  it('follow the model, and the money is on the right accounts', async () => {
    await fc.assert(fc.asyncProperty(requests, chapters, live), {
      numRuns: Number(runs),
      endOnFailure: true,
      ...(seed !== undefined && { seed: Number(seed) }),
    });
    const { checks } = await verify(db, testContext(db).rails);
    expect(checks.filter(({ violations }) => violations.length > 0)).toEqual([]);
  });
});
