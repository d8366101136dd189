/** The approval rules, and the rejection of a request. */
import Joi from 'joi';
import { approvalKinds, rejectApproval, setApprovalRule, type ApprovalKind } from '../users/approvals';
import { defineAction } from './action';
import { InputError } from './errors';
import { currency, readBy, reason, numberId } from './fields';
import { oneOf, readAmount, readCurrency } from './read';

interface RejectInput {
  approval_id: string;
  reason: string;
}

export interface RejectedApproval {
  approval_id: string;
  state: 'rejected';
  rejected_by: string;
  reason: string;
}

interface RuleInput {
  kind: ApprovalKind;
  /** Only for the kind `money`: the rule is for this currency. */
  currency?: string;
  /** Decimal text: the rule is for this amount and more. */
  from?: string;
  /** One operator is enough. */
  never?: boolean;
}

export interface ApprovalRule {
  kind: ApprovalKind;
  /** Empty for all currencies without a rule of their own. */
  currency: string;
  /** Null if one operator is enough. */
  from_minor: string | null;
  set_by: string;
}

export const ruleActions = {
  reject: defineAction<RejectInput, RejectedApproval>({
    ...{ version: 1, right: 'approve', approval: 'never', writes: 'database' },
    schema: Joi.object<RejectInput>({
      approval_id: numberId.required(),
      reason: reason.required(),
    }),
    phrase: {
      en: 'reject the request {approval_id}',
      sw: 'kukataa kilichoombwa kama {approval_id}',
    },
    async run({ context, acting }, { approval_id: approvalId, reason: why }) {
      await rejectApproval(context.db, approvalId, { by: acting.by, reason: why }, (trx) =>
        acting.record(trx, { subject: { kind: 'approval', id: approvalId } }),
      );
      return { approval_id: approvalId, state: 'rejected', rejected_by: acting.by, reason: why };
    },
  }),

  'approval-rule.set': defineAction<RuleInput, ApprovalRule>({
    ...{ version: 1, right: 'act', approval: 'operators', writes: 'database' },
    schema: Joi.object<RuleInput>({
      kind: readBy(oneOf(approvalKinds, 'The kind')).required(),
      currency,
      from: Joi.string().max(40),
      never: Joi.boolean(),
    }),
    phrase: {
      en: 'change when a second operator is needed: {kind}',
      sw: 'kubadilisha ni lini mwendeshaji wa pili anahitajika: {kind}',
    },
    async run({ context, acting }, { kind, currency: named, from, never = false }) {
      if (named !== undefined && kind !== 'money') throw new InputError('Only money has a currency.');
      if (from !== undefined && (named === undefined || never))
        throw new InputError('An amount (from) needs a currency, and cannot be combined with never.');
      const code = named === undefined ? undefined : readCurrency(named);
      const minor = from === undefined || code === undefined ? '0' : readAmount(from, code).toString();
      const rule = { kind, currency: code ?? '', from_minor: never ? null : minor, set_by: acting.by };
      await setApprovalRule(context.db, rule, (trx) =>
        acting.record(trx, { subject: { kind: 'approval_rule', id: kind } }),
      );
      return rule;
    },
  }),
};
