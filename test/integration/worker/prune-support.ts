/** A database with rows that expire, and an account with a worker's rights. */
import { randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { jobsOf, prune, type Counts } from '../../../src/worker/prune/prune';
import { openDatabase, type Database } from '../../../src/store/database';
import type { InboxRow, OutboxRow, PaymentRow } from '../../../src/store/tables';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { insertPayment } from '../../support/store/rows';

export const recurringJobs = jobsOf({ bodiesKeptDays: 90 });
export const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
export const reported = 'Asante, Wanjikũ 🥭';

export interface OldThings extends TestDatabase {
  service: Database;
  /** A payment with nothing open. */
  payment(changes?: Partial<PaymentRow>): Promise<string>;
  /** @returns the id of an old notification. */
  notification(changes?: Partial<InboxRow>): Promise<string>;
  /** @returns the id of an old delivered webhook. */
  webhook(payment_id: string, changes?: Partial<OutboxRow>): Promise<string>;
  prune(): Promise<Counts>;
}

export function oldNotification(changes: Partial<InboxRow> = {}) {
  return {
    rail: 'stk',
    event_key: randomBytes(32),
    body: reported,
    state: 'applied' as const,
    received_at: daysAgo(100),
    processed_at: daysAgo(100),
    body_since: daysAgo(100),
    ...changes,
  };
}

export async function createOldThings(): Promise<OldThings> {
  const test = await createTestDatabase();
  const { db } = test;
  const service = openDatabase(test.url, { poolMax: 4 });
  return {
    ...test,
    service,
    payment: (changes) =>
      insertPayment(db, { state: 'succeeded', is_final: 1, next_check_at: null, ...changes }),
    async notification(changes) {
      const [id] = (await db('inbox').insert(oldNotification(changes))) as [number];
      return String(id);
    },
    async webhook(payment_id, changes) {
      const webhook_id = uuid();
      const payment = await db('payments').where({ payment_id }).first('merchant_id');
      await db('outbox').insert({
        webhook_id,
        payment_id,
        merchant_id: payment?.merchant_id ?? '',
        to_state: 'succeeded',
        callback_type: 'STK-Push',
        endpoint: 'webhook_url',
        body: reported,
        state: 'delivered',
        next_at: daysAgo(100),
        created_at: daysAgo(100),
        settled_at: daysAgo(100),
        body_since: daysAgo(100),
        ...changes,
      });
      return webhook_id;
    },
    prune: () => prune(service, recurringJobs),
    async drop() {
      await service.destroy();
      await test.drop();
    },
  };
}
