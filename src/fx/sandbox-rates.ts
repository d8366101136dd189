/** What the sandbox converts at when no source is configured: plausible, and the same in every test. */
import type { ObservedRate } from './rate-document';

export const sandboxRates: readonly ObservedRate[] = [
  { base: 'USD', quote: 'KES', rate: '129.50' },
  { base: 'USD', quote: 'TZS', rate: '2650.00' },
  { base: 'USD', quote: 'UGX', rate: '3700.00' },
];
