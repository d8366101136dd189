/** Operator actions from the portal's pages, through the same `execute` as everywhere else. */
import { PaymentError } from '../domain/errors';
import type { Deployment } from '../operator-actions/action';
import type { ActionKind, InputOf, ResultOf } from '../operator-actions/actions';
import { isDenial } from '../operator-actions/denials';
import { ActionError } from '../operator-actions/errors';
import { approve, execute, type Outcome, type Trying } from '../operator-actions/execute';
import { findFormat } from '../operator-actions/statements';
import { orphanDetails, type OrphanDetails } from '../reconciliation/orphan-details';
import type { OrphanRow } from '../store/tables';
import { findActive, type Operator } from '../users/operators';

/** Nothing was done; the text says why. */
export interface Denied {
  kind: 'denied';
  text: string;
}

/** By its kind, with the input that belongs to it. */
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
  /** Approves what another operator has asked for. */
  approve(
    operatorName: string,
    approvalId: string,
    trying?: Omit<Trying, 'form'>,
  ): Promise<Outcome<unknown> | Denied>;
  /** The line of an orphan, and the payments it may belong to. */
  orphan(orphan: OrphanRow): Promise<OrphanDetails>;
}

export function createOperations(deployment: Deployment): Operations {
  const { context } = deployment;
  const { db } = context;

  /** @throws any other error: it is a fault of ours. */
  async function as<T>(operatorName: string, work: (operator: Operator) => Promise<T>): Promise<T | Denied> {
    try {
      const operator = await findActive(db, operatorName);
      if (!operator) throw new ActionError('No operator of that name is active.');
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
    orphan: (orphan) => orphanDetails(db, findFormat(context, orphan.provider), orphan),
  };
}

/** With what is wrong with each field. */
function sentencesOf(error: Error): string {
  const faults = error instanceof PaymentError ? (error.options.details ?? []) : [];
  return [error.message, ...faults.map(({ message }) => message)].join(' ');
}
