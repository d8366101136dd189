/** Four eyes: what one operator asks for, and another one has done. */
import { rowIdOf } from './control-rows';
import type { Environment } from '../config';
import type { Currency } from '../domain/money';
import type { Database, Transaction } from '../store/database';
import type { ApprovalRow, ApprovalRuleRow } from '../store/tables';
import { inTransaction, type Alongside } from '../store/transaction';
import { recordAction, holdRows, rowChanged, isAsWritten } from './audit-log';
import { findActive, may, OperatorRefusal, type Operator } from './operators';

/** What may need a second operator. */
export const approvalKinds = ['money', 'keys', 'limits', 'operators'] as const;
export type ApprovalKind = (typeof approvalKinds)[number];

export interface Need {
  kind: ApprovalKind;
  /** Of `money`: how much, in minor units. The rule asks for its size, and the approval is for its sign as well. */
  moves?: { currency: Currency; amountMinor: bigint };
  /** A rule that lets one do it is not for this: where there is anybody else to approve, they do. */
  whateverRule?: boolean;
}

const validHours = 72;

/**
 * Whether an operator may not do this alone. Without a rule everything needs a second one in live, and nothing in the
 * sandbox. While nobody exists who could approve, operators are added by the only one there is.
 */
export async function needsSecond(
  trx: Transaction,
  { kind, moves, whateverRule = false }: Need,
  { operator, environment }: { operator: Operator; environment: Environment },
): Promise<boolean> {
  if (whateverRule && (await othersWhoApprove(trx, operator)) > 0) return true;
  const rules = await trx('approval_rules')
    .where({ kind })
    .whereIn('currency', ['', moves?.currency ?? '']);
  const rule = rules.find(({ currency }) => currency !== '') ?? rules[0];
  const otherwise = environment === 'live' ? '0' : null;
  // One that was changed past us lets nobody act alone.
  const isOurs = rule && (await isAsWritten(trx, 'approval_rules', rowIdOf('approval_rules', { ...rule })));
  const from = rule ? (isOurs ? rule.from_minor : '0') : otherwise;
  if (from === null || (moves && sizeOf(moves.amountMinor) < BigInt(from))) return false;
  return kind !== 'operators' || (await othersWhoApprove(trx, operator)) > 0;
}

const sizeOf = (minor: bigint): bigint => (minor < 0n ? -minor : minor);

async function othersWhoApprove(trx: Transaction, { name }: Operator): Promise<number> {
  const others = await trx('operators').where({ revoked_at: null }).whereNot({ name }).select('name', 'role');
  return others.filter((other) => may(other, 'approve')).length;
}

/** What is kept of it: an action of operator-actions, and what it is in words, by language. */
export interface AskedAction {
  kind: string;
  version: number;
  input: unknown;
  texts: unknown;
}

interface Asking {
  action: AskedAction;
  by: string;
  need: Need;
  /** Of the page that asks. */
  form?: string | undefined;
}

/**
 * Writes down what is asked for.
 * @param alongside tells of it, in its transaction.
 * @returns its number, and until when it can be approved.
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
    // The answer to the COMMIT before may be all that was lost; a row that is just being committed is waited for.
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
      currency: need.moves?.currency ?? null,
      amount_minor: need.moves?.amountMinor.toString() ?? null,
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

/** Newest first. @param all also what is decided or expired. @param before the number that comes before the first, if any. */
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

/** Signs that are not seen, or that turn a text around, are shown by their numbers. */
export function legible(text: string): string {
  return text.replaceAll(/\p{C}/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
}

/** What could be approved by this operator now. @throws OperatorRefusal saying why not. */
export async function getApprovable(
  db: Database,
  approvalId: string,
  approver: Operator,
): Promise<{ approval: ApprovalRow; asker: Operator }> {
  const approval = await db('approvals').where({ approval_id: approvalId }).first();
  if (!approval) throw new OperatorRefusal(`Nothing was asked for under ${approvalId}.`);
  refuseDecided(approval);
  await refuseAltered(db, approval);
  if (approval.asked_by === approver.name)
    throw new OperatorRefusal('Nobody approves what they have asked for themselves: a second operator does.');
  const asker = await findActive(db, approval.asked_by);
  if (!asker || !may(asker, 'act'))
    throw new OperatorRefusal(`${approval.asked_by}, who asked for it, may not do it any more.`);
  return { approval, asker };
}

function refuseDecided({ approval_id: id, state, decided_by: by }: ApprovalRow): void {
  if (state !== 'pending') throw new OperatorRefusal(`${id} was ${state} by ${by ?? 'somebody'}.`);
}

/** What was asked for is what is approved: the whole row, whatever its columns. */
async function refuseAltered(db: Database | Transaction, { approval_id: id }: ApprovalRow): Promise<void> {
  if (await isAsWritten(db, 'approvals', id)) return;
  throw new OperatorRefusal(
    `The row of ${id} was changed after it was asked for, by somebody with access to the database. ` +
      'It cannot be decided any more: ask again, and run malipo verify.',
  );
}

/**
 * Takes the approval, in the transaction of what was asked for: whoever comes second waits, finds it taken, and nothing of
 * theirs is done.
 * @throws OperatorRefusal when it is decided, expired, or one of the two may not do this any more.
 */
export async function takeApproval(
  trx: Transaction,
  approvalId: string,
  approver: string,
): Promise<ApprovalRow> {
  const approval = await decide(trx, approvalId, { state: 'approved', decided_by: approver, reason: null });
  if (approval.asked_by === approver)
    throw new OperatorRefusal('Nobody approves what they have asked for themselves.');
  return approval;
}

/** @throws OperatorRefusal when it is decided or expired. */
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
  if (!approval) throw new OperatorRefusal(`Nothing was asked for under ${approvalId}.`);
  refuseDecided(approval);
  await refuseAltered(trx, approval);
  await holdRows(trx, 'approvals', approvalId);
  const taken = await trx('approvals')
    .where({ approval_id: approvalId, state: 'pending' })
    .whereRaw('expires_at > UTC_TIMESTAMP(3)')
    .update({ ...decision, decided_at: new Date() });
  if (taken !== 1)
    throw new OperatorRefusal(
      `${approvalId} has expired: it was asked for more than ${String(validHours)} hours ago.`,
    );
  await rowChanged(trx, 'approvals', approvalId);
  return approval;
}

/** Of an operator whose sign-in is ended: what they have asked for is not approved in their name any more. @returns the ids. */
export async function rejectAskedBy(
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

/** @param rule with the currency '' for all that have no rule of their own, and NULL for never. */
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
