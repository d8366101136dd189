/** A random generator with a seed. */
export interface Chance {
  /** From 0 up to 1. */
  next(): number;
  between(least: number, most: number): number;
  pick<T>(among: readonly T[]): T;
  /** By weight. */
  weighted<T extends { weight: number }>(among: readonly T[]): T;
}

/** mulberry32: small, and the same on every platform. */
export function chanceOf(seed: number): Chance {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (least, most) => least + next() * (most - least),
    pick: (among) => among[Math.floor(next() * among.length)] as (typeof among)[number],
    weighted(among) {
      let left = next() * among.reduce((sum, { weight }) => sum + weight, 0);
      return among.find(({ weight }) => (left -= weight) < 0) ?? (among.at(-1) as (typeof among)[number]);
    },
  };
}
