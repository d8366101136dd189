/** What a merchant is told of its payments: an event for each change, and the webhooks that its rail sends. */
import { v7 as uuidV7 } from 'uuid';
import { eventTypeOf } from '../../domain/event';
import { recordEvents, type NewEvent } from '../../events/record-events';
import type { Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { enqueueWebhook } from '../../webhooks/outbox';
import type { PaymentsContext } from '../rail/context';
import { operationOf, type Announcement } from '../rail/rail';
import { nextStepAmong } from '../record/next-step';

type Told = Pick<PaymentsContext, 'rails'>;

/**
 * Writes down that a payment has entered its state.
 * @param announced false where the caller itself tells the merchant: there is no webhook then.
 * @returns the id of the webhook, where there is one.
 */
export async function tellOfMove(
  trx: Transaction,
  { rails }: Told,
  payment: PaymentRow,
  { announced = true }: { announced?: boolean | undefined },
): Promise<string | undefined> {
  const operation = operationOf(rails.get(payment.rail), payment);
  const hasWebhook = announced && operation.announces(payment);
  if (!hasWebhook && eventTypeOf(payment) === undefined) return undefined;
  const announcement = advised(rails, payment, operation.tell(payment));
  const { webhookId = uuidV7() } = announcement;
  await recordEvents(trx, eventsOf(payment, { ...announcement, webhookId }));
  if (!hasWebhook) return undefined;
  return enqueueWebhook(trx, {
    webhookId,
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
    eventsOf(payment, advised(rails, payment, operationOf(rails.get(payment.rail), payment).tell(payment))),
  );
  await recordEvents(trx, events);
}

/** With what to do next, as every answer says it. */
function advised(rails: Told['rails'], payment: PaymentRow, announcement: Announcement): Announcement {
  return { ...announcement, body: { ...announcement.body, ...nextStepAmong(rails.all, payment) } };
}

function eventsOf(
  payment: PaymentRow,
  { webhookId = uuidV7(), callbackType, body }: Announcement,
): NewEvent[] {
  const type = eventTypeOf(payment);
  if (type === undefined) return [];
  const { payment_id: paymentId, merchant_id: merchantId, rail } = payment;
  return [{ eventId: webhookId, merchantId, paymentId, rail, type, callbackType, body }];
}
