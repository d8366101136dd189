import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common';

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

/** The attributes by which operators search the workflows of payments and vouchers; all are keywords. */
export const searchAttributes = {
  merchant: keyword('MalipoMerchant'),
  /** The rail's name, or `voucher`. */
  rail: keyword('MalipoRail'),
  status: keyword('MalipoStatus'),
  /** Our own id: a merchant's reference may contain a customer's number, and is searched in the database. */
  reference: keyword('MalipoReference'),
} as const;

export const searchAttributeNames = Object.values(searchAttributes).map(({ name }) => name);
