/** The deliveries of a success webhook. */
import type { PaymentRow } from '../../../../src/store/tables';
import { isCopyOf } from '../../support/ending-well';
import type { TestMerchant } from '../../../support/stack';
import type { ContractStage } from './stand';

/** @returns the status of each attempt, and whether each request was equal to the stored one. */
export async function triesOfSuccess(
  { stack: { db } }: ContractStage,
  { receiver }: TestMerchant,
  { payment_id }: PaymentRow,
): Promise<{ answers: (number | null)[]; areCopies: boolean[] }> {
  const webhook = await db('outbox').where({ payment_id, to_state: 'succeeded', state: 'delivered' }).first();
  if (!webhook) throw new Error(`the success of ${payment_id} was not delivered`);
  const { webhook_id } = webhook;
  const tries = await db('webhook_deliveries').where({ webhook_id }).orderBy('delivery_id');
  const seen = receiver.received.filter(({ headers }) => headers['webhook-id'] === webhook_id);
  return {
    answers: tries.map(({ http_status: status }) => status),
    areCopies: seen.map((copy) => isCopyOf(webhook, copy)),
  };
}
