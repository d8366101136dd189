/** What an operator does, as a value: the command line, the portal and approvals all hand one to `execute`. */
import type { Client } from '@temporalio/client';
import type { ObjectSchema } from 'joi';
import type { Config } from '../config';
import type { Currency } from '../domain/money';
import type { SecretBox } from '../merchants/secrets';
import type { ApprovalKind } from '../users/approvals';
import type { Action as AuditLine } from '../users/audit-log';
import type { Operator, Right } from '../users/operators';
import type { Engine } from '../rail-kit/engine';
import type { PaymentsContext } from '../rail-kit/context';
import type { Language } from '../portal/format';
import type { Database, Transaction } from '../store/database';
import type { VoucherEngine } from '../vouchers/voucher-engine';
import type { Place } from '../worker/versions/server-view';

/** What actions work with: one deployment, opened by the command line or by the portal. */
export interface Deployment {
  config: Config;
  context: PaymentsContext;
  engine: Engine;
  vouchers: VoucherEngine;
  client: Client;
  box: SecretBox;
  /** Known in the sandbox only. */
  simulatorUrl: string | undefined;
  /** Undefined where workers have no versions. */
  versions?: Place | undefined;
  /** Where people work. @throws ConfigError where that is not set, or wrong. */
  portal(): { url: string; sendsMail: boolean };
}

/** Something that a person can open: the portal makes a link of it. */
export interface Reference {
  kind: string;
  id: string;
}

export type ShownValue = string | number | boolean | null | Date | { minor: string; currency: Currency };

/** One thing that an action changes. `null` on one side: it was not there before, or is not there after. */
export interface Change {
  of: Reference;
  field: string;
  from: ShownValue;
  to: ShownValue;
}

/** What a handler reports last in its transaction: for the audit log, and for the approval rule. */
export interface Recorded {
  /** The thing that was changed: an id of at most 160 characters. */
  subject: Reference;
  /** Beside the input. Never a secret, and no personal data of a customer. */
  details?: AuditLine['details'];
  /** How much money the action moves, in minor units; with a sign where the same amount may be less or more. */
  moves?: { currency: Currency; amountMinor: bigint } | undefined;
  /** `never`: this case of the action may be done alone. `always`: whatever the rule is, where anybody else can approve. */
  second?: 'by_rule' | 'never' | 'always';
  /** Changes in other tables than controls, ledger accounts and payments. */
  changes?: readonly Change[];
}

/** Who acts, and how the handler writes that down. */
export interface Acting {
  /** A name that was proved, or `nobody` while there is no operator. */
  by: string;
  operator: Operator | undefined;
  /** Who has approved it. */
  approvedBy?: string;
  /** The name that a row keeps: the operator, and the approver if any; the typed name while there is no operator. */
  name: string;
  /** Writes the audit line in the transaction. A preview, and an action that needs an approval, is rolled back at the end. */
  record(trx: Transaction, recorded: Recorded): Promise<void>;
}

export interface ActionScope extends Deployment {
  acting: Acting;
}

export type Words = Readonly<Record<Language, string>>;
/** What the phrase of an action is filled in with, beside its input. */
export type Names = Readonly<Record<string, string | Words | undefined>>;

interface Common<Input, Result> {
  /** The shape of its input. What it stores must be plain JSON: an approval keeps it. */
  schema: ObjectSchema<Input>;
  /** Raised with each change of what its input means: an approval of another version is refused. */
  version: number;
  /** The right that the operator's role must have. */
  right: Right;
  /** While there is no operator, it is kept with the name that was typed. */
  keepsTypedName?: boolean;
  /** Everybody may do it to themselves. */
  isOwn?: (input: Input, operator: Operator) => boolean;
  /** In the infinitive: "add {amount} to the float of {merchant}". */
  phrase: Words | ((input: Input) => Words);
  /** Names for the phrase that only the database knows: whose it is, how much. */
  names?: (db: Database, input: Input) => Promise<Names>;
  /** The input as the audit log keeps it; by default all of it, redacted. */
  audited?: (input: Input) => Readonly<Record<string, unknown>>;
  run(scope: ActionScope, input: Input): Promise<Result>;
}

/** Only the database is touched: handler and audit line commit together, or not at all. */
interface Transactional<Input, Result> extends Common<Input, Result> {
  writes: 'database';
  /** Which rule says whether a second operator has to approve it. */
  approval: ApprovalKind | 'never';
}

/** A provider or Temporal is called: one audit line before, one with the outcome after. */
interface Outward<Input, Result> extends Common<Input, Result> {
  writes: 'elsewhere';
  approval: 'never';
  subject: (input: Input) => Reference;
  /** What it would do, for a preview. */
  preview: (scope: Deployment, input: Input) => Promise<readonly Change[]>;
}

export type ActionDefinition<Input, Result> = Transactional<Input, Result> | Outward<Input, Result>;

/** Keeps the types of input and result apart from those of every other action. */
export function defineAction<Input, Result>(
  definition: ActionDefinition<Input, Result>,
): ActionDefinition<Input, Result> {
  return definition;
}
