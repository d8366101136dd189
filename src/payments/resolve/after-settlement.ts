/** The decisions after a success: a deposit may be refunded or reversed, and a payout may be returned. Pure. */
import type { NewCase } from '../../controls/cases';
import type { ProviderResult } from '../../domain/outcome';
import { PAYOUT_RETURNED, entrancesOf } from '../../domain/payment';
import type { Decision } from '../transition/outcome-decision';
import {
  isReturned,
  describe,
  isFailure,
  withoutUnverified,
  type Failure,
  type Returned,
  type ReturnedByProvider,
  type PaidAgain,
} from '../../rail-kit/provider-events';
import type { Facts } from './decide';
import { overReportedIn } from './unverified-events';

/** The success stands, whatever is reported later. Only the provider's own answer can take money back. */
export function afterSuccess(facts: Facts): Decision {
  const decision: Decision = { read: [], cases: [], unconfirmed: false };
  if (isReturned(facts.answer)) Object.assign(decision, giveBack(facts, facts.answer));
  if (isReturned(facts.answer) || facts.answer?.kind === 'succeeded') {
    Object.assign(decision, payAgain(facts, facts.answer));
  }
  if (facts.answer?.kind === 'returned') Object.assign(decision, takeBack(facts, facts.answer));
  const isBack = facts.state === 'returned';
  if (isBack && facts.answer?.kind === 'succeeded') {
    decision.cases.push({
      reason: 'late_success',
      detail: `the provider answered: ${describe(facts.answer)}`,
    });
  }
  if (facts.answer && isFailure(facts.answer) && !isBack) {
    decision.cases.push(contradicted('asked', facts.answer));
  }
  const others = new Set<string>();
  let known = facts.receipt;
  const isOther = (providerResult: ProviderResult): boolean => {
    const { receipt } = providerResult.kind === 'succeeded' ? providerResult : {};
    const is = known !== undefined && receipt !== undefined && receipt !== known;
    if (is) others.add(receipt);
    return is;
  };
  // A payment that was paid again after a reversal may have a new receipt.
  if (facts.answer && !decision.outcome) isOther(facts.answer);
  const overReported = overReportedIn(facts, facts.confirmedMinor);
  for (const providerEvent of withoutUnverified(facts.providerEvents)) {
    const { inboxId, providerResult } = providerEvent;
    if (providerResult.kind === 'succeeded') {
      const isTrusted = !overReported.includes(providerEvent);
      const { amountMinor = facts.confirmedMinor } = providerResult;
      const isThis = isTrusted && amountMinor === facts.confirmedMinor;
      const adds = isThis && known === undefined && providerResult.receipt !== undefined;
      if (adds) decision.enrichment = providerResult;
      if (adds) known = providerResult.receipt;
      decision.read.push({
        inboxId,
        state: adds ? 'applied' : 'ignored',
        reason: adds ? 'receipt' : isOther(providerResult) ? 'another receipt' : 'repeat',
      });
      if (providerResult.amountMinor !== undefined && providerResult.amountMinor !== facts.confirmedMinor) {
        const detail = `booked ${String(facts.confirmedMinor)}, reported later ${String(providerResult.amountMinor)} minor units`;
        decision.cases.push({ reason: 'amount_differs', detail });
      }
    } else {
      decision.read.push({ inboxId, state: 'ignored', reason: `${providerResult.kind} after a success` });
      if (isFailure(providerResult) && !isBack)
        decision.cases.push(contradicted(`inbox ${inboxId}`, providerResult));
    }
  }
  if (others.size > 0) {
    const detail = `booked with receipt ${known ?? ''}, reported later ${[...others].join(', ')}`;
    decision.cases.push({ reason: 'receipt_differs', detail });
  }
  return decision;
}

export function contradicted(source: string, providerResult: ProviderResult): NewCase {
  return { reason: 'contradictory_outcome', detail: `${source}: ${describe(providerResult)}` };
}

// The decision on a payout that the provider reports as returned. Pure, as the rest of the decision.

/** The failure that merchants see, in our own words: the provider's words concern our account. */
export const returnedFailure = {
  code: PAYOUT_RETURNED,
  message: 'The money was returned after the payout succeeded, and is available again',
} as const;

/** A payout that was returned before we ever saw it succeed has failed, for our books and for the merchant. */
export function asFailure({ code, text, providerReference, details }: Returned): Failure {
  return {
    kind: 'failed',
    code,
    text,
    ...(providerReference === undefined ? {} : { providerReference }),
    ...(details === undefined ? {} : { details }),
  };
}

/** Books a return only of exactly the amount that was sent. An operator judges any other amount. */
function takeBack(facts: Facts, providerResult: Returned): Pick<Decision, 'outcome' | 'cases'> {
  if (!entrancesOf('returned').includes(facts.state)) return { cases: [] };
  const { instructedMinor: sent, instructedCurrency, confirmedMinor = sent } = facts;
  const { amountMinor, currency } = providerResult;
  const isWhole = amountMinor === sent && confirmedMinor === sent && currency === instructedCurrency;
  if (isWhole) return { outcome: { to: 'returned', providerResult, by: 'query' }, cases: [] };
  const came = amountMinor === undefined ? 'an unknown amount' : `${String(amountMinor)} ${currency}`;
  const detail = `sent ${String(sent)} ${instructedCurrency}, confirmed ${String(confirmedMinor)}, returned: ${came} (minor units)`;
  return { cases: [{ reason: 'returned_differs', detail }] };
}

// The decision on a deposit that the provider reports as refunded or reversed. Pure, as the rest of the decision.

/** The provider reports a refund of a payment whose success we never saw. The success is booked first. */
export function paidBefore(
  providerResult: ReturnedByProvider,
): Extract<ProviderResult, { kind: 'succeeded' }> {
  const { code, text, paidMinor, currency, providerReference, receipt, details } = providerResult;
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
function giveBack(
  facts: Facts,
  providerResult: ReturnedByProvider,
): Pick<Decision, 'outcome' | 'cases' | 'remember'> {
  if (providerResult.unclear) return aboutUnclear(facts, providerResult);
  const by = 'query';
  const isMore = providerResult.returnedMinor > facts.returnedMinor;
  const cases =
    providerResult.kind === 'reversed'
      ? [{ reason: 'reversed' as const, detail: `${providerResult.code} ${providerResult.text}` }]
      : [];
  // The provider may report "reversed" instead of "refunded" after the money was booked.
  if (!isMore) return { cases: facts.state === 'refunded' && providerResult.behind !== true ? cases : [] };
  if (!entrancesOf(providerResult.kind).includes(facts.state)) return { cases: [] };
  const most = facts.confirmedMinor ?? 0n;
  const { refundedMinor } = facts;
  if (
    providerResult.returnedMinor + refundedMinor > most ||
    providerResult.currency !== facts.instructedCurrency
  ) {
    const beside = refundedMinor === 0n ? '' : ` beside our refunds of ${String(refundedMinor)}`;
    const detail = `booked ${String(most)} ${facts.instructedCurrency}, ${providerResult.kind} ${String(providerResult.returnedMinor)} ${providerResult.currency}${beside} (minor units)`;
    return { cases: [{ reason: 'refund_differs', detail }] };
  }
  return {
    outcome: { to: providerResult.kind, returnedMinor: providerResult.returnedMinor, providerResult, by },
    cases,
  };
}

/**
 * One case for each amount that the provider shows, however often it is polled, and whether or not the case is
 * closed.
 */
function aboutUnclear(
  { tentative }: Facts,
  { code, text }: ReturnedByProvider,
): Pick<Decision, 'cases' | 'remember'> {
  if (tentative?.code === code) return { cases: [] };
  return { cases: [{ reason: 'refund_unclear', detail: text }], remember: code };
}

/** The code under which a tentative answer is stored until the provider repeats it. */
const lessReturned = 'LESS_RETURNED';

/**
 * The provider shows a smaller returned amount than is booked: the seller has won a dispute, and the provider has
 * paid again. That is booked once, for a disputed payment only, and after the provider has reported it twice, because
 * its answer may be stale. Any other such difference is a case.
 */
function payAgain(facts: Facts, providerResult: PaidAgain): Partial<Decision> {
  const stillGone = providerResult.kind === 'succeeded' ? 0n : providerResult.returnedMinor;
  const { tentative } = facts;
  if (providerResult.behind === true) return {};
  // Twice in a row: the next answer that shows no such difference clears the stored code.
  if (facts.returnedMinor <= stillGone) return tentative?.code === lessReturned ? { remember: '' } : {};
  if (tentative?.code !== lessReturned) return { remember: lessReturned, unconfirmed: true };
  if (tentative.msAgo < facts.trustTentativeFailureAfterMs) return { unconfirmed: true };
  const isSame =
    providerResult.currency === undefined || providerResult.currency === facts.instructedCurrency;
  if (!facts.isDisputed || facts.wasPaidAgain || !isSame) {
    const detail = `booked ${String(facts.returnedMinor)} as returned, the provider reports ${String(stillGone)} (minor units)`;
    return { cases: [{ reason: 'refund_decreased', detail }] };
  }
  // The money that we refunded ourselves stays refunded.
  const without = facts.refundedMinor > 0n ? 'refunded' : 'succeeded';
  const to = stillGone === 0n ? without : providerResult.kind;
  return { outcome: { to, returnedMinor: stillGone, providerResult, by: 'query' } };
}
