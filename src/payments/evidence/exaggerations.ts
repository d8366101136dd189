/**
 * Reports without proof that name more than was asked. Where the provider's own answer names no amount there is nothing
 * to hold against them, and an unproven word never raises what is booked.
 */
import type { Finding } from '../../domain/outcome';
import type { Decision, Facts } from './decide';
import type { Notice } from '../rail/notices';

type Success = Extract<Finding, { kind: 'succeeded' }>;

const reason = 'it names more than was asked, and proves nothing';

/** @returns those of the reports that nothing but their own word speaks for. */
export function exaggerationsIn(
  { notices, notificationsAreProof }: Pick<Facts, 'notices' | 'notificationsAreProof'>,
  dueMinor: bigint | undefined,
  answer?: Success,
): Notice[] {
  if (notificationsAreProof || dueMinor === undefined || answer?.amountMinor !== undefined) return [];
  return notices.filter(
    ({ finding }) => finding.kind === 'succeeded' && (finding.amountMinor ?? 0n) > dueMinor,
  );
}

/** The decision without them: a person looks, and what the true report brings can still be taken. */
export function aboutExaggerations(decision: Decision, exaggerations: Notice[], dueMinor: bigint): Decision {
  const [first] = exaggerations;
  if (first?.finding.kind !== 'succeeded') return decision;
  const named = String(first.finding.amountMinor);
  const detail = `${String(dueMinor)} minor units were asked for; a report without proof names ${named}`;
  const isOne = (id: string) => exaggerations.some(({ inboxId }) => inboxId === id);
  return {
    ...decision,
    read: decision.read.map((done) =>
      isOne(done.inboxId) ? { ...done, state: 'ignored' as const, reason } : done,
    ),
    cases: [
      ...decision.cases.filter(({ reason: why }) => why !== 'amount_differs'),
      { reason: 'amount_differs', detail },
    ],
  };
}
