/** How long the oldest of what should be done by now has been waiting: one jump in an index for each. */
import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../store/database';
import type { Figures } from './figures';

export function stuckWork(registers: Registry[], db: Database): Figures {
  const initiating = new Gauge({
    name: 'payments_initiating_oldest_seconds',
    help: 'Since when the oldest payment whose instruction may have been sent has had no answer written down; 0 for none.',
    registers,
  });
  const late = new Gauge({
    name: 'webhooks_overdue_seconds',
    help: 'How long the webhook that waits longest for a worker should have been sent; 0 where none is late.',
    registers,
  });
  return {
    what: 'what stands still',
    everyMs: 10_000,
    async show() {
      const payment = await db('payments')
        .where({ is_final: 0, state: 'initiating' })
        .orderBy('updated_at')
        .first('updated_at');
      initiating.set(payment ? secondsSince(payment.updated_at) : 0);
      const webhook = await db('outbox').where({ state: 'pending' }).orderBy('next_at').first('next_at');
      late.set(webhook ? secondsSince(webhook.next_at) : 0);
    },
  };
}

/** 0 for what is still to come. */
export function secondsSince(at: Date): number {
  return Math.max(0, Date.now() - at.getTime()) / 1_000;
}
