/** Sends webhooks again, with the same webhook id. */
import Joi from 'joi';
import { countNotSentAgain, replayWebhooks, type ReplaySelection } from '../webhooks/outbox';
import { defineAction } from './action';
import { ActionError, InputError } from './errors';
import { id } from './fields';
import { signalAll, type Signalled } from './workflows';

interface ReplayInput {
  /** Exactly one of them. */
  webhook_id?: string;
  payment_id?: string;
  merchant_id?: string;
  /** ISO 8601: all webhooks that became dead since. */
  dead_since?: string;
}

export interface ReplayedWebhooks {
  webhooks: string[];
  /** Webhooks that are not sent again: their bodies are pruned, or a later status has replaced them. */
  pruned: number;
  superseded: number;
  signalled: Signalled;
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
          notSentAgain({ superseded, pruned }) ||
            'No delivered or dead webhook matches, so none is sent again.',
        );
      const about = db('outbox').whereIn('webhook_id', webhookIds).select('payment_id');
      const signalled = await signalAll(scope, await db('payments').whereIn('payment_id', about));
      return { webhooks: webhookIds, pruned, superseded, signalled };
    },
  }),
};

/** Why some webhooks are not sent again, one sentence a line; empty if all are. */
export function notSentAgain({
  superseded,
  pruned,
}: Pick<ReplayedWebhooks, 'superseded' | 'pruned'>): string {
  const are = superseded === 1 ? '1 webhook is' : `${String(superseded)} webhooks are`;
  const gone = pruned === 1 ? '1 webhook' : `${String(pruned)} webhooks`;
  return [
    superseded > 0 && `${are} not sent again: a later status of the payment has replaced the content.`,
    pruned > 0 &&
      `${gone} cannot be sent again: the body is too old and was pruned; malipo payment show has the time and the sha256.`,
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
      'Name exactly one selection: a webhook, a payment, a merchant, or a time since which webhooks became dead.',
    );
  return only;
}
