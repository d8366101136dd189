/** What a merchant is told of its payments: an event for each change, and the webhooks that its rail sends. */
import { v7 as uuidV7 } from 'uuid';
import { eventTypeOf } from '../../domain/event';
import { recordEvents, type NewEvent } from '../../events/record-events';
import type { Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { enqueueWebhook, supersede } from '../../webhooks/outbox';
import type { PaymentsContext } from '../../rail-kit/context';
import { operationOf, type Announcement } from '../../rail-kit/rail';
import { nextStepAmong } from '../read/next-step';
import { mayHaveToldBefore, precedenceOf } from './superseded';

type Told = Pick<PaymentsContext, 'rails'>;

/**
 * Writes down that a payment has entered its state, and that statuses which it replaces are not sent any more.
 * @param before what it was
 * @param announced false where the caller itself tells the merchant: there is no webhook then.
 * @returns the id of the webhook, where there is one.
 */
export async function tellOfMove(
  trx: Transaction,
  { rails }: Told,
  payment: PaymentRow,
  { before, announced = true }: { before: PaymentRow; announced?: boolean | undefined },
): Promise<string | undefined> {
  const operation = operationOf(rails.get(payment.rail), payment);
  const hasWebhook = announced && operation.announces(payment);
  if (!hasWebhook && eventTypeOf(payment) === undefined) return undefined;
  const announcement = tellOf(rails, payment, operation.tell(payment));
  const { webhookId = uuidV7() } = announcement;
  const precedence = precedenceOf(payment, before);
  await recordEvents(trx, eventsOf(payment, { ...announcement, webhookId }, before));
  if (!hasWebhook) return undefined;
  if (precedence.replaces > 0 && mayHaveToldBefore((other) => operation.announces(other), before)) {
    await supersede(trx, { paymentId: payment.payment_id, by: webhookId, replaces: precedence.replaces });
  }
  return enqueueWebhook(trx, {
    webhookId,
    sequence: payment.sequence,
    ...precedence,
    paymentId: payment.payment_id,
    merchantId: payment.merchant_id,
    toState: payment.state,
    callbackType: announcement.callbackType,
    endpoint: announcement.endpoint,
    body: announcement.body,
    requestId: payment.request_id,
    ...(announcement.sentAtField === undefined ? {} : { sentAtField: announcement.sentAtField }),
  });
}

/** Writes down that payments were taken on. */
export async function tellOfCreated(
  trx: Transaction,
  { rails }: Told,
  payments: readonly PaymentRow[],
): Promise<void> {
  const events = payments.flatMap((payment) =>
    eventsOf(payment, tellOf(rails, payment, operationOf(rails.get(payment.rail), payment).tell(payment))),
  );
  await recordEvents(trx, events);
}

/**
 * What its rail says, and what all rails say: what to do next, of what type it is, where the signature covers it, and which
 * change it tells.
 */
function tellOf(rails: Told['rails'], payment: PaymentRow, announcement: Announcement): Announcement {
  const { callbackType: callback_type, body } = announcement;
  const shared = { event_type: eventTypeOf(payment), callback_type, sequence: payment.sequence };
  return { ...announcement, body: { ...body, ...nextStepAmong(rails.all, payment), ...shared } };
}

function eventsOf(
  payment: PaymentRow,
  { webhookId = uuidV7(), callbackType, body }: Announcement,
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
