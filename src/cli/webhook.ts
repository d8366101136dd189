import type { Command } from 'commander';
import { oneOf, readWholeNumber } from '../operator-actions/read';
import { notSentAgain, type ReplayedWebhooks } from '../operator-actions/webhooks';
import { refusalsSince } from '../payments/resolve/callbacks/counts';
import { callbackFigures } from '../payments/resolve/callbacks/health';
import { listWebhooks } from '../webhooks/outbox';
import { readSince, sleepersIn } from './parse';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count, table, clockOf } from './table';

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

export function callbacksCommand(program: Command, { run }: Running): void {
  program
    .command('callbacks')
    .description('whether the callbacks of each provider come, how many, and how late')
    .option('--since <age>', 'count from then, up to 30 days back', readSince, readSince('1d'))
    .action(run(tell));
}

async function tell({ context: { db }, config }: Session, { since }: { since: Date }): Promise<Report> {
  const [figures, refusals] = await Promise.all([callbackFigures(db, since), refusalsSince(db, since)]);
  const callbacks = figures.map((row) => ({
    ...{ rail: row.rail, account: row.account, kind: row.kind, state: row.verdict, since: row.since },
    ...{ expected: row.expected, come: row.come, told_first: row.toldFirst },
    lag_p50_seconds: row.lagP50Seconds ?? null,
    lag_p99_seconds: row.lagP99Seconds ?? null,
  }));
  const refused = [...refusals].map(([rail, n]) => ({ rail, refused: n }));
  const clock = clockOf(config.timezone);
  const rows = callbacks.map((row) => [
    ...[row.rail, row.account, row.kind, row.expected, row.come, row.told_first],
    ...[lagText(row.lag_p50_seconds), lagText(row.lag_p99_seconds), row.state, clock(row.since)],
  ]);
  const head = ['rail', 'account', 'kind', 'expected', 'come', 'told first', 'p50', 'p99', 'state', 'since'];
  const text = [
    callbacks.length === 0
      ? 'No payment that a callback was expected of ended longer than two minutes ago.'
      : table(head, rows),
    ...refused.map(
      ({ rail, refused: n }) => `${rail}: ${count(n, 'notification was', 'notifications were')} refused.`,
    ),
  ].join('\n');
  return { json: { counted_since: since, callbacks, refused }, text };
}

function lagText(seconds: number | null): string {
  if (seconds === null) return '-';
  return seconds === 0 ? 'at once' : `${String(seconds)} s`;
}
