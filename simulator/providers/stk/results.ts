/** The results of a prompt, in the wire's words. The query has the code as text, the callback as a number. */
export const results = {
  '0': 'The service request is processed successfully.',
  '1': 'The balance is insufficient for the transaction.',
  '2': 'Declined due to limit rule.',
  '17': 'Rule limited.',
  '26': 'System busy. The service is temporarily unavailable.',
  '1001': 'Unable to lock subscriber, a transaction is already in process for the current subscriber.',
  '1019': 'Transaction has expired.',
  '1032': 'Request cancelled by user.',
  '1037': 'DS timeout user cannot be reached.',
  '2001': 'The initiator information is invalid.',
  '2028': 'The request is not permitted according to product assignment.',
  '8006': 'The security credential is locked.',
  SFC_IC0003: 'The operator does not exist.',
} as const satisfies Record<string, string>;

export type ResultCode = keyof typeof results;
