import type { Command } from 'commander';
import { oneOf, readWholeNumber } from '../operator-actions/read';
import { notSentAgain, type ReplayedWebhooks } from '../operator-actions/webhooks';
import { denialsSince } from '../payments/resolve/notifications/counts';
import { callbackFigures } from '../payments/resolve/notifications/health';
import { listWebhooks } from '../webhooks/outbox';
import { readSince, sleepersIn } from './parse';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count, table, clockOf } from './table';

const states = ['pending', 'delivered', 'dead', 'unaddressed', 'superseded'] as const;

export function webhookCommands(program: Command, { run, act }: Running): void {
  const webhook = program.command('webhook').description('webhooks to merchants');
  webhook
    .command('list')
    .description('list webhooks, newest first')
    .option('--merchant <merchant_id>', 'only webhooks to this merchant')
    .option('--payment <payment_id>', 'only webhooks about this payment')
    .option('--state <state>', states.join(', '), oneOf(states, 'The state'))
    .option('--limit <n>', 'show at most this many', readWholeNumber, 50)
    .action(run(list));
  act(
    webhook
      .command('replay [webhook_id]')
      .description('send webhooks again, with the same webhook id')
      .option('--payment <payment_id>', 'all webhooks about this payment')
      .option('--merchant <merchant_id>', 'all webhooks to this merchant that did not arrive')
      .option(
        '--dead-since <when>',
        'all webhooks that became dead since, such as 2h or 2026-01-31T08:00:00Z',
        readSince,
      ),
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
            ['webhook', 'payment', 'about', 'state', 'tries', 'created', 'next or settled'],
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

function printReplayed(_: Session, { signalled, ...replayed }: ReplayedWebhooks): Report {
  const { length } = replayed.webhooks;
  const text = `${count(length, 'webhook')} due again, with a new series of tries.`;
  return {
    json: { ...replayed, payments_signalled: signalled.done, payments_not_signalled: signalled.failed },
    text: [text, notSentAgain(replayed), sleepersIn(signalled)].filter(Boolean).join('\n'),
  };
}

export function callbacksCommand(program: Command, { run }: Running): void {
  program
    .command('notifications')
    .description('show how many notifications each provider sends, and how late they arrive')
    .option('--since <age>', 'count from this time on, at most 30 days back', readSince, readSince('1d'))
    .action(run(showNotifications));
}

async function showNotifications(
  { context: { db }, config }: Session,
  { since }: { since: Date },
): Promise<Report> {
  const [figures, errors] = await Promise.all([callbackFigures(db, since), denialsSince(db, since)]);
  const callbacks = figures.map((row) => ({
    ...{ rail: row.rail, account: row.account, kind: row.kind, state: row.verdict, since: row.since },
    ...{ expected: row.expected, received: row.received, reported_first: row.reportedFirst },
    lag_p50_seconds: row.lagP50Seconds ?? null,
    lag_p99_seconds: row.lagP99Seconds ?? null,
  }));
  const refused = [...errors].map(([rail, n]) => ({ rail, refused: n }));
  const clock = clockOf(config.timezone);
  const rows = callbacks.map((row) => [
    ...[row.rail, row.account, row.kind, row.expected, row.received, row.reported_first],
    ...[lagText(row.lag_p50_seconds), lagText(row.lag_p99_seconds), row.state, clock(row.since)],
  ]);
  const head = [
    'rail',
    'account',
    'kind',
    'expected',
    'arrived',
    'arrived first',
    'p50',
    'p99',
    'state',
    'since',
  ];
  const text = [
    callbacks.length === 0
      ? 'No payment with an expected notification ended more than two minutes ago.'
      : table(head, rows),
    ...refused.map(
      ({ rail, refused: n }) => `${rail}: ${count(n, 'notification was', 'notifications were')} denied.`,
    ),
  ].join('\n');
  return { json: { counted_since: since, callbacks, refused }, text };
}

function lagText(seconds: number | null): string {
  if (seconds === null) return '-';
  return seconds === 0 ? 'at once' : `${String(seconds)} s`;
}
