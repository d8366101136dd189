/** The provider's result codes (M-Pesa Express) and their meanings. Kept as data, to be compared line by line. */

export type StkResult = 'succeeded' | 'failed' | 'cancelled' | 'timed_out' | 'open';

interface Line {
  means: StkResult;
  what: string;
  /** The source of the meaning: the provider itself, several integrations that agree, or a single one. */
  source: 'provider' | 'several' | 'single';
  /** The fault is in our own account or configuration: an operator must correct it. */
  ourAccount?: true;
}

const failed = 'failed';

export const stkResult: Record<string, Line> = {
  '0': { means: 'succeeded', what: 'paid', source: 'provider' },
  '1': { means: failed, what: 'insufficient balance', source: 'provider' },
  '2': { means: failed, what: 'declined by the network', source: 'single' },
  // About this prompt, which no customer saw. It says nothing about the earlier prompt, which may belong to another
  // merchant.
  '17': { means: failed, what: 'the same customer and amount within two minutes', source: 'provider' },
  '26': { means: failed, what: 'system busy', source: 'several' },
  '1001': { means: failed, what: 'subscriber locked: another session is open', source: 'several' },
  '1019': { means: 'timed_out', what: 'transaction expired', source: 'several' },
  '1025': { means: failed, what: 'the prompt could not be sent', source: 'several' },
  '1032': { means: 'cancelled', what: 'cancelled by the user', source: 'provider' },
  '1037': { means: 'timed_out', what: 'no answer from the handset', source: 'provider' },
  '2001': { means: failed, what: 'wrong PIN, or the account has an issue', source: 'provider' },
  '2028': {
    means: failed,
    what: 'PartyB or the transaction type does not fit the shortcode',
    source: 'single',
    ourAccount: true,
  },
  '8006': { means: failed, what: 'PIN locked', source: 'single' },
  '9999': { means: failed, what: 'the prompt could not be sent', source: 'several' },
  SFC_IC0003: { means: failed, what: 'no such operator', source: 'single', ourAccount: true },
  '34': { means: 'open', what: "a delay on the provider's side", source: 'single' },
  '4999': { means: 'open', what: 'still open', source: 'single' },
  ...limitsAndSetUp(['3', '4', '8', '10', '11', '29', '31', '32', '33', '35', '36', '40', '41', '42', '43']),
};

function limitsAndSetUp(codes: string[]): Record<string, Line> {
  const line: Line = { means: failed, what: 'a limit, a registration or a set-up fault', source: 'single' };
  return Object.fromEntries(codes.map((code) => [code, line]));
}

/** The meaning of a result's code and text. */
export interface Result {
  means: StkResult;
  ourAccount?: true;
  /** Only one source or none knows the code. From a query alone, it counts once it was seen twice. */
  isDoubtful: boolean;
}

/**
 * The text has priority: "still under processing" was seen with codes that otherwise end a payment.
 * @returns undefined for an unknown code.
 */
export function resultOf(code: string, text: string): Result | undefined {
  if (/under processing|being processed/i.test(text)) return { means: 'open', isDoubtful: false };
  // Some sources write single digits with a leading zero.
  const plain = code.replace(/^0+(?=\d)/, '');
  // The code is external input, and `toString` is not a result.
  const line = Object.hasOwn(stkResult, plain) ? stkResult[plain] : undefined;
  return (
    line && {
      means: line.means,
      isDoubtful: line.source === 'single',
      ...(line.ourAccount && { ourAccount: line.ourAccount }),
    }
  );
}
