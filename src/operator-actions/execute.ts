/**
 * The one way in which an operator changes anything: the command line, the portal and approvals call it, and nothing else.
 * Who it is was proved before; here it is authorised, validated, put before a second operator where a rule says so, done
 * and written down.
 */
import { userInfo } from 'node:os';
import { v7 as uuid } from 'uuid';
import { findActive, hasOperators, may, nobody, recordRefusal, type Operator } from '../operators/operators';
import {
  askForApproval,
  getApprovable,
  needsSecond,
  takeApproval,
  type ApprovalKind,
  type Need,
} from '../operators/approvals';
import { recordAction, type Action as AuditLine } from '../operators/audit-log';
import { currentActionId, duringAction } from '../operators/current-action';
import { redactFields } from '../ops/redact';
import type { Database, Transaction } from '../store/database';
import { beforeCommit, inTransaction } from '../store/transaction';
import type {
  ActionDefinition,
  Acting,
  ActionScope,
  Change,
  Deployment,
  Recorded,
  Reference,
} from './action';
import { definitionOf, findDefinition, type ActionKind, type InputOf, type ResultOf } from './actions';
import { changesIn } from './changes';
import { ActionError, InputError } from './errors';
import { mailApprovers } from './mails';
import { actionTexts, type ActionTexts } from './wording';

/** Who acts: an operator who was proved; while there is none, whoever has the deployment's settings. */
export interface Actor {
  operator: Operator | undefined;
  /** What they call themselves while there is no operator. */
  name?: string | undefined;
}

export type Outcome<Result> =
  | {
      kind: 'done';
      /** Of what kind it was. */
      action: string;
      result: Result;
      subject: Reference | undefined;
      changes: Change[];
      texts: ActionTexts;
    }
  /** Nothing was done yet: a second operator has to approve it. */
  | {
      kind: 'waits';
      approvalId: string;
      expiresAt: Date;
      askedBy: string;
      texts: ActionTexts;
      changes: Change[];
    }
  /** Nothing was done: this is what would be. */
  | { kind: 'preview'; needsSecond: boolean; changes: Change[]; texts: ActionTexts };

/** Ends the transaction of an action, so that nothing of it stays. */
class NotCommitted extends Error {
  constructor(
    readonly recorded: Recorded,
    readonly changes: Change[],
    readonly need: Need | undefined,
  ) {
    super('this transaction is not to be committed');
  }
}

interface Performed {
  recorded?: Recorded;
  changes: Change[];
}

/**
 * Does an action, or has a second operator asked for it.
 * @throws ActionError for a definite no, InputError for input that cannot be read: nothing was done.
 */
export async function execute<Kind extends ActionKind>(
  deployment: Deployment,
  actor: Actor,
  action: { kind: Kind; input: unknown },
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<Outcome<ResultOf<Kind>>> {
  const definition = definitionOf(action.kind);
  const input = validated<InputOf<Kind>>(definition, action.input);
  await authorise(deployment.context.db, actor, action.kind, definition, input);
  const { operator } = actor;
  const by = operator?.name ?? nobody;
  const performed: Performed = { changes: [] };
  const rule = definition.approval;
  const isOwn = operator !== undefined && definition.isOwn?.(input, operator) === true;
  const acting: Acting = {
    by,
    operator,
    name: operator?.name ?? actor.name ?? userInfo().username,
    async record(trx, recorded) {
      performed.recorded = recorded;
      const need = operator && !isOwn ? needOf(rule, recorded) : undefined;
      const { environment } = deployment.config;
      const waits = need && operator ? await needsSecond(trx, need, { operator, environment }) : false;
      if (dryRun || waits) {
        await atTheEnd(trx, async () => {
          throw new NotCommitted(recorded, await changesIn(trx, recorded.changes), waits ? need : undefined);
        });
        return;
      }
      await atTheEnd(trx, async () => {
        performed.changes = await changesIn(trx, recorded.changes);
      });
      await recordAction(trx, lineOf(action.kind, definition, input, { by, recorded, typed: actor.name }));
      await refuseChangedOperators(trx, operator);
    },
  };
  const words = (changes: readonly Change[], tense: 'asked' | 'done' | 'would', recorded?: Recorded) =>
    actionTexts(deployment.context.db, definition, {
      ...{ who: acting.name, input, tense, changes, timezone: deployment.config.timezone },
      moves: recorded?.moves,
    });
  try {
    if (definition.writes === 'elsewhere' && dryRun) {
      const changes = [...(await definition.preview(deployment, input))];
      return { kind: 'preview', needsSecond: false, changes, texts: await words(changes, 'would') };
    }
    const scope = { ...(dryRun ? unobserved(deployment) : deployment), acting };
    const result = await duringAction(uuid(), () =>
      definition.writes === 'elsewhere'
        ? writtenDown(scope, action.kind, definition, input)
        : definition.run(scope, input),
    );
    const { recorded, changes } = performed;
    return {
      ...{ kind: 'done', action: action.kind, result, changes, subject: recorded?.subject },
      texts: await words(changes, 'done', recorded),
    };
  } catch (error) {
    if (!(error instanceof NotCommitted)) throw error;
    const { recorded, changes, need } = error;
    if (dryRun) {
      const texts = await words(changes, 'would', recorded);
      return { kind: 'preview', needsSecond: need !== undefined, changes, texts };
    }
    if (!need) throw new Error('an action was ended without a reason', { cause: error });
    const texts = await words(changes, 'asked', recorded);
    return ask(deployment, { action, version: definition.version, input, by, need, texts, changes });
  }
}

/**
 * Does what another operator has asked for, once. The approval is taken in the transaction of the action: whoever comes
 * second finds it taken, and a process that dies in the middle leaves neither.
 * @throws ActionError, OperatorRefusal
 */
export async function approve(
  deployment: Deployment,
  { operator: approver }: Actor,
  approvalId: string,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<Outcome<unknown>> {
  const { db } = deployment.context;
  if (!approver) throw new ActionError('There is no operator yet, and nothing to approve.');
  await expectRight(db, approver, 'approve', may(approver, 'approve'));
  const { approval, asker } = await getApprovable(db, approvalId, approver);
  const definition = findDefinition(approval.action);
  if (definition?.version !== approval.version || approval.input === null)
    throw new ActionError(`${approvalId} was asked for by another version of Malipo: ask again.`);
  const input = validated<object>(definition, JSON.parse(approval.input) as unknown);
  const performed: Performed = { changes: [] };
  const acting: Acting = {
    ...{ by: asker.name, operator: asker, approvedBy: approver.name },
    name: `${asker.name} with ${approver.name}`,
    async record(trx, recorded) {
      performed.recorded = recorded;
      await takeApproval(trx, approvalId, approver.name);
      await atTheEnd(trx, async () => {
        const changes = await changesIn(trx, recorded.changes);
        if (dryRun) throw new NotCommitted(recorded, changes, undefined);
        performed.changes = changes;
      });
      const details = { ...recorded.details, approval_id: approvalId, approved_by: approver.name };
      const line = { by: asker.name, recorded: { ...recorded, details } };
      await recordAction(trx, lineOf(approval.action, definition, input, line));
      const [asks, approves] = [await findActive(trx, asker.name), await findActive(trx, approver.name)];
      if (!asks || !may(asks, 'act') || !approves || !may(approves, 'approve'))
        throw new ActionError('The operators have changed meanwhile; nothing was done.');
    },
  };
  const words = (tense: 'done' | 'would', changes: readonly Change[], recorded?: Recorded) =>
    actionTexts(db, definition, {
      ...{ who: asker.name, input, tense, changes, timezone: deployment.config.timezone },
      moves: recorded?.moves,
    });
  try {
    const scope = { ...(dryRun ? unobserved(deployment) : deployment), acting };
    const result = await duringAction(uuid(), () => definition.run(scope, input));
    const { recorded, changes } = performed;
    const texts = await words('done', changes, recorded);
    return { kind: 'done', action: approval.action, result, subject: recorded?.subject, changes, texts };
  } catch (error) {
    if (!(error instanceof NotCommitted)) throw error;
    const { changes, recorded } = error;
    return { kind: 'preview', needsSecond: false, changes, texts: await words('would', changes, recorded) };
  }
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
  await expectRight(db, operator, kind, isOwn?.(input, operator) === true || may(operator, right));
}

async function expectRight(db: Database, { name, role }: Operator, action: string, is: boolean) {
  if (is) return;
  await recordRefusal(db, { name, action, reason: `is ${role}` });
  throw new ActionError(`${name} has the role ${role}, which does not do this.`);
}

function needOf(rule: ApprovalKind | 'never', { second = 'by_rule', moves }: Recorded): Need | undefined {
  if (rule === 'never' || second === 'never') return undefined;
  return { kind: rule, ...(moves && { moves }), ...(second === 'always' && { whateverRule: true }) };
}

/** Whoever adds or revokes an operator has written a line before, so what is read now stands until we commit. */
async function refuseChangedOperators(trx: Transaction, operator: Operator | undefined): Promise<void> {
  if (operator ? !(await findActive(trx, operator.name)) : await hasOperators(trx))
    throw new ActionError('The operators have changed meanwhile; nothing was done.');
}

/** As late as there is: what follows in the transaction is tried as well. */
async function atTheEnd(trx: Transaction, work: () => Promise<void>): Promise<void> {
  if (!beforeCommit(trx, work)) await work();
}

/** Nothing that is only tried is counted. */
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
  }: { by: string; recorded: Recorded; typed?: string | undefined },
): AuditLine {
  const given = redacted(audited ? audited(input) : (input as Readonly<Record<string, unknown>>));
  // A name that nobody has proved is told as that.
  const named = typed === undefined ? given : { as: typed, ...given };
  // What it books has the same id, by which `malipo verify` (A3) finds either.
  const actionId = currentActionId();
  return {
    ...{ by, action: kind, subject },
    details: { given: named, ...details, ...(actionId && { action_id: actionId }) } as never,
  };
}

/** Without secrets and what tells of a person; of a URL not what may be a secret of its owner. */
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

/** Written down, done, and its outcome written down: a line without an outcome says that nobody knows what became of it. */
async function writtenDown<Input, Result>(
  scope: ActionScope,
  kind: string,
  definition: ActionDefinition<Input, Result> & { writes: 'elsewhere' },
  input: Input,
): Promise<Result> {
  const { db } = scope.context;
  const { by, operator } = scope.acting;
  const subject = definition.subject(input);
  await inTransaction(db, async (trx) => {
    await recordAction(trx, lineOf(kind, definition, input, { by, recorded: { subject } }));
    await refuseChangedOperators(trx, operator);
  });
  const note = (outcome: 'done' | 'failed' | 'unknown') =>
    inTransaction(db, (trx) => recordAction(trx, { by, action: `${kind}.${outcome}`, subject, details: {} }));
  let result: Result;
  try {
    result = await definition.run(scope, input);
  } catch (error) {
    // The first error counts.
    await note(error instanceof ActionError ? 'failed' : 'unknown').catch(() => undefined);
    throw error;
  }
  await note('done');
  return result;
}

/** An address that may hold a secret of its owner's; among the words of a reason it is a link. */
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
    texts: ActionTexts;
    changes: Change[];
  },
): Promise<Outcome<never>> {
  const { action, version, input, by, need, texts, changes } = asked;
  // What is asked for is kept as it was given, and shown to whoever may look.
  if (Object.values(input as object).some(mayHoldSecret))
    throw new ActionError(
      'An address with a query or a password is not kept for a second operator to approve: change it in an action of its own.',
    );
  const { approvalId, expiresAt } = await askForApproval(
    deployment.context.db,
    { action: { kind: action.kind, version, input, texts }, by, need },
    (trx, id) => mailApprovers(deployment, trx, { by, approvalId: id, texts }),
  );
  return { kind: 'waits', approvalId, expiresAt, askedBy: by, texts, changes };
}
