/**
 * What a provider warns of before its own answer shows anything: a dispute, or money that it took back. Nothing is
 * booked for that. A person is told, what was named is kept to be shown, and the payment is looked at for a while. Pure.
 */
import type { Finding, Warning } from '../domain/outcome';
import type { NewCase } from './cases';
import type { Decision, Facts } from './decide';

/** The detail that keeps when a payment was warned of last, by its own clock: looks are counted from it. */
export const warnedAtDetail = 'warned_at';
/** Present once what had been given back was booked as paid once more: that happens once. */
export const paidAgainDetail = 'paid_again_minor';

type Warns = Extract<Finding, { kind: 'hint' }> & { warns: Warning };

function isWarning(finding: Finding): finding is Warns {
  return finding.kind === 'hint' && finding.warns !== undefined;
}

/** The decision with a case for what was warned of; of a reversal only while the provider does not show it. */
export function aboutWarnings(facts: Facts, decision: Decision): Decision {
  const warnings = facts.notices.map(({ finding }) => finding).filter(isWarning);
  const isShown = facts.answer?.kind === 'reversed';
  const cases = warnings
    .filter(({ warns }) => warns === 'disputed' || !isShown)
    .map(({ warns, text, notes = {} }): NewCase => ({ reason: warns, detail: wordsOf(text, notes) }));
  if (warnings.length === 0) return decision;
  const noted = Object.assign({}, ...warnings.map(({ notes }) => notes)) as Record<string, string>;
  return { ...decision, cases: [...decision.cases, ...cases], noted };
}

function wordsOf(text: string, notes: Record<string, string>): string {
  return [text, ...Object.entries(notes).map(([name, value]) => `${name} ${value}`)].join(', ');
}
