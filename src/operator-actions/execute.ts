/**
 * Every change by an operator, from the command line or the portal, goes through `execute` or `approve`. They authorise,
 * validate, request an approval if a rule needs one, run the handler and write the audit log.
 */
import { userInfo } from 'node:os';
import { v7 as uuid } from 'uuid';
import { isCurrency } from '../domain/money';
import type { Database, Transaction } from '../store/database';
import type { ApprovalRow } from '../store/tables';
import { beforeCommit, inTransaction } from '../store/transaction';
import { redactFields } from '../telemetry/redact';
import {
  askForApproval,
  getApprovable,
  needsSecond,
  takeApproval,
  type ApprovalKind,
  type Need,
} from '../users/approvals';
import { recordAction, rowsChangedIn, type Action as AuditLine } from '../users/audit-log';
import { controlTableOf, type ControlRow, type ControlTableName } from '../users/control-rows';
import { currentActionId, duringAction, notedChanges } from '../users/current-action';
import {
  findActive,
  hasOperators,
  hasRight,
  noOperator,
  recordDenial,
  type Operator,
} from '../users/operators';
import type {
  ActionDefinition,
  Acting,
  ActionScope,
  Change,
  Deployment,
  Recorded,
  Reference,
  ShownValue,
} from './action';
import type { Ending } from './books';
import { definitionOf, findDefinition, type ActionKind, type InputOf, type ResultOf } from './actions';
import { isDenial } from './denials';
import { ActionError, InputError } from './errors';
import { mailApprovers } from './mails';
import { actionTexts, plainTexts, type ActionTexts, type Tense } from './wording';

/** The authenticated operator. Undefined while there is no operator: then the deployment's settings are enough. */
export interface Actor {
  operator: Operator | undefined;
  /** The typed name, while there is no operator. */
  name?: string | undefined;
}

export type Outcome<Result> =
  | {
      kind: 'done';
      /** The kind of the action. */
      action: string;
      result: Result;
      subject: Reference | undefined;
      changes: Change[];
      texts: ActionTexts;
    }
  /** Nothing was done: a second operator must approve it. */
  | {
      kind: 'waits';
      approvalId: string;
      expiresAt: Date;
      askedBy: string;
      texts: ActionTexts;
      changes: Change[];
    }
  /** Nothing was done: the result of a dry run. */
  | { kind: 'preview'; needsSecond: boolean; changes: Change[]; texts: ActionTexts };

export interface Trying {
  /** A preview: nothing is done. */
  dryRun?: boolean;
  /** The number of a page's form. @throws SentBefore if the form was sent before: one form runs or requests one action. */
  form?: string | undefined;
}

/** Rolls back the transaction of an action. */
class NotCommitted extends Error {}

interface Performing<Input, Result> {
  deployment: Deployment;
  kind: string;
  definition: ActionDefinition<Input, Result>;
  input: Input;
  dryRun: boolean;
  form?: string | undefined;
  acting: Omit<Acting, 'record'>;
  /**
   * Writes the audit line, and everything else that belongs to the action.
   * @returns the approval that the action needs: then it is rolled back.
   */
  writeDown(trx: Transaction, recorded: Recorded): Promise<Need | undefined>;
}

interface Performed<Result> {
  /** Undefined if nothing was committed. */
  done?: { result: Result };
  recorded?: Recorded;
  changes: Change[];
  need?: Need | undefined;
}

/** Runs an action up to its COMMIT. A dry run, and an action that needs an approval, is rolled back there. */
async function perform<Input, Result>(performing: Performing<Input, Result>): Promise<Performed<Result>> {
  const { deployment, kind, definition, input, dryRun, form, writeDown } = performing;
  if (definition.writes === 'elsewhere' && dryRun)
    return { changes: [...(await definition.preview(deployment, input))] };
  const performed: Performed<Result> = { changes: [] };
  const acting: Acting = {
    ...performing.acting,
    async record(trx, recorded) {
      performed.recorded = recorded;
      const need = await writeDown(trx, recorded);
      performed.need = need;
      // At the end, so that everything in the transaction is tried.
      const atTheEnd = async (): Promise<void> => {
        performed.changes = await changesIn(trx, recorded.changes);
        if (dryRun || need) throw new NotCommitted('this transaction is not to be committed');
      };
      if (!beforeCommit(trx, atTheEnd)) await atTheEnd();
    },
  };
  const scope = { ...(dryRun ? unobserved(deployment) : deployment), acting };
  try {
    const result = await duringAction(uuid(), () =>
      definition.writes === 'elsewhere'
        ? writtenDown(scope, kind, definition, input, form)
        : definition.run(scope, input),
    );
    if (dryRun) throw new Error(`a dry run of ${kind} was committed`);
    performed.done = { result };
  } catch (error) {
    if (!(error instanceof NotCommitted)) throw error;
  }
  return performed;
}

/** Describes the action. After the COMMIT, a lost connection must not turn its result into an error. */
async function wordsOf<Input, Result>(
  { deployment, kind, definition, input, acting }: Performing<Input, Result>,
  { done, recorded, changes }: Performed<Result>,
  tense: Tense,
): Promise<ActionTexts> {
  const texts = actionTexts(deployment.context.db, definition, {
    ...{ who: acting.name, input, tense, changes, timezone: deployment.config.timezone },
    money: recorded?.money,
  });
  return done ? texts.catch(() => plainTexts(kind)) : texts;
}

/**
 * Runs an action, or requests an approval for it.
 * @throws ActionError if the action is denied, InputError for unreadable input: nothing was done.
 */
export async function execute<Kind extends ActionKind>(
  deployment: Deployment,
  actor: Actor,
  action: { kind: Kind; input: unknown },
  { dryRun = false, form }: Trying = {},
): Promise<Outcome<ResultOf<Kind>>> {
  const { kind } = action;
  const { operator } = actor;
  const definition = definitionOf(kind);
  const input = validated<InputOf<Kind>>(definition, action.input);
  await authorise(deployment.context.db, actor, kind, definition, input);
  const by = operator?.name ?? noOperator;
  const isOwn = operator !== undefined && definition.isOwn?.(input, operator) === true;
  const performing: Performing<InputOf<Kind>, ResultOf<Kind>> = {
    ...{ deployment, kind, definition, input, dryRun, form },
    acting: { by, operator, name: operator?.name ?? actor.name ?? userInfo().username },
    async writeDown(trx, recorded) {
      const need = operator && !isOwn ? needOf(definition.approval, recorded) : undefined;
      const { environment } = deployment.config;
      if (need && operator && (await needsSecond(trx, need, { operator, environment }))) return need;
      await recordAction(trx, lineOf(kind, definition, input, { by, recorded, typed: actor.name, form }));
      await denyChangedOperators(trx, operator);
      return undefined;
    },
  };
  const performed = await perform(performing);
  const { done, recorded, changes, need } = performed;
  if (dryRun) {
    const texts = await wordsOf(performing, performed, 'would');
    return { kind: 'preview', needsSecond: need !== undefined, changes, texts };
  }
  if (done) {
    const texts = await wordsOf(performing, performed, 'done');
    return { kind: 'done', action: kind, ...done, changes, subject: recorded?.subject, texts };
  }
  if (!need) throw new Error(`${kind} was not committed, although it needs no approval`);
  const texts = await wordsOf(performing, performed, 'asked');
  return ask(deployment, { action, version: definition.version, input, by, need, form, texts, changes });
}

/**
 * Runs an action that another operator requested, exactly once. The action's transaction also marks the approval as used: a
 * second approver is denied, and a crash leaves neither.
 * @throws ActionError, OperatorRefusal
 */
export async function approve(
  deployment: Deployment,
  { operator: approver }: Actor,
  approvalId: string,
  { dryRun = false }: Omit<Trying, 'form'> = {},
): Promise<Outcome<unknown>> {
  const { db } = deployment.context;
  if (!approver) throw new ActionError('There is no operator yet, so there is no request to approve.');
  await expectRight(db, approver, 'approve', hasRight(approver, 'approve'));
  const { approval, asker } = await getApprovable(db, approvalId, approver);
  const { action: kind } = approval;
  const definition = findDefinition(kind);
  if (definition?.version !== approval.version || approval.input === null)
    throw new ActionError(`${approvalId} was requested with another version of Malipo. Request it again.`);
  const input = validated<object>(definition, JSON.parse(approval.input) as unknown);
  const performing: Performing<object, unknown> = {
    ...{ deployment, kind, definition, input, dryRun },
    acting: {
      ...{ by: asker.name, operator: asker, approvedBy: approver.name },
      name: `${asker.name} with ${approver.name}`,
    },
    async writeDown(trx, recorded) {
      denyAnotherAmount(approval, recorded);
      await takeApproval(trx, approvalId, approver.name);
      const details = { ...recorded.details, approval_id: approvalId, approved_by: approver.name };
      const line = { by: asker.name, recorded: { ...recorded, details } };
      await recordAction(trx, lineOf(kind, definition, input, line));
      const [asks, approves] = [await findActive(trx, asker.name), await findActive(trx, approver.name)];
      if (!asks || !hasRight(asks, 'act') || !approves || !hasRight(approves, 'approve'))
        throw new ActionError('The operators have changed in the meantime; nothing was done.');
      return undefined;
    },
  };
  const performed = await perform(performing);
  const { done, recorded, changes } = performed;
  if (!done) {
    const texts = await wordsOf(performing, performed, 'would');
    return { kind: 'preview', needsSecond: false, changes, texts };
  }
  const texts = await wordsOf(performing, performed, 'done');
  return { kind: 'done', action: kind, ...done, subject: recorded?.subject, changes, texts };
}

/** The approver approves the amount that they saw, and that the rule was checked with. */
function denyAnotherAmount(
  { approval_id: id, currency, amount_minor: minor }: ApprovalRow,
  { money }: Recorded,
): void {
  const isSame = (money?.currency ?? null) === currency && (money?.amountMinor.toString() ?? null) === minor;
  if (!isSame)
    throw new ActionError(`${id} would now move another amount than was requested. Request it again.`);
}

/** @throws InputError */
function validated<Input>(
  { schema }: Pick<ActionDefinition<Input, unknown>, 'schema'>,
  input: unknown,
): Input {
  const { value, error } = schema.validate(input, { convert: false }) as {
    value: Input;
    error?: Error;
  };
  if (error) throw new InputError(error.message);
  return value;
}

async function authorise<Input>(
  db: Database,
  { operator }: Actor,
  kind: string,
  { right, isOwn }: Pick<ActionDefinition<Input, unknown>, 'right' | 'isOwn'>,
  input: Input,
): Promise<void> {
  if (!operator) {
    if (await hasOperators(db)) throw new ActionError('This needs an operator.');
    return;
  }
  await expectRight(db, operator, kind, isOwn?.(input, operator) === true || hasRight(operator, right));
}

async function expectRight(db: Database, { name, role }: Operator, action: string, is: boolean) {
  if (is) return;
  await recordDenial(db, { name, action, reason: `is ${role}` });
  throw new ActionError(`${name} has the role ${role}, which does not allow this.`);
}

function needOf(rule: ApprovalKind | 'never', { second = 'by_rule', money }: Recorded): Need | undefined {
  if (rule === 'never' || second === 'never') return undefined;
  return {
    kind: rule,
    ...(money && { money }),
    ...(second === 'always' && { whateverRule: true }),
  };
}

/** Adding or revoking an operator needs the head of the audit log. We hold its lock, so this read stays true. */
async function denyChangedOperators(trx: Transaction, operator: Operator | undefined): Promise<void> {
  if (operator ? !(await findActive(trx, operator.name)) : await hasOperators(trx))
    throw new ActionError('The operators have changed in the meantime; nothing was done.');
}

/** A dry run must not change metrics. */
function unobserved<D extends Deployment>(deployment: D): D {
  return {
    ...deployment,
    context: { ...deployment.context, observeTransition: () => undefined },
  };
}

function lineOf<Input>(
  kind: string,
  { audited }: Pick<ActionDefinition<Input, unknown>, 'audited'>,
  input: Input,
  {
    by,
    recorded: { subject, details },
    typed,
    form,
  }: { by: string; recorded: Recorded; typed?: string | undefined; form?: string | undefined },
): AuditLine {
  const given = redacted(audited ? audited(input) : (input as Readonly<Record<string, unknown>>));
  // A typed name proves nothing: it is stored as `as`.
  const named = typed === undefined ? given : { as: typed, ...given };
  // Its ledger entries have the same id, so `malipo verify` (A3) can match them.
  const actionId = currentActionId();
  return {
    ...{ by, action: kind, subject, form },
    details: { given: named, ...details, ...(actionId && { action_id: actionId }) } as never,
  };
}

/** Removes secrets and personal data. The query of a URL may be a secret. */
function redacted(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const withoutQueries = Object.entries(given).map(([name, value]): [string, unknown] => [
    name,
    typeof value === 'string' && /^https?:\/\//.test(value) ? withoutQuery(value) : value,
  ]);
  return redactFields(Object.fromEntries(withoutQueries));
}

function withoutQuery(url: string): string {
  const at = url.search(/[?#]/);
  return at === -1 ? url : `${url.slice(0, at)}?…`;
}

/** Writes two audit lines, before and after. If the second one is missing, the outcome is unknown. */
async function writtenDown<Input, Result>(
  scope: ActionScope,
  kind: string,
  definition: ActionDefinition<Input, Result> & { writes: 'elsewhere' },
  input: Input,
  form: string | undefined,
): Promise<Result> {
  const { db } = scope.context;
  const { by, operator } = scope.acting;
  const subject = definition.subject(input);
  await inTransaction(db, async (trx) => {
    await recordAction(trx, lineOf(kind, definition, input, { by, recorded: { subject }, form }));
    await denyChangedOperators(trx, operator);
  });
  // The id distinguishes two actions at the same time.
  const details = { action_id: currentActionId() };
  const note = (outcome: Ending) =>
    inTransaction(db, (trx) => recordAction(trx, { by, action: `${kind}.${outcome}`, subject, details }));
  let result: Result;
  try {
    result = await definition.run(scope, input);
  } catch (error) {
    // An error of the note must not replace the first error.
    await note(isDenial(error) ? 'failed' : 'unknown').catch(() => undefined);
    throw error;
  }
  await note('done');
  return result;
}

/** Whether a value is a URL that may contain a secret. A URL among other words, as in a reason, is only a link. */
function mayHoldSecret(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(mayHoldSecret);
  if (typeof value !== 'string' || /\s/.test(value) || !/^https?:\/\//.test(value)) return false;
  if (!URL.canParse(value)) return false;
  const { search, hash, username, password } = new URL(value);
  return [search, hash, username, password].some((part) => part !== '');
}

async function ask(
  deployment: Deployment,
  asked: {
    action: { kind: string };
    version: number;
    input: unknown;
    by: string;
    need: Need;
    form: string | undefined;
    texts: ActionTexts;
    changes: Change[];
  },
): Promise<Outcome<never>> {
  const { action, version, input, by, need, form, texts, changes } = asked;
  // The approval stores the whole input, and other operators see it.
  if (Object.values(input as object).some(mayHoldSecret))
    throw new ActionError(
      'An approval does not store a URL with a query or a password: change that URL in an action of its own.',
    );
  const { approvalId, expiresAt } = await askForApproval(
    deployment.context.db,
    { action: { kind: action.kind, version, input, texts }, by, need, form },
    (trx, id) => mailApprovers(deployment, trx, { by, approvalId: id, texts }),
  );
  return { kind: 'waits', approvalId, expiresAt, askedBy: by, texts, changes };
}

// The changes of a transaction, from → to, read from the database: so a preview shows the real changes.

/** Columns with a secret or its hash: a preview shows that they change, but not the value. */
const secretColumn = /secret|hash|password|totp|public_key|token/;
const unseen = '•••';

/** Columns with minor units, in rows with a currency. */
const minorColumns = new Set(['amount', 'fixed', 'minimum', 'maximum', 'from_minor']);

/** Call it last in the transaction. @param besides changes in other tables, from the handler. */
async function changesIn(trx: Transaction, besides: readonly Change[] = []): Promise<Change[]> {
  return [...(await ledgerChanges(trx)), ...paymentChanges(trx), ...besides, ...(await rowChanges(trx))];
}

async function ledgerChanges(trx: Transaction): Promise<Change[]> {
  const sums = new Map<string, bigint>();
  for (const noted of notedChanges(trx))
    if (noted.kind === 'posted')
      sums.set(noted.accountId, (sums.get(noted.accountId) ?? 0n) + noted.amountMinor);
  const accounts = await trx('ledger_accounts').whereIn('account_id', [...sums.keys()]);
  return accounts.map(({ account_id: id, code, currency, balance }): Change => {
    const sum = sums.get(id) ?? 0n;
    const of = { kind: 'ledger_account', id: code };
    const value = (minor: bigint): ShownValue => ({ minor: minor.toString(), currency });
    // Accounts of the platform have no balance.
    return balance === null
      ? { of, field: 'posted', from: null, to: value(sum) }
      : { of, field: 'balance', from: value(BigInt(balance) - sum), to: value(BigInt(balance)) };
  });
}

function paymentChanges(trx: Transaction): Change[] {
  return notedChanges(trx).flatMap((noted) =>
    noted.kind === 'payment'
      ? [{ of: { kind: 'payment', id: noted.paymentId }, field: 'state', from: noted.from, to: noted.to }]
      : [],
  );
}

async function rowChanges(trx: Transaction): Promise<Change[]> {
  const rows = await rowsChangedIn(trx);
  return rows.flatMap(({ table, id, before, after }) =>
    columnsOf(table, before, after).flatMap((column): Change[] => {
      const [from, to] = [shown(before, column), shown(after, column)];
      if (textOf(from) === textOf(to)) return [];
      const isSecret = secretColumn.test(column);
      return [
        {
          of: { kind: table, id },
          field: column,
          from: isSecret && from !== null ? unseen : from,
          to: isSecret && to !== null ? unseen : to,
        },
      ];
    }),
  );
}

function columnsOf(table: ControlTableName, ...rows: readonly (ControlRow | undefined)[]): string[] {
  const { volatile = [] } = controlTableOf(table);
  const columns = new Set(rows.flatMap((row) => Object.keys(row ?? {})));
  return [...columns].filter((column) => !volatile.includes(column));
}

const textOf = (value: ShownValue): string => JSON.stringify(value);

function shown(row: ControlRow | undefined, column: string): ShownValue {
  const value = plain(row?.[column]);
  const currency = row?.['currency'];
  if (value === null || !minorColumns.has(column)) return value;
  return typeof currency === 'string' && isCurrency(currency)
    ? { minor: textOf(value).replaceAll('"', ''), currency }
    : value;
}

function plain(value: unknown): ShownValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value instanceof Date) return value;
  if (Buffer.isBuffer(value)) return value.toString('hex');
  return JSON.stringify(value);
}
