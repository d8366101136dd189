import type { Finding } from '../../domain/outcome';
import type { Decision, Facts } from './decide';

/**
 * A hint says that something changed and not what. It is dealt with once the provider's answer was acted upon, or says
 * for long enough that nothing has changed; until then the provider is asked again soon. Pure.
 */
export function aboutHints(facts: Facts, decision: Decision): Decision {
  const hints = facts.notices.filter(({ finding }) => finding.kind === 'hint');
  if (hints.length === 0) return decision;
  const answered = facts.answer !== undefined && facts.answer.kind !== 'unknown';
  const changed = decision.outcome !== undefined || decision.cases.length > 0;
  const brought = decision.outcome !== undefined || addsSomething(facts, decision);
  const done = hints.filter(
    ({ msAgo, isRepetition, finding }) =>
      (answered || isTold(finding)) &&
      ((answered && !isBehind(facts.answer, changed)) ||
        isRepetition === true ||
        msAgo >= facts.followHintMs),
  );
  return {
    ...decision,
    read: [
      ...decision.read,
      ...done.map(({ inboxId }) => ({
        inboxId,
        // A case that stands since earlier looks is no news: hints that bring nothing wait ever longer.
        state: brought ? ('applied' as const) : ('ignored' as const),
        reason: changed ? 'the provider was asked' : 'asked, the provider told nothing new',
      })),
    ],
    unconfirmed: decision.unconfirmed || done.length < hints.length,
  };
}

/** A person is told of what was warned of, so that an answer nobody can read does not keep it unread for ever. */
function isTold(finding: Finding): boolean {
  return finding.kind === 'hint' && finding.warns !== undefined;
}

/** The answer does not show yet what was told of, though it may have changed something else. */
function isBehind(answer: Facts['answer'], changed: boolean): boolean {
  if (answer && 'behind' in answer) return true;
  return answer?.kind === 'open' && !changed;
}

/** That a payment whose reference we know is still open there, is nothing that a hint has brought. */
function addsSomething({ isNamed }: Facts, { enrichment }: Decision): boolean {
  if (enrichment?.kind !== 'open') return enrichment !== undefined;
  return enrichment.details !== undefined || !isNamed;
}
