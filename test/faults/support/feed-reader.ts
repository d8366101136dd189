/** A merchant's program that reads the feed of events all the time, whatever happens to the API. */
import { setTimeout as delay } from 'node:timers/promises';
import { call } from '../../support/merchant-client';
import type { Stack, TestMerchant } from '../../support/stack';

export interface ReadEvent {
  id: string;
  type: string;
  payment_id: string;
  data: Record<string, unknown>;
}

export interface FeedReader {
  /**
   * Continues until it has read everything that existed at the call. @returns all events, in the order they were read.
   */
  finish(): Promise<ReadEvent[]>;
}

export function startFeedReader(stack: Pick<Stack, 'apiUrl'>, merchant: TestMerchant): FeedReader {
  let isOver = false;
  const reading = read();

  async function read(): Promise<ReadEvent[]> {
    const events: ReadEvent[] = [];
    let after: string | undefined;
    for (;;) {
      const wasOver = isOver;
      const query = `limit=7${after === undefined ? '' : `&after=${after}`}`;
      const answer = await call(stack, merchant, 'GET', `/api/v1/events?${query}`).catch(() => undefined);
      if (answer?.status !== 200) {
        if (answer && answer.status < 429) throw new Error(`was answered: ${JSON.stringify(answer.body)}`);
        await delay(50);
        continue;
      }
      events.push(...(answer.body['events'] as ReadEvent[]));
      after = answer.body['next_cursor'] as string;
      if (answer.body['has_more'] === true) continue;
      if (wasOver) return events;
      await delay(20);
    }
  }

  return {
    finish() {
      isOver = true;
      return reading;
    },
  };
}

/** The events that the log of each payment of a merchant requires, and those that were read, by payment. */
export async function comparedWithLog(
  stack: Pick<Stack, 'db'>,
  merchant: TestMerchant,
  read: readonly ReadEvent[],
): Promise<Record<'logged' | 'read', Record<string, string[]>>> {
  const payments = await stack.db('payments').where({ merchant_id: merchant.merchantId });
  const logged: Record<string, string[]> = {};
  for (const { payment_id: id, kind } of payments) {
    const log = await stack.db('payment_log').where({ payment_id: id }).orderBy('log_id');
    const reported = log.flatMap(({ to_state: state }) =>
      state === 'initiating' ? [] : [`${kind}.${state}`],
    );
    logged[id] = [`${kind}.created`, ...reported];
  }
  const byPayment: Record<string, string[]> = {};
  for (const { payment_id: id, type } of read) (byPayment[id] ??= []).push(type);
  return { logged, read: byPayment };
}
