import { setWorkflowOptions } from '@temporalio/workflow';
import type { PaymentCommand, Flow, VoucherCommand } from '../src/domain/commands';
import type { PaymentState } from '../src/domain/payment';
import type { VoucherState } from '../src/domain/voucher';
import { collection } from './collection';
import { disbursement } from './disbursement';
import { exchangeRates, floatCheck, prune, reconciliation, verify } from './recurring-jobs';
import { versioningOf } from './versions';
import { voucher } from './voucher';

export { exchangeRates, floatCheck, prune, reconciliation, verify };

const flows: Record<Flow, (command: PaymentCommand) => Promise<PaymentState>> = {
  collection,
  disbursement,
};

/**
 * Every workflow of a payment or a voucher. It is the default export, so that each rail may start it under its own
 * type name (`stkPush`, `momoDeposit`, …). A new rail with an existing flow needs no code here.
 */
export default function run(command: PaymentCommand | VoucherCommand): Promise<PaymentState | VoucherState> {
  return command.flow === 'voucher' ? voucher(command) : flows[command.flow](command);
}

setWorkflowOptions(versioningOf, run);
setWorkflowOptions(versioningOf, exchangeRates);
setWorkflowOptions(versioningOf, floatCheck);
setWorkflowOptions(versioningOf, prune);
setWorkflowOptions(versioningOf, reconciliation);
setWorkflowOptions(versioningOf, verify);
