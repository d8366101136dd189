import { allHandlersFinished, condition } from '@temporalio/workflow';
import type { PaymentCommand, PaymentResult } from '../src/domain/commands';
import { follow } from './follow';
import { submit } from './submit';
import { openPayment } from './open-payment';

/**
 * Money comes in: the customer is asked to pay, and a notification or our own poll brings the result. A prompt
 * without an answer in time is published as a timeout. It is still checked, because the money may still arrive.
 */
export async function collection(command: PaymentCommand): Promise<PaymentResult> {
  const payment = openPayment(command);
  const step = await submit(payment, command, 'ask the customer to pay');
  payment.accept(step);

  await follow(payment, command, step);
  await condition(allHandlersFinished);
  return payment.result();
}
