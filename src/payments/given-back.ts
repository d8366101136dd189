/** What to make of the provider's word that a deposit went back to the customer. Pure, as the rest of the decision. */
import type { Finding } from '../domain/outcome';
import { entrancesOf } from '../domain/payment';
import type { Decision, Facts } from './decide';

export type GivenBack = Extract<Finding, { kind: 'refunded' | 'reversed' }>;

export function isGivenBack(finding: Finding | undefined): finding is GivenBack {
  return finding?.kind === 'refunded' || finding?.kind === 'reversed';
}

/** The provider tells the end of a story whose middle we missed: it was paid before it went back. */
export function paidBefore(finding: GivenBack): Extract<Finding, { kind: 'succeeded' }> {
  const { code, text, paidMinor, currency, providerReference, receipt, details } = finding;
  return {
    kind: 'succeeded',
    code,
    text,
    amountMinor: paidMinor,
    currency,
    ...(providerReference === undefined ? {} : { providerReference }),
    ...(receipt === undefined ? {} : { receipt }),
    ...(details === undefined ? {} : { details }),
  };
}

/** Books what went back since the last time; a case where more went back than had ever come. */
export function giveBack(facts: Facts, finding: GivenBack): Pick<Decision, 'outcome' | 'cases'> {
  const by = 'query';
  const news = finding.givenBackMinor > facts.givenBackMinor;
  const cases =
    finding.kind === 'reversed'
      ? [{ reason: 'reversed' as const, detail: `${finding.code} ${finding.text}` }]
      : [];
  // That it was taken back, and not given, may become known after the money itself was booked.
  if (!news) return { cases: facts.state === 'refunded' ? cases : [] };
  if (!entrancesOf(finding.kind).includes(facts.state)) return { cases: [] };
  const most = facts.confirmedMinor ?? 0n;
  if (finding.givenBackMinor > most || finding.currency !== facts.instructedCurrency) {
    const detail = `booked ${String(most)} ${facts.instructedCurrency}, ${finding.kind} ${String(finding.givenBackMinor)} ${finding.currency} (minor units)`;
    return { cases: [{ reason: 'given_back_differs', detail }] };
  }
  return { outcome: { to: finding.kind, givenBackMinor: finding.givenBackMinor, finding, by }, cases };
}
