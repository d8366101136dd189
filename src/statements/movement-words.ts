/** What a movement is called on a statement, by what it was booked for and the word that its leg begins with. */
const words: Record<string, string> = {
  'deposit/credit': 'credit',
  'deposit/given_back': 'given_back',
  'payout/returned': 'returned',
  'refund/returned': 'returned',
  // Set aside for what goes out; then paid out, or given back to where it came from.
  'hold/reserve': 'hold',
  'hold/post': 'spent',
  'hold/release': 'release',
  // Set aside because a provider may take it back, or not so much of it any more.
  'hold/change': 'contested',
  // Taken out of a wallet, or set aside for a payout with its amount; then the platform's, or back where it came from.
  'fee/charge': 'fee',
  'fee/reserve': 'fee',
  'fee/post': 'fee_spent',
  'fee/release': 'fee_released',
  'fee/returned': 'fee_returned',
  'fee/given_back': 'fee_returned',
  'transfer/move': 'transfer',
  // Money that a provider's statement told of, and that an operator has found to be the merchant's.
  'orphan/claimed': 'claimed',
  'voucher/fund': 'voucher',
  'voucher/redeem': 'voucher_redeemed',
  'voucher/expire': 'voucher_expired',
};

export function movementWord(sourceType: string, leg: string): string {
  const [first = ''] = leg.split(':');
  return words[`${sourceType}/${first}`] ?? sourceType;
}
