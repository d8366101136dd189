/** Who acts, and the line of the audit log that tells of it. */
import { userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '../config';
import { needsSecond, takeApproval, type Need } from '../operators/approvals';
import { recordAction, type Action, type RecordLine } from '../operators/audit-log';
import {
  findActive,
  hasOperators,
  may,
  nobody,
  proveOperator,
  recordRefusal,
  type Operator,
} from '../operators/operators';
import { readSecret } from '../secret-files';
import type { Database, Transaction } from '../store/database';
import { inTransaction } from '../store/transaction';
import { redactFields } from '../ops/redact';
import { changesSomething, keepsName, recordsItself, type Invocation } from './changes';
import { Refusal } from './refusal';
import type { Io, OpenSession } from './session';

/** What decides about another's wish. */
const approving = new Set(['approve', 'reject']);

/** So long a wrong token keeps whoever tries it waiting. */
const penaltyMs = 1_000;

export interface Done {
  subject: { kind: string; id: string };
  /** Beside the arguments of the command. */
  details?: Action['details'];
  /** Of what one operator may not do alone, where a rule says so. */
  needs?: Need;
}

/** Thrown in place of a line: nothing is done, and a second operator is asked. */
export class AwaitsSecond extends Error {
  constructor(
    readonly by: string,
    readonly need: Need,
  ) {
    super('a second operator has to approve this');
  }
}

export interface Acting {
  /** A name that was proved, or `nobody` while there is no operator. */
  by: string;
  /** Undefined while there is no operator. */
  operator: Operator | undefined;
  /** Who has approved it. */
  approvedBy?: string;
  /** Writes the command's line, as the last statement of the transaction in which it changes something. */
  record(trx: Transaction, done: Done): Promise<void>;
}

/** The deployment that is acted upon. */
interface ActsIn {
  context: Pick<OpenSession['context'], 'db'>;
  config: Pick<OpenSession['config'], 'environment'>;
}

interface Claim {
  name: string | undefined;
  token: string | undefined;
}

/**
 * Proves who runs a command that changes something, and writes its line now unless the command does so itself.
 * @throws Refusal when an operator is needed and none is proved.
 */
export async function beginActing(
  { context: { db }, config: { environment } }: ActsIn,
  io: Io,
  invocation: Invocation,
): Promise<Acting> {
  if (!changesSomething(invocation)) return onlyLooking;
  const operator = await operatorOf(db, io, invocation);
  const acting = actingAs(operator, invocation, environment);
  await recordUnlessWithin(db, acting, invocation);
  return acting;
}

async function recordUnlessWithin(db: Database, acting: Acting, { path, first }: Invocation): Promise<void> {
  if (recordsItself(path)) return;
  const kind = path.split(' ')[0] ?? '';
  await inTransaction(db, (trx) => acting.record(trx, { subject: { kind, id: first } }));
}

/**
 * For an operator whom the portal has let in: as a command that proves its operator.
 * @throws Refusal where the role does not do this.
 */
export async function beginActingAs(
  { context: { db }, config: { environment } }: ActsIn,
  operator: Operator,
  invocation: Invocation,
): Promise<Acting> {
  if (!changesSomething(invocation)) return onlyLooking;
  await expectMay(db, operator, invocation);
  const acting = actingAs(operator, invocation, environment);
  await recordUnlessWithin(db, acting, invocation);
  return acting;
}

/** Of what keeps a name. */
export const whoActs =
  'the operator who does this; until there is one any name, or your account on this machine';

/** For what is kept with a name: one that was proved counts more than what was typed. */
export function nameOf({ operator, approvedBy }: Acting, typed: string | undefined): string {
  if (operator && approvedBy !== undefined) return `${operator.name} with ${approvedBy}`;
  return operator?.name ?? typed ?? userInfo().username;
}

/** For what one operator may always do alone. */
export function recordOf(acting: Acting): RecordLine {
  return (trx, line) => acting.record(trx, line);
}

const onlyLooking: Acting = {
  by: nobody,
  operator: undefined,
  record: () => Promise.reject(new Error('a command that only looks has nothing to record')),
};

function actingAs(operator: Operator | undefined, invocation: Invocation, environment: Environment): Acting {
  const by = operator?.name ?? nobody;
  return {
    by,
    operator,
    async record(trx, { subject, details, needs }) {
      const isOwn = invocation.path === 'operator rotate' && invocation.first === by;
      if (operator && needs && !isOwn && (await needsSecond(trx, needs, { operator, environment })))
        throw new AwaitsSecond(by, needs);
      await recordAction(trx, lineOf(invocation, { by, subject, details }));
      // Whoever adds or revokes an operator has written a line before, so what is read now stands until we commit.
      if (operator ? !(await findActive(trx, by)) : await hasOperators(trx)) {
        throw new Refusal('The operators have changed meanwhile; nothing was done.');
      }
    },
  };
}

/** For what one has asked for and another has approved: the approval is taken in the transaction of what it is for. */
export function approvedActing({
  asker,
  approver,
  approvalId,
  invocation,
}: {
  asker: Operator;
  approver: Operator;
  approvalId: string;
  invocation: Invocation;
}): Acting {
  const by = asker.name;
  return {
    by,
    operator: asker,
    approvedBy: approver.name,
    async record(trx, { subject, details }) {
      await takeApproval(trx, approvalId, approver.name);
      const approved = { ...details, approval_id: approvalId, approved_by: approver.name };
      await recordAction(trx, lineOf(invocation, { by, subject, details: approved }));
      const [asks, approves] = [await findActive(trx, by), await findActive(trx, approver.name)];
      if (!asks || !may(asks, 'act') || !approves || !may(approves, 'approve'))
        throw new Refusal('The operators have changed meanwhile; nothing was done.');
    },
  };
}

function lineOf(
  { path, given }: Invocation,
  { by, subject, details }: Omit<Done, 'needs'> & { by: string },
): Action {
  const told = { given: toldOf(given), ...details };
  return { by, action: path.replaceAll(' ', '.'), subject, details: told as never };
}

async function operatorOf(db: Database, io: Io, invocation: Invocation): Promise<Operator | undefined> {
  const named = invocation.given['as'];
  if (!(await hasOperators(db))) {
    if (!keepsName(invocation.path) && named !== undefined)
      throw new Refusal('There is no operator yet; malipo operator create adds the first one.');
    return undefined;
  }
  const { name, token } = claimOf(io, typeof named === 'string' ? named : undefined);
  if (!name || !token) {
    throw new Refusal(
      `This needs an operator: name one with --as or MALIPO_OPERATOR, and prove it with the token in ` +
        'MALIPO_OPERATOR_TOKEN, or in the file that MALIPO_OPERATOR_TOKEN_FILE names.',
    );
  }
  const operator = await proveOperator(db, { name, token });
  if (!operator) {
    await recordRefusal(db, { name, action: invocation.path, reason: 'wrong token' });
    await delay(penaltyMs);
    throw new Refusal('No active operator has this name and this token.');
  }
  await expectMay(db, operator, invocation);
  return operator;
}

/** @throws Refusal */
async function expectMay(db: Database, operator: Operator, { path, first }: Invocation): Promise<void> {
  const { name, role } = operator;
  // Everybody may change the own token.
  const isOwn = path === 'operator rotate' && first === name;
  if (isOwn || may(operator, approving.has(path) ? 'approve' : 'act')) return;
  await recordRefusal(db, { name, action: path, reason: `is ${role}` });
  throw new Refusal(`${name} has the role ${role}, which does not do this.`);
}

function claimOf({ env }: Io, named: string | undefined): Claim {
  return {
    name: named ?? env['MALIPO_OPERATOR'],
    token: readSecret(env, 'MALIPO_OPERATOR_TOKEN')?.trim(),
  };
}

/** Without secrets and what tells of a person; of a URL not what may be a secret of its owner. */
function toldOf(given: Record<string, unknown>): Record<string, unknown> {
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
