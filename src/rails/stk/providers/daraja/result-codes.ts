/** The provider's result codes (M-Pesa Express), in our words. Kept as data, to be compared line by line. */

export type StkResult = 'succeeded' | 'failed' | 'cancelled' | 'timed_out' | 'open';

const failed = 'failed';

export const stkResult: Record<string, StkResult> = {
  '0': 'succeeded', // paid
  '1': failed, // insufficient balance
  '17': failed, // the receiving side cannot process now
  '26': failed, // system busy
  '1001': failed, // subscriber locked: another session is open
  '1019': 'timed_out', // transaction expired
  '1025': failed, // the prompt could not be sent
  '1032': 'cancelled', // cancelled by the user
  '1037': 'timed_out', // no answer from the handset
  '2001': failed, // wrong PIN, or the account has an issue
  '8006': failed, // PIN locked
  '9999': failed, // the prompt could not be sent
  '34': 'open', // a delay on the provider's side
  '4999': 'open', // still open
  // Limits, registration and set-up faults.
  '3': failed,
  '4': failed,
  '8': failed,
  '10': failed,
  '11': failed,
  '29': failed,
  '31': failed,
  '32': failed,
  '33': failed,
  '35': failed,
  '36': failed,
  '40': failed,
  '41': failed,
  '42': failed,
  '43': failed,
};

/** Some sources write single digits with a leading zero. */
export function resultOfCode(code: string): StkResult | undefined {
  const plain = code.replace(/^0+(?=\d)/, '');
  // A code comes from outside, and `toString` is no result.
  return Object.hasOwn(stkResult, plain) ? stkResult[plain] : undefined;
}
