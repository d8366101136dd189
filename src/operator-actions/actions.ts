/** All actions by their kind (noun and verb), which is also the name in the audit log. */
import type { ActionDefinition } from './action';
import { caseActions } from './cases';
import { deployActions } from './deploy';
import { duplicateActions } from './duplicates';
import { endpointActions } from './endpoints';
import { floatActions } from './floats';
import { maintenanceActions } from './maintenance';
import { merchantActions } from './merchants';
import { moneyActions } from './money';
import { operatorActions } from './operators';
import { unmatchedReceiptActions } from './unmatched-receipts';
import { payoutActions } from './payouts';
import { restoreActions } from './restore';
import { ruleActions } from './approval-rules';
import { sandboxActions } from './sandbox';
import { statementActions } from './statements';
import { termActions } from './terms';
import { userActions } from './users';
import { webhookActions } from './webhooks';

export const actions = {
  ...moneyActions,
  ...floatActions,
  ...caseActions,
  ...duplicateActions,
  ...unmatchedReceiptActions,
  ...statementActions,
  ...payoutActions,
  ...restoreActions,
  ...termActions,
  ...merchantActions,
  ...endpointActions,
  ...webhookActions,
  ...operatorActions,
  ...userActions,
  ...ruleActions,
  ...maintenanceActions,
  ...deployActions,
  ...sandboxActions,
};

export type ActionKind = keyof typeof actions;
export const actionKinds = Object.keys(actions) as ActionKind[];

type TypesOf<Kind extends ActionKind> =
  (typeof actions)[Kind] extends ActionDefinition<infer Input, infer Result> ? [Input, Result] : never;
export type InputOf<Kind extends ActionKind> = TypesOf<Kind>[0];
export type ResultOf<Kind extends ActionKind> = TypesOf<Kind>[1];

export function definitionOf<Kind extends ActionKind>(
  kind: Kind,
): ActionDefinition<InputOf<Kind>, ResultOf<Kind>> {
  return actions[kind] as unknown as ActionDefinition<InputOf<Kind>, ResultOf<Kind>>;
}

/** @param kind as the database stores it. @returns undefined if this version has no such action. */
export function findDefinition(kind: string): ActionDefinition<object, unknown> | undefined {
  const found = Object.hasOwn(actions, kind) ? actions[kind as ActionKind] : undefined;
  return found as unknown as ActionDefinition<object, unknown> | undefined;
}
