import { allHandlersFinished, condition } from '@temporalio/workflow';
import type { PaymentCommand } from '../src/domain/commands';
import type { PaymentState } from '../src/domain/payment';
import { follow } from './follow';
import { instruct } from './instruct';
import { openPayment } from './open-payment';

/**
 * Money comes in: the customer is asked to pay, and a notification or our own poll brings the result. A prompt
 * without an answer in time is published as a timeout. It is still checked, because the money may still arrive.
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
