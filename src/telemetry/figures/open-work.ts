/** How much is open, and since when: what grows with it is counted once a minute, from an index alone. */
import { Gauge, type Registry } from 'prom-client';
import { caseReasons } from '../../controls/cases';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Figures } from './figures';
import { secondsSince } from './stuck-work';

export function openWork(
  registers: Registry[],
  { db, rails }: Pick<PaymentsContext, 'db' | 'rails'>,
): Figures {
  const payments = new Gauge({
    name: 'payments_open',
    help: 'Payments that have not come to an end.',
    labelNames: ['rail'],
    registers,
  });
  const webhooks = new Gauge({
    name: 'webhooks_pending',
    help: 'Webhooks that are not delivered yet: most of them wait for their next try.',
    registers,
  });
  const cases = new Gauge({
    name: 'cases_open_by_reason',
    help: 'Cases that wait for a person, by what was seen.',
    labelNames: ['reason'],
    registers,
  });
  const oldest = new Gauge({
    name: 'cases_oldest_age_seconds',
    help: 'How long the oldest case has been waiting for a person; 0 where none is open.',
    registers,
  });
  return {
    what: 'what is open',
    everyMs: 60_000,
    async show() {
      const open: { rail: string; n: string | number }[] = await db('payments')
        .where({ is_final: 0 })
        .groupBy('rail')
        .select('rail')
        .count({ n: '*' });
      for (const { name } of rails.all)
        payments.set({ rail: name }, Number(open.find(({ rail }) => rail === name)?.n ?? 0));

      const [pending] = await db('outbox').where({ state: 'pending' }).count({ n: '*' });
      webhooks.set(Number(pending?.n ?? 0));

      const waiting: { reason: string; n: string | number; since: Date }[] = await db('cases')
        .whereNull('closed_at')
        .groupBy('reason')
        .select('reason')
        .count({ n: '*' })
        .min({ since: 'opened_at' });
      for (const reason of Object.keys(caseReasons))
        cases.set({ reason }, Number(waiting.find((one) => one.reason === reason)?.n ?? 0));
      oldest.set(Math.max(0, ...waiting.map(({ since }) => secondsSince(since))));
    },
  };
}
