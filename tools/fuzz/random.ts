/** A random generator with the same results for the same seed, on every machine. */
export interface Chance {
  /** 0 to n − 1. */
  below(n: number): number;
  /** True once in `n` times. */
  oneIn(n: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** Letters and digits. */
  word(length: number): string;
}

/** A separate generator for each request, so that each can be repeated alone. */
export function chanceOf(seed: number, index: number): Chance {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (n: number) => Math.floor(next() * n);
  return {
    below,
    oneIn: (n) => below(n) === 0,
    pick: <T>(list: readonly T[]) => list[below(list.length)] as T,
    word: (length) =>
      Array.from({ length }, () => 'abcdefghijklmnopqrstuvwxyz0123456789'.charAt(below(36))).join(''),
  };
}
