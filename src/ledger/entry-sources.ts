/**
 * Every source of a ledger entry: its type, and the first word of its leg. Only operators book those marked `hand`.
 * `malipo verify` (A3) reports any other source.
 */
const entrySources = {
  deposit: { credit: 'any', reversed: 'any' },
  payout: { convert: 'any', returned: 'any' },
  refund: { convert: 'any', returned: 'any' },
  hold: { reserve: 'any', post: 'any', release: 'any', change: 'any' },
  fee: { charge: 'any', reserve: 'any', post: 'any', release: 'any', returned: 'any', reversed: 'any' },
  provider_fee: { fee: 'any', back: 'any' },
  unmatched: { found: 'any', explained: 'any', assigned: 'hand', returned: 'hand' },
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
