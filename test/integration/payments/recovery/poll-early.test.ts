/** Without notifications, open payments are polled sooner, within the provider's rate limit. */
import { isDueSooner, rowsBehind, earlyPolls } from '../../../../src/payments/recovery/poll-early';
import { overdueMs, createSweeper } from '../../../../src/payments/recovery/sweeper';
import { review } from '../../../../src/payments/resolve/review';
import type { CallbackHealthRow, PaymentRow } from '../../../../src/store/tables';
import { insertOpenPayments, insertPayment } from '../../../support/store/rows';
import { rowsRead } from '../../../support/store/rows-read';
import { callbackStage } from '../notification-stage';
import { fakeEngine } from '../../../support/payments/fakes';

const second = 1_000;
const minute = 60 * second;
const { on, several, watchAgain } = callbackStage();

const ago = (ms: number) => new Date(Date.now() - ms);
const inFuture = (ms: number) => new Date(Date.now() + ms);

/** A payment that was accepted this long ago, whose next check is not due yet. */
function waiting(ageMs: number, changes: Partial<PaymentRow> = {}): Promise<string> {
  return insertPayment(on.database.db, {
    ...{ merchant_id: on.merchantId, state: 'pending', created_at: ago(ageMs), accepted_at: ago(ageMs) },
    ...{ next_check_at: inFuture(10 * minute), ...changes },
  });
}

const source = { rail: 'stk', account: 'stk', kind: 'deposit' } as const;
const stopped = { ...source, verdict: 'stopped' } as CallbackHealthRow;
const healthy = { ...stopped, verdict: 'healthy' } as CallbackHealthRow;

const takenForward = () =>
  on.database
    .db('payments')
    .where({ is_final: 0 })
    .where('next_check_at', '<=', new Date())
    .pluck('payment_id');

beforeEach(async () => {
  await on.database.db('payments').where({ is_final: 0 }).update({ is_final: 1, next_check_at: null });
  const { deposit } = on.context.rails.get('stk').operations;
  if (!deposit) return;
  const { unknownDeadlineMs: _, ...policy } = deposit.policy;
  deposit.policy = { ...policy, version: 1, checksMs: [30 * second, 5 * minute, 10 * minute] };
});

describe('payments whose provider sends no notifications any more', () => {
  it('are polled sooner, each at its own rate', async () => {
    const due = [await waiting(3 * minute), await waiting(9 * minute), await waiting(20 * second)];
    await waiting(5 * second);
    await waiting(31 * second);
    await waiting(3 * 60 * minute);
    await waiting(3 * minute, { signalled_at: ago(5 * second) });
    await waiting(3 * minute, { signals: 1 });
    await waiting(3 * minute, { state: 'received' });
    await waiting(3 * minute, { kind: 'refund' });
    expect(await earlyPolls(on.context)([healthy], 5 * second)).toBe(0);
    expect(await takenForward()).toEqual([]);
    expect(await earlyPolls(on.context)([stopped], 5 * second)).toBe(3);
    expect((await takenForward()).sort()).toEqual(due.sort());
  });

  it('are at most five a second per account, the youngest first', async () => {
    for (let n = 1; n <= 40; n += 1) await waiting(2 * minute + n * second);
    const refunds = { ...stopped, kind: 'refund' } as CallbackHealthRow;
    const pollEarly = earlyPolls(on.context);
    expect(await pollEarly([stopped, refunds], 2 * second)).toBe(10);
    const ages = await on.database
      .db('payments')
      .whereIn('payment_id', await takenForward())
      .pluck('accepted_at');
    expect(Math.min(...ages.map((at) => at?.getTime() ?? 0))).toBeGreaterThan(ago(3 * minute).getTime());
    // The time without a worker is not made up for.
    expect(await pollEarly([stopped], 3_600 * second)).toBe(30);
  });

  it('are all polled in turn, and found by index, beside thousands of others', async () => {
    const { db } = on.database;
    await insertOpenPayments(db, 3_000);
    await db('payments')
      .where({ is_final: 0 })
      .update({
        accepted_at: ago(2 * minute),
        next_check_at: db.raw('UTC_TIMESTAMP(3) + INTERVAL 60 + RAND() * 3000 SECOND'),
      });
    expect(await rowsRead(db, (trx) => rowsBehind(trx, 'stk', undefined))).toBeLessThan(1_100);
    const { rails } = on.context;
    expect(await rowsRead(db, (trx) => overdueMs({ db: trx as never, rails }))).toBeLessThan(50);
    const pollEarly = earlyPolls(on.context);
    for (let round = 1; round <= 4; round += 1) expect(await pollEarly([stopped], 1 * second)).toBe(5);
    const checked = await db('payments').where({ is_final: 0 }).where('next_check_at', '<=', new Date());
    expect(checked).toHaveLength(20);
  });
});

describe('how soon a payment is polled again', () => {
  const row = (ageMs: number, signalledAgoMs?: number) => ({
    ...{ payment_id: '', ...source, provider: 'daraja', state: 'pending' as const },
    ...{ created_at: ago(ageMs), accepted_at: ago(ageMs), next_check_at: new Date() },
    ...{ clock_ahead_ms: '0', accepted_ahead_ms: '0', provider_reference: 'ref' },
    signalled_at: signalledAgoMs === undefined ? null : ago(signalledAgoMs),
  });
  const checksMs = [30 * second, 60 * minute];
  const policy = { version: 1, checksMs, rechecksMs: [], watchMs: 60 * minute, confirmDelaysMs: [] };

  it.each([
    [9 * second, undefined, false],
    [11 * second, undefined, true],
    [35 * second, undefined, false],
    [41 * second, undefined, true],
    [minute, 9 * second, false],
    [minute, 11 * second, true],
    [40 * minute, 4 * minute, false],
    [40 * minute, 6 * minute, true],
    [61 * minute, undefined, false],
    [121 * minute, undefined, false],
  ])('at %i ms, woken %p ms ago: %p', (ageMs, signalledAgoMs, isDue) => {
    expect(isDueSooner(policy, row(ageMs, signalledAgoMs), 1)).toBe(isDue);
  });
});

it('without notifications, open payments settle minutes earlier; once they resume, all is as before', async () => {
  const { db } = on.database;
  on.context.provider.providerResult = { kind: 'succeeded', code: '0', text: 'paid' };
  const engine = {
    ...fakeEngine(() => Promise.resolve('late')),
    async signalOrStart({ payment_id: paymentId }: PaymentRow) {
      const how = { cause: 'notification', patient: true } as const;
      await review(on.context, { paymentId, ...how, ask: (_rail, call) => call() });
    },
  };
  const pollEarly = earlyPolls(on.context);
  const round = async () => {
    const { health, sinceMs } = await watchAgain();
    await pollEarly(health, sinceMs);
    await createSweeper(on.context, engine).sweep();
    return health.find(({ rail }) => rail === 'stk')?.verdict;
  };
  await several(6, { afterMs: -200 });
  const lost = await waiting(4 * minute, { provider_reference: 'ref-lost' });
  expect(await round()).toBe('healthy');
  expect(await db('payments').where({ payment_id: lost }).first()).toMatchObject({ state: 'pending' });

  await several(5);
  expect(await round()).toBe('stopped');
  // Its own next check was in ten minutes.
  expect(await db('payments').where({ payment_id: lost }).first()).toMatchObject({ state: 'succeeded' });

  // It has just ended, and the log is read up to there.
  const last = await db('payment_log').orderBy('log_id', 'desc').first('log_id');
  await db('notification_watch').update({ log_id: last?.log_id ?? '0' });
  await several(3, { afterMs: -200 });
  const later = await waiting(4 * minute, { provider_reference: 'ref-later' });
  expect(await round()).not.toBe('stopped');
  expect(await db('payments').where({ payment_id: later }).first()).toMatchObject({ state: 'pending' });
});
