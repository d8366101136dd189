/** What is still made of a payment that has succeeded: a deposit may go back, and what was paid out may come back. Pure. */
import type { NewCase } from '../../controls/cases';
import type { Finding } from '../../domain/outcome';
import { PAYOUT_RETURNED, entrancesOf } from '../../domain/payment';
import type { Decision } from '../transition/outcome-decision';
import {
  isGivenBack,
  describe,
  isFailure,
  withoutHints,
  type Failure,
  type CameBack,
  type GivenBack,
  type PaidAgain,
} from '../../rail-kit/provider-events';
import type { Facts } from './decide';
import { exaggerationsIn } from './unverified-events';

/** The success stands, whatever is reported later; only the provider's own answer takes anything back. */
export function afterSuccess(facts: Facts): Decision {
  const decision: Decision = { read: [], cases: [], unconfirmed: false };
  if (isGivenBack(facts.answer)) Object.assign(decision, giveBack(facts, facts.answer));
  if (isGivenBack(facts.answer) || facts.answer?.kind === 'succeeded') {
    Object.assign(decision, payAgain(facts, facts.answer));
  }
  if (facts.answer?.kind === 'returned') Object.assign(decision, takeBack(facts, facts.answer));
  const isBack = facts.state === 'returned';
  if (isBack && facts.answer?.kind === 'succeeded') {
    decision.cases.push({
      reason: 'late_success',
      detail: `asked, the provider says ${describe(facts.answer)}`,
    });
  }
  if (facts.answer && isFailure(facts.answer) && !isBack) {
    decision.cases.push(contradicted('asked', facts.answer));
  }
  const others = new Set<string>();
  let known = facts.receipt;
  const isOther = (finding: Finding): boolean => {
    const { receipt } = finding.kind === 'succeeded' ? finding : {};
    const is = known !== undefined && receipt !== undefined && receipt !== known;
    if (is) others.add(receipt);
    return is;
  };
  // What is paid once more after it went back may have a receipt of its own.
  if (facts.answer && !decision.outcome) isOther(facts.answer);
  const exaggerations = exaggerationsIn(facts, facts.confirmedMinor);
  for (const notice of withoutHints(facts.notices)) {
    const { inboxId, finding } = notice;
    if (finding.kind === 'succeeded') {
      const isBelieved = !exaggerations.includes(notice);
      const { amountMinor = facts.confirmedMinor } = finding;
      const isThis = isBelieved && amountMinor === facts.confirmedMinor;
      const adds = isThis && known === undefined && finding.receipt !== undefined;
      if (adds) decision.enrichment = finding;
      if (adds) known = finding.receipt;
      decision.read.push({
        inboxId,
        state: adds ? 'applied' : 'ignored',
        reason: adds ? 'receipt' : isOther(finding) ? 'another receipt' : 'repeat',
      });
      if (finding.amountMinor !== undefined && finding.amountMinor !== facts.confirmedMinor) {
        const detail = `booked ${String(facts.confirmedMinor)}, reported later ${String(finding.amountMinor)} minor units`;
        decision.cases.push({ reason: 'amount_differs', detail });
      }
    } else {
      decision.read.push({ inboxId, state: 'ignored', reason: `${finding.kind} after a success` });
      if (isFailure(finding) && !isBack) decision.cases.push(contradicted(`inbox ${inboxId}`, finding));
    }
  }
  if (others.size > 0) {
    const detail = `booked with receipt ${known ?? ''}, reported later ${[...others].join(', ')}`;
    decision.cases.push({ reason: 'receipt_differs', detail });
  }
  return decision;
}

export function contradicted(source: string, finding: Finding): NewCase {
  return { reason: 'contradictory_outcome', detail: `${source}: ${describe(finding)}` };
}

// What to make of the provider's word that what had gone out came back. Pure, as the rest of the decision.

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
function takeBack(facts: Facts, finding: CameBack): Pick<Decision, 'outcome' | 'cases'> {
  if (!entrancesOf('returned').includes(facts.state)) return { cases: [] };
  const { instructedMinor: sent, instructedCurrency, confirmedMinor = sent } = facts;
  const { amountMinor, currency } = finding;
  const isWhole = amountMinor === sent && confirmedMinor === sent && currency === instructedCurrency;
  if (isWhole) return { outcome: { to: 'returned', finding, by: 'query' }, cases: [] };
  const came = amountMinor === undefined ? 'an amount nobody named' : `${String(amountMinor)} ${currency}`;
  const detail = `sent ${String(sent)} ${instructedCurrency}, confirmed ${String(confirmedMinor)}, came back: ${came} (minor units)`;
  return { cases: [{ reason: 'returned_differs', detail }] };
}

// What to make of the provider's word that a deposit went back to the customer. Pure, as the rest of the decision.

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
function giveBack(facts: Facts, finding: GivenBack): Pick<Decision, 'outcome' | 'cases' | 'remember'> {
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
function payAgain(facts: Facts, finding: PaidAgain): Partial<Decision> {
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
