/** What to make of the provider's word that a deposit went back to the customer. Pure, as the rest of the decision. */
import type { Finding } from '../../domain/outcome';
import { entrancesOf } from '../../domain/payment';
import type { Decision, Facts } from './decide';

export type GivenBack = Extract<Finding, { kind: 'refunded' | 'reversed' }>;

/** The provider shows less given back than before. */
export type PaidAgain = GivenBack | Extract<Finding, { kind: 'succeeded' }>;

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

/** Books what went back since the last time; a case where more went back than had ever come, or nobody says how much. */
export function giveBack(facts: Facts, finding: GivenBack): Pick<Decision, 'outcome' | 'cases' | 'remember'> {
  if (finding.unclear) return aboutUnclear(facts, finding);
  const by = 'query';
  const news = finding.givenBackMinor > facts.givenBackMinor;
  const cases =
    finding.kind === 'reversed'
      ? [{ reason: 'reversed' as const, detail: `${finding.code} ${finding.text}` }]
      : [];
  // That it was taken back, and not given, may become known after the money itself was booked.
  if (!news) return { cases: facts.state === 'refunded' && finding.behind !== true ? cases : [] };
  if (!entrancesOf(finding.kind).includes(facts.state)) return { cases: [] };
  const most = facts.confirmedMinor ?? 0n;
  const { refundedMinor } = facts;
  if (finding.givenBackMinor + refundedMinor > most || finding.currency !== facts.instructedCurrency) {
    const beside = refundedMinor === 0n ? '' : ` beside ${String(refundedMinor)} that we refunded`;
    const detail = `booked ${String(most)} ${facts.instructedCurrency}, ${finding.kind} ${String(finding.givenBackMinor)} ${finding.currency}${beside} (minor units)`;
    return { cases: [{ reason: 'given_back_differs', detail }] };
  }
  return { outcome: { to: finding.kind, givenBackMinor: finding.givenBackMinor, finding, by }, cases };
}

/** One case for each amount that the provider shows, however often it is asked, and whenever the case is closed. */
function aboutUnclear({ tentative }: Facts, { code, text }: GivenBack): Pick<Decision, 'cases' | 'remember'> {
  if (tentative?.code === code) return { cases: [] };
  return { cases: [{ reason: 'given_back_unclear', detail: text }], remember: code };
}

/** What the provider's tentative word is remembered as until it is given again. */
const lessGivenBack = 'LESS_GIVEN_BACK';

/**
 * Less is given back than is booked: the seller has won a dispute, and the provider has paid once more. That is booked
 * once, of a payment that was contested, and after the provider has said so twice: its answer may lag behind. Anything
 * else of the kind is a case.
 */
export function payAgain(facts: Facts, finding: PaidAgain): Partial<Decision> {
  const stillGone = finding.kind === 'succeeded' ? 0n : finding.givenBackMinor;
  const { tentative } = facts;
  if (finding.behind === true) return {};
  // Twice in a row: what lagged behind once, long ago, is forgotten with the next answer that does not.
  if (facts.givenBackMinor <= stillGone) return tentative?.code === lessGivenBack ? { remember: '' } : {};
  if (tentative?.code !== lessGivenBack) return { remember: lessGivenBack, unconfirmed: true };
  if (tentative.msAgo < facts.believeTentativeFailureAfterMs) return { unconfirmed: true };
  const isSame = finding.currency === undefined || finding.currency === facts.instructedCurrency;
  if (!facts.isContested || facts.wasPaidAgain || !isSame) {
    const detail = `booked ${String(facts.givenBackMinor)} as given back, the provider shows ${String(stillGone)} (minor units)`;
    return { cases: [{ reason: 'given_back_less', detail }] };
  }
  // What we have refunded ourselves stays gone.
  const without = facts.refundedMinor > 0n ? 'refunded' : 'succeeded';
  const to = stillGone === 0n ? without : finding.kind;
  return { outcome: { to, givenBackMinor: stillGone, finding, by: 'query' } };
}
