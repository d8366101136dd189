import type { Command } from 'commander';
import { countNotSentAgain, listWebhooks, replayWebhooks, type ReplaySelection } from '../webhooks/outbox';
import { oneOf, readSince, readWholeNumber } from './parse';
import { Refusal, UsageError } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { count, table } from './table';
import { sleepersIn, wakeAll } from './wake';
import { clockOf } from './wall-clock';

const states = ['pending', 'delivered', 'dead', 'unaddressed', 'superseded'] as const;

export function webhookCommands(program: Command, run: Runner): void {
  const webhook = program.command('webhook').description('what merchants are told');
  webhook
    .command('list')
    .description('webhooks, newest first')
    .option('--merchant <merchant_id>', 'to one merchant')
    .option('--payment <payment_id>', 'about one payment')
    .option('--state <state>', states.join(', '), oneOf(states, 'The state'))
    .option('--limit <n>', 'at most so many', readWholeNumber, 50)
    .action(run(list));
  webhook
    .command('replay [webhook_id]')
    .description('send again, under the same webhook id')
    .option('--payment <payment_id>', 'all about one payment')
    .option('--merchant <merchant_id>', 'all to one merchant that never arrived')
    .option('--dead-since <when>', 'all given up since, such as 2h or 2026-01-31T08:00:00Z', readSince)
    .action(run(replay));
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

async function replay(session: Session, webhookId: string | undefined, which: Which): Promise<Report> {
  const { db } = session.context;
  const selection = selectionOf(webhookId, which);
  const id = webhookId ?? which.payment ?? which.merchant ?? '';
  const webhookIds = await replayWebhooks(db, selection, (trx) =>
    session.acting.record(trx, { subject: { kind: 'webhook', id } }),
  );
  const { superseded, pruned } = await countNotSentAgain(db, selection);
  const replaced =
    superseded > 0 &&
    `${count(superseded, 'webhook is', 'webhooks are')} not sent again: a later status of the payment has replaced what was told.`;
  const gone =
    pruned > 0 &&
    `${count(pruned, 'webhook')} cannot be sent again: what was told is pruned, being old; malipo payment show tells when, and its sha256.`;
  if (webhookIds.length === 0) {
    const why = [replaced, gone].filter(Boolean).join('\n');
    throw new Refusal(why || 'Nothing to send again: no settled webhook matches.');
  }
  const about = db('outbox').whereIn('webhook_id', webhookIds).select('payment_id');
  const woken = await wakeAll(session, await db('payments').whereIn('payment_id', about));
  const text = `${count(webhookIds.length, 'webhook')} due again, with all tries before ${webhookIds.length === 1 ? 'it' : 'them'}.`;
  return {
    json: {
      webhooks: webhookIds,
      ...{ pruned, superseded },
      ...{ payments_woken: woken.done, payments_not_woken: woken.failed },
    },
    text: [text, replaced, gone, sleepersIn(woken)].filter(Boolean).join('\n'),
  };
}

function selectionOf(
  webhookId: string | undefined,
  { payment, merchant, deadSince }: Which,
): ReplaySelection {
  const selections: ReplaySelection[] = [];
  if (webhookId !== undefined) selections.push({ webhookId });
  if (payment !== undefined) selections.push({ paymentId: payment });
  if (merchant !== undefined) selections.push({ merchantId: merchant });
  if (deadSince !== undefined) selections.push({ deadSince });
  const [only] = selections;
  if (!only || selections.length > 1) {
    throw new UsageError(
      'Name one thing to send again: a webhook id, --payment, --merchant or --dead-since.',
    );
  }
  return only;
}
