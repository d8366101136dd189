/** What a payout has, for who fills it in: each rail says it of its own. */
import type { PayoutFields, PayoutForm } from '../../rail-kit/rail-definition';
import { findRailDefinition } from '../../rails';

/** @returns undefined for a rail that pays nobody. */
export function payoutFormOf(rail: string): PayoutForm | undefined {
  return findRailDefinition(rail)?.payoutForm;
}

/** @returns the payout as its rail takes it, what is empty left out. */
export function payoutOf(rail: string, cells: PayoutFields): PayoutFields {
  const filled = Object.fromEntries(Object.entries(cells).filter(([, text]) => text !== ''));
  return payoutFormOf(rail)?.read?.(cells, filled) ?? filled;
}
