import { CancellationScope, setWorkflowOptions } from '@temporalio/workflow';
import type {
  Flow,
  PaymentCommand,
  PaymentResult,
  VoucherCommand,
  VoucherResult,
} from '../src/domain/commands';
import { collection } from './collection';
import { disbursement } from './disbursement';
import { providerQuestion } from './provider-question';
import { exchangeRates, floatCheck, prune, reconciliation, verify } from './recurring-jobs';
import { versioningOf } from './versions';
import { voucher } from './voucher';

export { exchangeRates, floatCheck, providerQuestion, prune, reconciliation, verify };

const flows: Record<Flow, (command: PaymentCommand) => Promise<PaymentResult>> = {
  collection,
  disbursement,
};

/**
 * Every workflow of a payment or a voucher. It is the default export, so that each rail may start it under its own
 * type name (`stkPush`, `momoDeposit`, …). A new rail with an existing flow needs no code here.
 */
export default function run(
  command: PaymentCommand | VoucherCommand,
): Promise<PaymentResult | VoucherResult> {
  // The cancellation of a workflow cancels no payment: a payment that its provider has goes on, so its workflow does.
  const shielded = new CancellationScope({ cancellable: false });
  return command.flow === 'voucher'
    ? shielded.run(() => voucher(command))
    : shielded.run(() => flows[command.flow](command));
}

setWorkflowOptions(versioningOf, run);
setWorkflowOptions(versioningOf, exchangeRates);
setWorkflowOptions(versioningOf, floatCheck);
setWorkflowOptions(versioningOf, providerQuestion);
setWorkflowOptions(versioningOf, prune);
setWorkflowOptions(versioningOf, reconciliation);
setWorkflowOptions(versioningOf, verify);
