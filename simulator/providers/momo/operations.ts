/** The three operations, and their names on the wire. */
export type Operation = 'DEPOSIT' | 'PAYOUT' | 'REFUND';

export interface OperationNames {
  /** In the path, as in /v2/deposits. */
  plural: string;
  /** The field of the caller's id. */
  idField: string;
  /** The field of the payment's other party. */
  partyField: 'payer' | 'recipient';
}

export const operations = {
  DEPOSIT: { plural: 'deposits', idField: 'depositId', partyField: 'payer' },
  PAYOUT: { plural: 'payouts', idField: 'payoutId', partyField: 'recipient' },
  REFUND: { plural: 'refunds', idField: 'refundId', partyField: 'recipient' },
} as const satisfies Record<Operation, OperationNames>;

export const operationNames = Object.keys(operations) as Operation[];
