import { allHandlersFinished, condition } from '@temporalio/workflow';
import type { PaymentCommand } from '../src/domain/commands';
import type { PaymentState } from '../src/domain/payment';
import { follow } from './follow';
import { instruct } from './instruct';
import { openPayment } from './open-payment';

/**
 * Money comes in: the customer is asked, and a notification or our own question tells how it went. A prompt nobody
 * answered in time is a timeout, published but watched, because the money may still arrive.
 */
export async function collection(command: PaymentCommand): Promise<PaymentState> {
  const payment = openPayment(command);
  const initiation = await instruct(command, 'ask the customer');
  payment.accept(initiation.answer);
  payment.record(initiation, 'the provider answered');

  const end = await follow(payment, command, initiation);
  await condition(allHandlersFinished);
  return end;
}
