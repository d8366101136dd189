/** Ended payments, with and without notifications, as the engine writes them. */
import { randomBytes } from 'node:crypto';
import type { PaymentState } from '../../../src/domain/payment';
import { watchCallbacks, type Watched } from '../../../src/payments/recovery/watch-notifications';
import type { CallbackHealthRow, InboxRow } from '../../../src/store/tables';
import { insertMerchant, paymentRow } from '../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { fakeContext, type FakeContext } from '../../support/payments/fakes';

const minute = 60_000;
/** Long enough ago that no notification is awaited any more. */
export const settledMs = 3 * minute;

export interface CallbackStage {
  database: TestDatabase;
  context: FakeContext;
  merchantId: string;
}

export interface Reported {
  /** Milliseconds after the payment has ended; negative if the notification came first. */
  afterMs: number;
  changes?: Partial<InboxRow>;
  says?: object;
}

interface Ending {
  agoMs?: number;
  cause?: string;
  to?: PaymentState;
  from?: PaymentState;
}

const vouchedFor = { state: 'ignored', follow_at: null } as const;

/** One database for a test file, in which no payment has ended yet when a test starts. */
export function callbackStage() {
  const on = {} as CallbackStage;
  beforeAll(async () => {
    on.database = await createTestDatabase();
    on.merchantId = await insertMerchant(on.database.db);
  });
  afterAll(() => on.database.drop());
  beforeEach(async () => {
    const { db } = on.database;
    on.context = fakeContext(db);
    for (const table of ['notification_health', 'notification_counts', 'notification_denials'] as const)
      await db(table).delete();
    const last = await db('payment_log').orderBy('log_id', 'desc').first('log_id');
    await db('notification_watch').update({ log_id: last?.log_id ?? '0', watched_at: new Date() });
  });

  /** The last watch was a while ago. */
  const longAgo = () =>
    on.database
      .db('notification_watch')
      .update({ watched_at: on.database.db.raw<Date>('UTC_TIMESTAMP(3) - INTERVAL 10 SECOND') });

  async function watchAgain(): Promise<Watched> {
    await longAgo();
    const watched = await watchCallbacks(on.context);
    if (!watched) throw new Error('somebody else is watching');
    return watched;
  }

  /** @returns the id of a payment that ended this long ago, with these notifications. */
  async function ended(
    callback: Reported | undefined,
    { agoMs = settledMs, cause = 'query', to = 'succeeded', from = 'pending' }: Ending = {},
  ): Promise<string> {
    const { db } = on.database;
    const row = paymentRow(on.merchantId, { state: to, is_final: 1, next_check_at: null });
    await db('payments').insert(row);
    const at = new Date(Date.now() - agoMs);
    await db('payment_log').insert({
      ...{ payment_id: row.payment_id, from_state: from, to_state: to, cause, at },
    });
    if (callback) {
      await db('inbox').insert({
        ...{ rail: 'stk', event_key: randomBytes(32), payment_id: row.payment_id, ...vouchedFor },
        body: JSON.stringify(callback.says ?? { kind: 'succeeded', code: '0', text: 'paid' }),
        received_at: new Date(at.getTime() + callback.afterMs),
        ...callback.changes,
      });
    }
    return row.payment_id;
  }

  async function several(n: number, callback?: Reported): Promise<void> {
    for (let done = 0; done < n; done += 1) await ended(callback);
  }

  async function health(): Promise<CallbackHealthRow | undefined> {
    return (await watchAgain()).health.find(({ rail }) => rail === 'stk');
  }

  return { on, ended, several, health, watchAgain, longAgo };
}
