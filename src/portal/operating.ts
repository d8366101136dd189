/** Operator actions from the portal's pages. They use the same `execute` as the command line. */
import { PaymentError } from '../domain/errors';
import type { Deployment } from '../operator-actions/action';
import type { ActionKind, InputOf, ResultOf } from '../operator-actions/actions';
import { isDenial } from '../operator-actions/denials';
import { ActionError } from '../operator-actions/errors';
import { approve, execute, type Outcome, type Trying } from '../operator-actions/execute';
import { findFormat } from '../operator-actions/statements';
import { unmatchedDetails, type UnmatchedDetails } from '../reconciliation/unmatched-details';
import type { UnmatchedReceiptRow } from '../store/tables';
import { findActive, type Operator } from '../users/operators';

/** Nothing was done; the text gives the reason. */
export interface Denied {
  kind: 'denied';
  text: string;
}

/** An action's kind with its input. */
export interface ActionOf<Kind extends ActionKind> {
  kind: Kind;
  input: InputOf<Kind>;
}

export interface Operations {
  execute<Kind extends ActionKind>(
    operatorName: string,
    action: ActionOf<Kind>,
    trying?: Trying,
  ): Promise<Outcome<ResultOf<Kind>> | Denied>;
  /** Approves another operator's request. */
  approve(
    operatorName: string,
    approvalId: string,
    trying?: Omit<Trying, 'form'>,
  ): Promise<Outcome<unknown> | Denied>;
  /** The statement line of an unmatched receipt, and the payments that may match it. */
  unmatched(unmatched: UnmatchedReceiptRow): Promise<UnmatchedDetails>;
}

export function createOperations(deployment: Deployment): Operations {
  const { context } = deployment;
  const { db } = context;

  /** @throws any other error, because that is a fault of ours. */
  async function as<T>(operatorName: string, work: (operator: Operator) => Promise<T>): Promise<T | Denied> {
    try {
      const operator = await findActive(db, operatorName);
      if (!operator) throw new ActionError('There is no active operator with this name.');
      return await work(operator);
    } catch (error) {
      if (!isDenial(error)) throw error;
      return { kind: 'denied', text: sentencesOf(error as Error) };
    }
  }

  return {
    execute: (name, action, trying) =>
      as(name, (operator) => execute(deployment, { operator }, action, trying)),
    approve: (name, approvalId, trying) =>
      as(name, (operator) => approve(deployment, { operator }, approvalId, trying)),
    unmatched: (unmatched) => unmatchedDetails(db, findFormat(context, unmatched.provider), unmatched),
  };
}

/** The message, with the fault of each field. */
function sentencesOf(error: Error): string {
  const faults = error instanceof PaymentError ? (error.options.details ?? []) : [];
  return [error.message, ...faults.map(({ message }) => message)].join(' ');
}
