/** What an operator said to move by hand moves later: until it shows, a wallet may hold what it did, or what it will. */
import { judge, type Judgement, type Known } from './judge';

/** Minor units. */
export interface Expected {
  /** Is put there, and has not shown. */
  coming: bigint;
  /** Is taken out, and still shows. */
  going: bigint;
}

/**
 * Where an answer can only be read in one way, it tells what has shown, and what is there besides. Where it can be read in
 * several it teaches nothing: what was learnt from the wrong one would be a difference later.
 * @returns what is still expected, too.
 */
export function judgeExpecting(
  balanceMinor: bigint,
  { offset, ...known }: Known,
  expected: Expected,
): { judgement: Judgement; expected: Expected } {
  const { coming, going } = expected;
  if (!offset || (coming === 0n && going === 0n))
    return { judgement: judge(balanceMinor, { offset, ...known }), expected };
  const shifted = (less: bigint, more: bigint) =>
    judge(balanceMinor, { ...known, offset: { least: offset.least - less, most: offset.most + more } });
  const readings = [...new Set([0n, coming])]
    .flatMap((come) => [...new Set([0n, going])].map((gone) => ({ come, gone })))
    .map(({ come, gone }) => ({
      judgement: shifted(gone - come, come - gone),
      expected: { coming: coming - come, going: going - gone },
    }))
    .filter(({ judgement }) => judgement.verdict === 'agrees');
  const [only, another] = readings;
  // A part of it may show as well.
  return only && !another ? only : { judgement: { ...shifted(going, coming), offset }, expected };
}
