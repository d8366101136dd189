/** The type of an operator's action. The command line, the portal and approvals all pass one to `execute`. */
import type { Client } from '@temporalio/client';
import type { ObjectSchema } from 'joi';
import type { Config } from '../config';
import type { Currency } from '../domain/money';
import type { AskWorker } from '../domain/provider-questions';
import type { SecretBox } from '../merchants/secrets';
import type { ApprovalKind } from '../users/approvals';
import type { Action as AuditLine } from '../users/audit-log';
import type { Operator, Right } from '../users/operators';
import type { Engine } from '../rail-kit/engine';
import type { PaymentsContext } from '../rail-kit/context';
import type { Language } from '../portal/format';
import type { Database, Transaction } from '../store/database';
import type { VoucherEngine } from '../vouchers/voucher-engine';
import type { DeploymentAddress } from '../worker/versions/server-view';

/** The deployment that an action changes, opened by the command line or by the portal. */
export interface Deployment {
  config: Config;
  context: PaymentsContext;
  engine: Engine;
  vouchers: VoucherEngine;
  client: Client;
  box: SecretBox;
  /** Only in the sandbox. */
  simulatorUrl: string | undefined;
  /** Undefined if workers have no versions. */
  versions?: DeploymentAddress | undefined;
  /** In a process without the providers' keys: the portal. */
  ask?: AskWorker | undefined;
  /** The portal's address, and whether it sends mails. @throws ConfigError if a setting is missing or wrong. */
  portal(): { url: string; sendsMail: boolean };
}

/** A thing that has a page in the portal: the portal links to it. */
export interface Reference {
  kind: string;
  id: string;
}

export type ShownValue = string | number | boolean | null | Date | { minor: string; currency: Currency };

/** One field that an action changes. `null`: the field has no value before, or none after. */
export interface Change {
  of: Reference;
  field: string;
  from: ShownValue;
  to: ShownValue;
}

/** What a handler reports last in its transaction: for the audit log, and for the approval rule. */
export interface Recorded {
  /** The changed thing; its id has at most 160 characters. */
  subject: Reference;
  /** In addition to the input. Never a secret, and no personal data of a customer. */
  details?: AuditLine['details'];
  /** The amount that the action moves, in minor units; signed if it may be too little or too much. */
  money?: { currency: Currency; amountMinor: bigint } | undefined;
  /** `never`: one operator is enough here. `always`: needs an approval whatever the rule, if another operator can approve. */
  second?: 'by_rule' | 'never' | 'always';
  /** Changes in tables other than controls, ledger accounts and payments. */
  changes?: readonly Change[];
}

/** Who acts, and how the handler records it. */
export interface Acting {
  /** The authenticated operator's name, or `nobody` while there is no operator. */
  by: string;
  operator: Operator | undefined;
  /** The operator who approved it. */
  approvedBy?: string;
  /** The name for rows: the operator, and the approver if any; the typed name while there is no operator. */
  name: string;
  /** Writes the audit line in the transaction. At the end, a preview or an action that needs an approval is rolled back. */
  record(trx: Transaction, recorded: Recorded): Promise<void>;
}

export interface ActionScope extends Deployment {
  acting: Acting;
}

export type Words = Readonly<Record<Language, string>>;
/** Values for the placeholders of a phrase, in addition to the input. */
export type Names = Readonly<Record<string, string | Words | undefined>>;

interface Common<Input, Result> {
  /** The shape of the input, which must be plain JSON, because an approval stores it. */
  schema: ObjectSchema<Input>;
  /** Raised when the meaning of the input changes: an approval of another version is denied. */
  version: number;
  /** The right that the operator's role must have. */
  right: Right;
  /** While there is no operator, the audit log stores the typed name. */
  keepsTypedName?: boolean;
  /** True if the operator acts on their own account: then the role does not matter. */
  isOwn?: (input: Input, operator: Operator) => boolean;
  /** An infinitive, such as "add {amount} to the float of {merchant}". */
  phrase: Words | ((input: Input) => Words);
  /** Values for the phrase from the database: the merchant, the amount. */
  names?: (db: Database, input: Input) => Promise<Names>;
  /** The input as the audit log stores it; by default all fields, redacted. */
  audited?: (input: Input) => Readonly<Record<string, unknown>>;
  run(scope: ActionScope, input: Input): Promise<Result>;
}

/** An action that only changes the database: handler and audit line commit together or not at all. */
interface Transactional<Input, Result> extends Common<Input, Result> {
  writes: 'database';
  /** The rule that says whether a second operator must approve it. */
  approval: ApprovalKind | 'never';
}

/** An action that calls a provider or Temporal: one audit line before, and one with the outcome after. */
interface Outward<Input, Result> extends Common<Input, Result> {
  writes: 'elsewhere';
  approval: 'never';
  subject: (input: Input) => Reference;
  /** The changes it would make, for a preview. */
  preview: (scope: Deployment, input: Input) => Promise<readonly Change[]>;
}

export type ActionDefinition<Input, Result> = Transactional<Input, Result> | Outward<Input, Result>;

/** Gives each action its own types of input and result. */
export function defineAction<Input, Result>(
  definition: ActionDefinition<Input, Result>,
): ActionDefinition<Input, Result> {
  return definition;
}
