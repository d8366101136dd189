import type { PaymentCommand, Story } from '../src/domain/commands';
import type { PaymentState } from '../src/domain/payment';
import { collection } from './collection';
import { disbursement } from './disbursement';

const stories: Record<Story, (command: PaymentCommand) => Promise<PaymentState>> = {
  collection,
  disbursement,
};

/**
 * Every payment's workflow. It is the default export, so that each rail may start it under a type name of its own
 * (`stkPush`, `momoDeposit`, …): a new rail with a known story needs no code here.
 */
export default function payment(command: PaymentCommand): Promise<PaymentState> {
  return stories[command.story](command);
}
