/** What each simulated provider does with which number or amount: enough to try every end that a shop must deal with. */
export type SandboxEnd =
  'paid' | 'no_money' | 'declined' | 'silent' | 'late' | 'unreached' | 'person' | 'fails';

interface SandboxTries {
  rail: string;
  /** What decides: the whole number of a customer, its last digits, the last digits of an amount, or a receiver's name. */
  by: 'number' | 'number_end' | 'amount_end' | 'receiver';
  tries: readonly { value: string; end: SandboxEnd }[];
}

/** Compared with the simulator by a test. */
export const sandboxTries: readonly SandboxTries[] = [
  {
    rail: 'stk',
    by: 'number',
    tries: [
      { value: '254708374149', end: 'paid' },
      { value: '254711223344', end: 'no_money' },
      { value: '254722334455', end: 'declined' },
      { value: '254733445566', end: 'unreached' },
      { value: '254700000704', end: 'late' },
      { value: '254700000703', end: 'silent' },
      { value: '254700000600', end: 'person' },
    ],
  },
  {
    rail: 'momo',
    by: 'number_end',
    tries: [
      { value: '789', end: 'paid' },
      { value: '049', end: 'no_money' },
      { value: '039', end: 'declined' },
      { value: '711', end: 'late' },
      { value: '129', end: 'silent' },
    ],
  },
  {
    rail: 'xb',
    by: 'number_end',
    tries: [
      { value: '789', end: 'paid' },
      { value: '049', end: 'no_money' },
      { value: '032', end: 'declined' },
      { value: '702', end: 'late' },
      { value: '129', end: 'silent' },
    ],
  },
  {
    rail: 'walletpay',
    by: 'amount_end',
    tries: [
      { value: '00', end: 'paid' },
      { value: '01', end: 'declined' },
      { value: '08', end: 'late' },
    ],
  },
  {
    rail: 'walletpay',
    by: 'receiver',
    tries: [
      { value: 'ok', end: 'paid' },
      { value: 'failed', end: 'fails' },
      { value: 'unclaimed', end: 'silent' },
    ],
  },
  {
    rail: 'cardproc',
    by: 'amount_end',
    tries: [
      { value: '00', end: 'person' },
      { value: '09', end: 'late' },
    ],
  },
];
