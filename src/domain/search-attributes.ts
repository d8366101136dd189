import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common';

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

/** What operators can search the workflows of payments and vouchers by; all are keywords. */
export const searchAttributes = {
  merchant: keyword('MalipoMerchant'),
  /** The rail's name, or `voucher`. */
  rail: keyword('MalipoRail'),
  status: keyword('MalipoStatus'),
  /** Our own id: a merchant's word for it may hold a customer's number, and is searched for in the database. */
  reference: keyword('MalipoReference'),
} as const;

export const searchAttributeNames = Object.values(searchAttributes).map(({ name }) => name);
