/** Seeds of `npm run chaos` that found something once, and what; each is run again with all other tests, for a short while. */
export const seeds: readonly { seed: number; found: string }[] = [
  { seed: 1, found: 'nothing yet: the first of them' },
];
