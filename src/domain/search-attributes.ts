import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common';

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
const bool = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.BOOL);

/**
 * The attributes by which operators search the workflows of payments and vouchers (docs/temporal.md). A start sets
 * what is known; a workflow changes one only for what an operator acts on: a hold, a case, another state.
 */
export const searchAttributes = {
  merchant: keyword('MalipoMerchant'),
  /** The rail's name, or `voucher`. */
  rail: keyword('MalipoRail'),
  /** `deposit`, `payout`, `refund` or `voucher`. */
  kind: keyword('MalipoKind'),
  /** As in the payment: the provider's name, or the mobile network. */
  provider: keyword('MalipoProvider'),
  /** The payment's state; `pending` from the start. */
  status: keyword('MalipoStatus'),
  /** Our own id: a merchant's reference may contain a customer's number, and is searched in the database. */
  reference: keyword('MalipoReference'),
  onHold: bool('MalipoOnHold'),
  openCase: bool('MalipoOpenCase'),
} as const;

/** How Temporal's command line names the types. */
const typeNames = { KEYWORD: 'Keyword', BOOL: 'Bool' } as const;

/** Each attribute as a namespace must have it. */
export const searchAttributeTypes: readonly { name: string; type: 'Keyword' | 'Bool' }[] = Object.values(
  searchAttributes,
).map(({ name, type }) => ({ name, type: typeNames[type] }));

export const searchAttributeNames = searchAttributeTypes.map(({ name }) => name);
