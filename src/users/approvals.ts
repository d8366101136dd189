/** Approvals: one operator requests an action, and another one approves it. */
import { rowIdOf } from './control-rows';
import type { Environment } from '../config';
import type { Currency } from '../domain/money';
import type { Database, Transaction } from '../store/database';
import type { ApprovalRow, ApprovalRuleRow } from '../store/tables';
import { inTransaction, type Alongside } from '../store/transaction';
import { recordAction, holdRows, rowChanged, isAsWritten } from './audit-log';
import { findActive, hasRight, OperatorError, type Operator } from './operators';

/** The kinds of actions that may need a second operator. */
export const approvalKinds = ['money', 'keys', 'limits', 'operators'] as const;
export type ApprovalKind = (typeof approvalKinds)[number];

export interface Need {
  kind: ApprovalKind;
  /** For `money`: the amount in minor units. The rule compares the absolute amount; the approval includes the sign. */
  money?: { currency: Currency; amountMinor: bigint };
  /** Always needs a second operator if there is one, whatever the rule says. */
  whateverRule?: boolean;
}

const validHours = 72;

/**
 * Whether the action needs a second operator. Without a rule, every action does in live, and none in the sandbox. The
 * only operator may add operators alone, because nobody else can approve.
 */
export async function needsSecond(
  trx: Transaction,
  { kind, money, whateverRule = false }: Need,
  { operator, environment }: { operator: Operator; environment: Environment },
): Promise<boolean> {
  if (whateverRule && (await othersWhoApprove(trx, operator)) > 0) return true;
  const rules = await trx('approval_rules')
    .where({ kind })
    .whereIn('currency', ['', money?.currency ?? '']);
  const rule = rules.find(({ currency }) => currency !== '') ?? rules[0];
  const otherwise = environment === 'live' ? '0' : null;
  // A rule that was changed from outside Malipo requires a second operator for every amount.
  const isOurs = rule && (await isAsWritten(trx, 'approval_rules', rowIdOf('approval_rules', { ...rule })));
  const from = rule ? (isOurs ? rule.from_minor : '0') : otherwise;
  if (from === null || (money && sizeOf(money.amountMinor) < BigInt(from))) return false;
  return kind !== 'operators' || (await othersWhoApprove(trx, operator)) > 0;
}

const sizeOf = (minor: bigint): bigint => (minor < 0n ? -minor : minor);

async function othersWhoApprove(trx: Transaction, { name }: Operator): Promise<number> {
  const others = await trx('operators').where({ revoked_at: null }).whereNot({ name }).select('name', 'role');
  return others.filter((other) => hasRight(other, 'approve')).length;
}

/** The stored request: an action of operator-actions, and its texts by language. */
export interface RequestedAction {
  kind: string;
  version: number;
  input: unknown;
  texts: unknown;
}

interface Asking {
  action: RequestedAction;
  by: string;
  need: Need;
  /** The number of the requesting form. */
  form?: string | undefined;
}

/**
 * Stores a request.
 * @param alongside writes the mails about it, in its transaction.
 * @returns its number and its expiry.
 */
export function askForApproval(
  db: Database,
  { action, by, need, form }: Asking,
  alongside?: (trx: Transaction, approvalId: string) => Promise<void>,
): Promise<{ approvalId: string; expiresAt: Date }> {
  const { kind, version } = action;
  const [input, texts] = [JSON.stringify(action.input), JSON.stringify(action.texts)];
  let triedAs: string | undefined;
  return inTransaction(db, async (trx) => {
    // Only the answer to the previous COMMIT may have been lost. The lock waits for a row that is just being committed.
    const written =
      triedAs === undefined
        ? undefined
        : await trx('approvals')
            .where({ approval_id: triedAs, asked_by: by, action: kind, input })
            .forUpdate()
            .first();
    if (written) return { approvalId: written.approval_id, expiresAt: written.expires_at };
    const [[{ now }]] = (await trx.raw('SELECT UTC_TIMESTAMP(3) AS now')) as unknown as [[{ now: Date }]];
    const expiresAt = new Date(now.getTime() + validHours * 3_600_000);
    const [id] = await trx('approvals').insert({
      ...{ action: kind, version, input, texts },
      kind: need.kind,
      currency: need.money?.currency ?? null,
      amount_minor: need.money?.amountMinor.toString() ?? null,
      asked_by: by,
      asked_at: now,
      expires_at: expiresAt,
    });
    const approvalId = String(id);
    triedAs = approvalId;
    await rowChanged(trx, 'approvals', approvalId);
    await alongside?.(trx, approvalId);
    const subject = { kind: 'approval', id: approvalId };
    await recordAction(trx, { by, action: 'approval.ask', subject, details: { action: kind }, form });
    return { approvalId, expiresAt };
  });
}

/**
 * Lists requests, newest first.
 * @param all includes decided and expired ones.
 * @param before only requests with lower numbers.
 */
export function listApprovals(
  db: Database,
  { all, limit, before = '' }: { all: boolean; limit: number; before?: string },
): Promise<(ApprovalRow & { is_expired: number | string })[]> {
  const query = db('approvals')
    .select<(ApprovalRow & { is_expired: number | string })[]>(
      '*',
      db.raw('expires_at <= UTC_TIMESTAMP(3) AS is_expired'),
    )
    .orderBy('approval_id', 'desc')
    .limit(limit);
  if (before !== '') void query.where('approval_id', '<', before);
  if (!all) void query.where({ state: 'pending' }).whereRaw('expires_at > UTC_TIMESTAMP(3)');
  return query;
}

/** Shows invisible and direction-changing characters by their code points. */
export function legible(text: string): string {
  return text.replaceAll(/\p{C}/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
}

/**
 * Finds a request that this operator can approve now.
 * @throws OperatorError with the reason if not.
 */
export async function getApprovable(
  db: Database,
  approvalId: string,
  approver: Operator,
): Promise<{ approval: ApprovalRow; asker: Operator }> {
  const approval = await db('approvals').where({ approval_id: approvalId }).first();
  if (!approval) throw new OperatorError(`There is no request ${approvalId}.`);
  refuseDecided(approval);
  await refuseAltered(db, approval);
  if (approval.asked_by === approver.name)
    throw new OperatorError('You cannot approve your own request: a second operator must approve it.');
  const asker = await findActive(db, approval.asked_by);
  if (!asker || !hasRight(asker, 'act'))
    throw new OperatorError(`${approval.asked_by} made the request, but no longer has the right to do this.`);
  return { approval, asker };
}

function refuseDecided({ approval_id: id, state, decided_by: by }: ApprovalRow): void {
  if (state !== 'pending')
    throw new OperatorError(`Request ${id} was already ${state} by ${by ?? 'another operator'}.`);
}

/** The whole row must be as it was requested, with all its columns. */
async function refuseAltered(db: Database | Transaction, { approval_id: id }: ApprovalRow): Promise<void> {
  if (await isAsWritten(db, 'approvals', id)) return;
  throw new OperatorError(
    `The row of request ${id} was changed in the database after the request was made. ` +
      'It can no longer be decided: make a new request, and run malipo verify.',
  );
}

/**
 * Uses the approval in the transaction of the requested action. A concurrent approval waits, finds it used, and does
 * nothing.
 * @throws OperatorError if it is decided or expired, or if the approver is the requester.
 */
export async function takeApproval(
  trx: Transaction,
  approvalId: string,
  approver: string,
): Promise<ApprovalRow> {
  const approval = await decide(trx, approvalId, { state: 'approved', decided_by: approver, reason: null });
  if (approval.asked_by === approver) throw new OperatorError('You cannot approve your own request.');
  return approval;
}

/** @throws OperatorError if it is decided or expired. */
export async function rejectApproval(
  db: Database,
  approvalId: string,
  { by, reason }: { by: string; reason: string },
  alongside: Alongside,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    await decide(trx, approvalId, { state: 'rejected', decided_by: by, reason });
    await alongside(trx);
  });
}

async function decide(
  trx: Transaction,
  approvalId: string,
  decision: Pick<ApprovalRow, 'state' | 'decided_by' | 'reason'>,
): Promise<ApprovalRow> {
  const approval = await trx('approvals').where({ approval_id: approvalId }).forUpdate().first();
  if (!approval) throw new OperatorError(`There is no request ${approvalId}.`);
  refuseDecided(approval);
  await refuseAltered(trx, approval);
  await holdRows(trx, 'approvals', approvalId);
  const taken = await trx('approvals')
    .where({ approval_id: approvalId, state: 'pending' })
    .whereRaw('expires_at > UTC_TIMESTAMP(3)')
    .update({ ...decision, decided_at: new Date() });
  if (taken !== 1)
    throw new OperatorError(
      `Request ${approvalId} has expired: it is older than ${String(validHours)} hours.`,
    );
  await rowChanged(trx, 'approvals', approvalId);
  return approval;
}

/**
 * Rejects the pending requests of an operator whose access ends.
 * @returns their ids.
 */
export async function rejectRequestsOf(
  trx: Transaction,
  askedBy: string,
  { by, reason }: { by: string; reason: string },
): Promise<string[]> {
  const ids = await trx('approvals')
    .where({ asked_by: askedBy, state: 'pending' })
    .whereRaw('expires_at > UTC_TIMESTAMP(3)')
    .forUpdate()
    .pluck('approval_id');
  if (ids.length === 0) return [];
  await holdRows(trx, 'approvals', ...ids);
  await trx('approvals')
    .whereIn('approval_id', ids)
    .update({ state: 'rejected', decided_by: by, reason, decided_at: new Date() });
  await rowChanged(trx, 'approvals', ...ids);
  return ids.map(String);
}

export function listApprovalRules(db: Database): Promise<ApprovalRuleRow[]> {
  return db('approval_rules').orderBy(['kind', 'currency']);
}

/**
 * @param rule with the currency '' for all currencies without their own rule, and `from_minor` null for no second
 * operator.
 */
export async function setApprovalRule(
  db: Database,
  rule: Omit<ApprovalRuleRow, 'set_at'>,
  alongside: Alongside,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    await holdRows(trx, 'approval_rules', rowIdOf('approval_rules', rule));
    await trx('approval_rules')
      .insert({ ...rule, set_at: new Date() })
      .onConflict()
      .merge();
    await rowChanged(trx, 'approval_rules', rowIdOf('approval_rules', rule));
    await alongside(trx);
  });
}
