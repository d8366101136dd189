/**
 * Everything that the ledger is written for: the type of the source, and the word that its leg begins with. What stands
 * here as `hand` is booked by people alone. `malipo verify` (A3) names whatever else it finds.
 */
const entrySources = {
  deposit: { credit: 'any', given_back: 'any' },
  payout: { convert: 'any', returned: 'any' },
  refund: { convert: 'any', returned: 'any' },
  hold: { reserve: 'any', post: 'any', release: 'any', change: 'any' },
  fee: { charge: 'any', reserve: 'any', post: 'any', release: 'any', returned: 'any', given_back: 'any' },
  provider_fee: { fee: 'any', back: 'any' },
  orphan: { found: 'any', explained: 'any', claimed: 'hand', returned: 'hand' },
  voucher: { fund: 'any', redeem: 'any', expire: 'any' },
  transfer: { move: 'hand' },
} as const satisfies Record<string, Record<string, 'any' | 'hand'>>;

type Sources = typeof entrySources;
/** Type and word: `hold/reserve`. */
export type EntrySource = {
  [Type in keyof Sources]: `${Type}/${keyof Sources[Type] & string}`;
}[keyof Sources];

export const sourcesOf = (by: 'any' | 'hand' | 'both'): EntrySource[] =>
  Object.entries(entrySources).flatMap(([type, words]) =>
    Object.entries<string>(words)
      .filter(([, whose]) => by === 'both' || whose === by)
      .map(([word]) => `${type}/${word}` as EntrySource),
  );
