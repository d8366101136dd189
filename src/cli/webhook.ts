import type { Command } from 'commander';
import { oneOf, readWholeNumber } from '../operator-actions/read';
import { notSentAgain, type ReplayedWebhooks } from '../operator-actions/webhooks';
import { listWebhooks } from '../webhooks/outbox';
import { readSince } from './parse';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count, table } from './table';
import { sleepersIn } from './waking';
import { clockOf } from './wall-clock';

const states = ['pending', 'delivered', 'dead', 'unaddressed', 'superseded'] as const;

export function webhookCommands(program: Command, { run, act }: Running): void {
  const webhook = program.command('webhook').description('what merchants are told');
  webhook
    .command('list')
    .description('webhooks, newest first')
    .option('--merchant <merchant_id>', 'to one merchant')
    .option('--payment <payment_id>', 'about one payment')
    .option('--state <state>', states.join(', '), oneOf(states, 'The state'))
    .option('--limit <n>', 'at most so many', readWholeNumber, 50)
    .action(run(list));
  act(
    webhook
      .command('replay [webhook_id]')
      .description('send again, under the same webhook id')
      .option('--payment <payment_id>', 'all about one payment')
      .option('--merchant <merchant_id>', 'all to one merchant that never arrived')
      .option('--dead-since <when>', 'all given up since, such as 2h or 2026-01-31T08:00:00Z', readSince),
    {
      kind: 'webhook.replay',
      input: (_: Session, webhookId: string | undefined, { payment, merchant, deadSince }: Which) => ({
        ...(webhookId !== undefined && { webhook_id: webhookId }),
        ...(payment !== undefined && { payment_id: payment }),
        ...(merchant !== undefined && { merchant_id: merchant }),
        ...(deadSince && { dead_since: deadSince.toISOString() }),
      }),
      print: printReplayed,
    },
  );
}

interface Filters {
  merchant?: string;
  payment?: string;
  state?: (typeof states)[number];
  limit: number;
}

async function list(
  { context, config }: Session,
  { merchant, payment, state, limit }: Filters,
): Promise<Report> {
  const rows = await listWebhooks(context.db, { merchantId: merchant, paymentId: payment, state, limit });
  const webhooks = rows.map(({ body: _, body_since: __, body_sha256: digest, ...webhook }) => ({
    ...webhook,
    body_sha256: digest?.toString('hex') ?? null,
  }));
  const clock = clockOf(config.timezone);
  return {
    json: { webhooks },
    text:
      webhooks.length === 0
        ? 'No webhook matches.'
        : table(
            ['webhook', 'payment', 'about', 'state', 'tries', 'written', 'next or settled'],
            webhooks.map((w) => [
              w.webhook_id,
              w.payment_id,
              w.to_state,
              w.state,
              w.tries,
              clock(w.created_at),
              clock(w.state === 'pending' ? w.next_at : w.settled_at),
            ]),
          ),
  };
}

interface Which {
  payment?: string;
  merchant?: string;
  deadSince?: Date;
}

function printReplayed(_: Session, { woken, ...replayed }: ReplayedWebhooks): Report {
  const { length } = replayed.webhooks;
  const text = `${count(length, 'webhook')} due again, with all tries before ${length === 1 ? 'it' : 'them'}.`;
  return {
    json: { ...replayed, payments_woken: woken.done, payments_not_woken: woken.failed },
    text: [text, notSentAgain(replayed), sleepersIn(woken)].filter(Boolean).join('\n'),
  };
}
