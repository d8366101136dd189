/** The messages to a merchant about its payments: an event for each change, and the webhooks of its rail. */
import { v7 as uuidV7 } from 'uuid';
import { eventTypeOf } from '../../domain/event';
import { isSettled, type PaymentState } from '../../domain/payment';
import { recordEvents, type NewEvent } from '../../events/record-events';
import type { PaymentsContext } from '../../rail-kit/context';
import { operationOf, type WebhookContent } from '../../rail-kit/rail';
import type { Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { enqueueWebhook, supersede } from '../../webhooks/outbox';
import { nextStepAmong } from '../read/next-step';

type WebhookContext = Pick<PaymentsContext, 'rails'>;

/**
 * Writes the event of a transition, and cancels pending status webhooks that it replaces.
 * @param before the payment before the transition
 * @param notified false where the caller itself answers the merchant: then there is no webhook.
 * @returns the id of the webhook, where there is one.
 */
export async function writeTransitionWebhook(
  trx: Transaction,
  { rails }: WebhookContext,
  payment: PaymentRow,
  { before, notified = true }: { before: PaymentRow; notified?: boolean | undefined },
): Promise<string | undefined> {
  const operation = operationOf(rails.get(payment.rail), payment);
  const hasWebhook = notified && operation.sendsWebhook(payment);
  if (!hasWebhook && eventTypeOf(payment) === undefined) return undefined;
  const webhook = writeWebhook(rails, payment, operation.webhookOf(payment));
  const { webhookId = uuidV7() } = webhook;
  const precedence = precedenceOf(payment, before);
  await recordEvents(trx, eventsOf(payment, { ...webhook, webhookId }, before));
  if (!hasWebhook) return undefined;
  if (precedence.replaces > 0 && wasPossiblyNotified((other) => operation.sendsWebhook(other), before)) {
    await supersede(trx, { paymentId: payment.payment_id, by: webhookId, replaces: precedence.replaces });
  }
  return enqueueWebhook(trx, {
    webhookId,
    sequence: payment.sequence,
    ...precedence,
    paymentId: payment.payment_id,
    merchantId: payment.merchant_id,
    toState: payment.state,
    callbackType: webhook.callbackType,
    endpoint: webhook.endpoint,
    body: webhook.body,
    requestId: payment.request_id,
    ...(webhook.sentAtField === undefined ? {} : { sentAtField: webhook.sentAtField }),
  });
}

/** Writes the events of newly created payments. */
export async function writeCreatedWebhook(
  trx: Transaction,
  { rails }: WebhookContext,
  payments: readonly PaymentRow[],
): Promise<void> {
  const events = payments.flatMap((payment) =>
    eventsOf(
      payment,
      writeWebhook(rails, payment, operationOf(rails.get(payment.rail), payment).webhookOf(payment)),
    ),
  );
  await recordEvents(trx, events);
}

/**
 * The rail's body and the fields of all rails: the next step, the type, where the signature covers it, and the
 * sequence number.
 */
function writeWebhook(
  rails: WebhookContext['rails'],
  payment: PaymentRow,
  webhook: WebhookContent,
): WebhookContent {
  const { callbackType: callback_type, body } = webhook;
  const shared = { event_type: eventTypeOf(payment), callback_type, sequence: payment.sequence };
  return { ...webhook, body: { ...body, ...nextStepAmong(rails.all, payment), ...shared } };
}

function eventsOf(
  payment: PaymentRow,
  { webhookId = uuidV7(), callbackType, body }: WebhookContent,
  before?: PaymentRow,
): NewEvent[] {
  const type = eventTypeOf(payment);
  if (type === undefined) return [];
  const { payment_id: paymentId, merchant_id: merchantId, rail, sequence } = payment;
  const precedence = precedenceOf(payment, before);
  return [
    { eventId: webhookId, merchantId, paymentId, rail, type, callbackType, body, sequence, ...precedence },
  ];
}

// Which status of a payment replaces which. A replaced status is not sent any more, because a merchant would act on
// outdated data. A webhook with an amount of its own is never replaced: a refund, a return or a corrected amount
// stays a fact, whatever follows.

/** As `replaceable` of an outbox row and of an event: what may replace it. */
const replaceableBy = {
  /** A refund, a reversal, a return, a correction of money; and the creation of a payment, which stays true. */
  nothing: 0,
  /** It reported that nothing is paid, or not yet. */
  anyStatus: 1,
  /** It reported a payment: it is replaced once no money is left. */
  theEndOfTheMoney: 2,
} as const;

/** As `replaces`: it replaces every status whose `replaceable` is at most this. */
const replaces = { nothing: 0, unpaid: 1, all: 2 } as const;

const progress: readonly PaymentState[] = ['received', 'initiating', 'pending'];
const unpaid: readonly PaymentState[] = ['queued', 'processing', 'failed', 'cancelled', 'timed_out'];

interface Precedence {
  replaceable: number;
  replaces: number;
}

/** @param before the payment before the transition; undefined for a new one. */
function precedenceOf(now: PaymentRow, before: PaymentRow | undefined): Precedence {
  if (progress.includes(now.state)) return { replaceable: replaceableBy.nothing, replaces: replaces.nothing };
  if (unpaid.includes(now.state)) return { replaceable: replaceableBy.anyStatus, replaces: replaces.all };
  const isPaid = now.state === 'succeeded';
  // It corrects an earlier end, or the money has returned.
  const corrects = isPaid && before !== undefined && (before.is_final === 1 || isSettled(before.state));
  return {
    replaceable: isPaid && !corrects ? replaceableBy.theEndOfTheMoney : replaceableBy.nothing,
    replaces: isLeft(now) ? replaces.unpaid : replaces.all,
  };
}

/** Whether a partly refunded deposit has money left. */
function isLeft({ kind, state, confirmed_minor: confirmed, returned_minor, refunded_minor }: PaymentRow) {
  if (kind !== 'deposit' || (state !== 'refunded' && state !== 'reversed')) return false;
  return BigInt(returned_minor) + BigInt(refunded_minor) < BigInt(confirmed ?? 0);
}

/**
 * Whether the merchant may have an earlier webhook that the one of `now` replaces. Most payments have none, and need
 * no statement.
 */
function wasPossiblyNotified(sendsWebhook: (payment: PaymentRow) => boolean, before: PaymentRow): boolean {
  if (progress.includes(before.state)) return false;
  if (before.state !== 'processing') return true;
  return (['queued', 'processing'] as const).some((state) => sendsWebhook({ ...before, state }));
}
