import type { Initiation, PaymentCommand } from '../src/domain/commands';
import { agendaOf, type Agenda } from './agenda';

/** The agenda of a payment that was just accepted, or that is taken up again, maybe long after it ended. */
export function agendaSince(
  { answer, ageMs, endedAgoMs, state }: Initiation,
  { policy, inOrder: isInOrder }: PaymentCommand,
  now: number,
): Agenda {
  const inOrder = isInOrder === true;
  const acceptedAt = now - ageMs;
  const agenda = agendaOf(policy, answer.kind, { acceptedAt, now, inOrder });
  const since = inOrder && endedAgoMs !== undefined ? now - endedAgoMs : acceptedAt;
  agenda.entered(state, since, now);
  return agenda;
}
