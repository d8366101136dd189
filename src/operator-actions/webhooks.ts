/** Webhooks that are sent again, under the same webhook id. */
import Joi from 'joi';
import { countNotSentAgain, replayWebhooks, type ReplaySelection } from '../webhooks/outbox';
import { defineAction } from './action';
import { ActionError, InputError } from './errors';
import { id } from './fields';
import { wakeAll, type Waking } from './workflows';

interface ReplayInput {
  /** Exactly one of them. */
  webhook_id?: string;
  payment_id?: string;
  merchant_id?: string;
  /** ISO 8601: all that were given up since. */
  dead_since?: string;
}

export interface ReplayedWebhooks {
  webhooks: string[];
  /** Not sent again: their bodies are pruned, or a later status has replaced them. */
  pruned: number;
  superseded: number;
  woken: Waking;
}

export const webhookActions = {
  'webhook.replay': defineAction<ReplayInput, ReplayedWebhooks>({
    ...{ version: 1, right: 'act', approval: 'never', writes: 'database' },
    schema: Joi.object<ReplayInput>({
      webhook_id: id,
      payment_id: id,
      merchant_id: id,
      dead_since: Joi.string().isoDate(),
    }),
    phrase: { en: 'send webhooks again', sw: 'kutuma webhook tena' },
    async run(scope, input) {
      const { context, acting } = scope;
      const { db } = context;
      const selection = selectionOf(input);
      const subject = input.webhook_id ?? input.payment_id ?? input.merchant_id ?? '';
      const webhookIds = await replayWebhooks(db, selection, (trx, ids) =>
        acting.record(trx, {
          subject: { kind: 'webhook', id: subject },
          changes: ids.map((webhookId) => ({
            of: { kind: 'webhook', id: webhookId },
            field: 'state',
            from: null,
            to: 'pending',
          })),
        }),
      );
      const { superseded, pruned } = await countNotSentAgain(db, selection);
      if (webhookIds.length === 0)
        throw new ActionError(
          notSentAgain({ superseded, pruned }) || 'Nothing to send again: no settled webhook matches.',
        );
      const about = db('outbox').whereIn('webhook_id', webhookIds).select('payment_id');
      const woken = await wakeAll(scope, await db('payments').whereIn('payment_id', about));
      return { webhooks: webhookIds, pruned, superseded, woken };
    },
  }),
};

/** Why some are not sent again, one sentence a line; empty where all are. */
export function notSentAgain({
  superseded,
  pruned,
}: Pick<ReplayedWebhooks, 'superseded' | 'pruned'>): string {
  const are = superseded === 1 ? '1 webhook is' : `${String(superseded)} webhooks are`;
  const gone = pruned === 1 ? '1 webhook' : `${String(pruned)} webhooks`;
  return [
    superseded > 0 && `${are} not sent again: a later status of the payment has replaced what was told.`,
    pruned > 0 &&
      `${gone} cannot be sent again: what was told is pruned, being old; malipo payment show tells when, and its sha256.`,
  ]
    .filter((line) => line !== false)
    .join('\n');
}

function selectionOf(input: ReplayInput): ReplaySelection {
  const { webhook_id: webhookId, payment_id: paymentId, merchant_id: merchantId } = input;
  const selections: ReplaySelection[] = [];
  if (webhookId !== undefined) selections.push({ webhookId });
  if (paymentId !== undefined) selections.push({ paymentId });
  if (merchantId !== undefined) selections.push({ merchantId });
  if (input.dead_since !== undefined) selections.push({ deadSince: new Date(input.dead_since) });
  const [only] = selections;
  if (!only || selections.length > 1)
    throw new InputError(
      'Name one thing to send again: a webhook, a payment, a merchant, or a moment since which they were given up.',
    );
  return only;
}
