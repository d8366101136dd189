/** What is still made of a payment that has succeeded: a deposit may go back, and what was paid out may come back. Pure. */
import type { Finding } from '../../domain/outcome';
import { takeBack } from './came-back';
import type { NewCase } from '../../controls/cases';
import type { Decision, Facts } from './decide';
import { exaggerationsIn } from './exaggerations';
import { giveBack, isGivenBack, payAgain } from './given-back';
import { describe, isFailure, withoutHints } from '../rail/notices';

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
