/** The three things that can be done, and how the wire names each. */
export type Operation = 'DEPOSIT' | 'PAYOUT' | 'REFUND';

export interface OperationNames {
  /** Of the path, as in /v2/deposits. */
  plural: string;
  /** Of the field that holds the caller's id. */
  idField: string;
  /** Of the field that holds the other side of the payment. */
  partyField: 'payer' | 'recipient';
}

export const operations = {
  DEPOSIT: { plural: 'deposits', idField: 'depositId', partyField: 'payer' },
  PAYOUT: { plural: 'payouts', idField: 'payoutId', partyField: 'recipient' },
  REFUND: { plural: 'refunds', idField: 'refundId', partyField: 'recipient' },
} as const satisfies Record<Operation, OperationNames>;

export const operationNames = Object.keys(operations) as Operation[];
