/**
 * Seeds of `npm run chaos` that once found something, and what; each runs again with all other tests, for a short time.
 */
export const seeds: readonly { seed: number; found: string }[] = [
  { seed: 1, found: 'nothing yet: the first of them' },
];
