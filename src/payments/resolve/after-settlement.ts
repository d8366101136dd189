/** The decisions after a success: a deposit may be refunded or reversed, and a payout may be returned. Pure. */
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

/** The success stands, whatever is reported later. Only the provider's own answer can take money back. */
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
  // A payment that was paid again after a reversal may have a new receipt.
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

// The decision on a payout that the provider reports as returned. Pure, as the rest of the decision.

/** The failure that merchants see, in our own words: the provider's words concern our account. */
export const returnedFailure = {
  code: PAYOUT_RETURNED,
  message: 'The money came back after it had been paid out, and is available to you again',
} as const;

/** A payout that was returned before we ever saw it succeed has failed, for our books and for the merchant. */
export function asFailure({ code, text, providerReference, details }: CameBack): Failure {
  return {
    kind: 'failed',
    code,
    text,
    ...(providerReference === undefined ? {} : { providerReference }),
    ...(details === undefined ? {} : { details }),
  };
}

/** Books a return only of exactly the amount that was sent. An operator judges any other amount. */
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

// The decision on a deposit that the provider reports as refunded or reversed. Pure, as the rest of the decision.

/** The provider reports a refund of a payment whose success we never saw. The success is booked first. */
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

/**
 * Books the amount that went back since the last time. It opens a case where more went back than was paid, or the
 * amount is unknown.
 */
function giveBack(facts: Facts, finding: GivenBack): Pick<Decision, 'outcome' | 'cases' | 'remember'> {
  if (finding.unclear) return aboutUnclear(facts, finding);
  const by = 'query';
  const news = finding.givenBackMinor > facts.givenBackMinor;
  const cases =
    finding.kind === 'reversed'
      ? [{ reason: 'reversed' as const, detail: `${finding.code} ${finding.text}` }]
      : [];
  // The provider may report "reversed" instead of "refunded" after the money was booked.
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

/**
 * One case for each amount that the provider shows, however often it is polled, and whether or not the case is
 * closed.
 */
function aboutUnclear({ tentative }: Facts, { code, text }: GivenBack): Pick<Decision, 'cases' | 'remember'> {
  if (tentative?.code === code) return { cases: [] };
  return { cases: [{ reason: 'given_back_unclear', detail: text }], remember: code };
}

/** The code under which a tentative answer is stored until the provider repeats it. */
const lessGivenBack = 'LESS_GIVEN_BACK';

/**
 * The provider shows a smaller returned amount than is booked: the seller has won a dispute, and the provider has
 * paid again. That is booked once, for a disputed payment only, and after the provider has reported it twice, because
 * its answer may be stale. Any other such difference is a case.
 */
function payAgain(facts: Facts, finding: PaidAgain): Partial<Decision> {
  const stillGone = finding.kind === 'succeeded' ? 0n : finding.givenBackMinor;
  const { tentative } = facts;
  if (finding.behind === true) return {};
  // Twice in a row: the next answer that shows no such difference clears the stored code.
  if (facts.givenBackMinor <= stillGone) return tentative?.code === lessGivenBack ? { remember: '' } : {};
  if (tentative?.code !== lessGivenBack) return { remember: lessGivenBack, unconfirmed: true };
  if (tentative.msAgo < facts.believeTentativeFailureAfterMs) return { unconfirmed: true };
  const isSame = finding.currency === undefined || finding.currency === facts.instructedCurrency;
  if (!facts.isContested || facts.wasPaidAgain || !isSame) {
    const detail = `booked ${String(facts.givenBackMinor)} as given back, the provider shows ${String(stillGone)} (minor units)`;
    return { cases: [{ reason: 'given_back_less', detail }] };
  }
  // The money that we refunded ourselves stays refunded.
  const without = facts.refundedMinor > 0n ? 'refunded' : 'succeeded';
  const to = stillGone === 0n ? without : finding.kind;
  return { outcome: { to, givenBackMinor: stillGone, finding, by: 'query' } };
}
