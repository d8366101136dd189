/** What to make of the provider's word that what had gone out came back. Pure, as the rest of the decision. */
import type { Finding } from '../../domain/outcome';
import { PAYOUT_RETURNED, entrancesOf } from '../../domain/payment';
import type { Decision, Facts } from './decide';
import type { Failure } from '../rail/notices';

export type CameBack = Extract<Finding, { kind: 'returned' }>;

/** What merchants are told of it, in our own words: the provider's speak of our account with it. */
export const returnedFailure = {
  code: PAYOUT_RETURNED,
  message: 'The money came back after it had been paid out, and is available to you again',
} as const;

/** What came back before we ever saw it succeed has failed, as far as our books and the merchant know. */
export function asFailure({ code, text, providerReference, details }: CameBack): Failure {
  return {
    kind: 'failed',
    code,
    text,
    ...(providerReference === undefined ? {} : { providerReference }),
    ...(details === undefined ? {} : { details }),
  };
}

/** Only what is the very amount that had gone out is booked; anything else is a person's to judge. */
export function takeBack(facts: Facts, finding: CameBack): Pick<Decision, 'outcome' | 'cases'> {
  if (!entrancesOf('returned').includes(facts.state)) return { cases: [] };
  const { instructedMinor: sent, instructedCurrency, confirmedMinor = sent } = facts;
  const { amountMinor, currency } = finding;
  const isWhole = amountMinor === sent && confirmedMinor === sent && currency === instructedCurrency;
  if (isWhole) return { outcome: { to: 'returned', finding, by: 'query' }, cases: [] };
  const came = amountMinor === undefined ? 'an amount nobody named' : `${String(amountMinor)} ${currency}`;
  const detail = `sent ${String(sent)} ${instructedCurrency}, confirmed ${String(confirmedMinor)}, came back: ${came} (minor units)`;
  return { cases: [{ reason: 'returned_differs', detail }] };
}
