/** What happened to a payment, in plain words and in the order it happened, each with what it is known by. */
import { reasonOfHold } from '../../payments/read/on-hold';
import type { Timeline } from '../../payments/read/timeline';
import type { PaymentRow } from '../../store/tables';
import type { MerchantVisit } from '../visit';
import { toneOf } from './payment-words';

interface StoryEvent {
  at: Date;
  what: string;
  evidence: string;
  tone: string;
}

export function storyOf({ t }: MerchantVisit, payment: PaymentRow, timeline: Timeline): StoryEvent[] {
  const first = Math.min(
    ...[payment.created_at, timeline.attempts[0]?.sent_at, timeline.log[0]?.at].map((at) =>
      (at ?? payment.created_at).getTime(),
    ),
  );
  const events: StoryEvent[] = [
    {
      at: new Date(first),
      what: t(`story.received.${payment.kind}`),
      evidence: payment.request_id === null ? '' : t('story.request', { id: payment.request_id }),
      tone: 'open',
    },
    ...timeline.attempts.map((attempt) => ({
      at: attempt.sent_at,
      what: t(`story.attempt.${attempt.state}`),
      evidence: [attempt.code, attempt.detail].filter(Boolean).join(' · '),
      tone: attempt.state === 'accepted' ? 'good' : attempt.state === 'refused' ? 'bad' : 'open',
    })),
    ...timeline.log.map((move) => ({
      at: move.at,
      what: t('story.state', { state: t(`state.${move.to_state}`) }),
      evidence: onceOnly(move.evidence ?? ''),
      tone: toneOf(move.to_state),
    })),
    ...holdsOf(t, timeline),
    // Where it came from, and what we made of it, is for operators.
    ...timeline.notifications.map((one) => ({
      at: one.received_at,
      what: t('story.notification'),
      evidence: '',
      tone: 'open',
    })),
    ...timeline.cases.map((one) => ({ at: one.opened_at, what: t('story.case'), evidence: '', tone: 'bad' })),
    ...timeline.cases.flatMap(({ closed_at: at }) =>
      at ? [{ at, what: t('story.case_closed'), evidence: '', tone: 'good' }] : [],
    ),
  ];
  // Equal times keep the order above: an attempt is written before the move it makes.
  return events.sort((a, b) => a.at.getTime() - b.at.getTime());
}

/** A stop of the operators has no row of its own: while it lasts, the page says so above. */
function holdsOf(t: MerchantVisit['t'], { payoutHold: hold }: Timeline): StoryEvent[] {
  if (!hold) return [];
  const reason = t(`hold.${reasonOfHold[hold.reason]}`);
  const released = hold.released_at;
  return [
    { at: hold.held_at, what: t('story.on_hold', { reason }), evidence: '', tone: 'open' },
    ...(released ? [{ at: released, what: t('story.released'), evidence: '', tone: 'good' }] : []),
  ];
}

/** Some providers' codes are their words. */
function onceOnly(evidence: string): string {
  const [code, ...words] = evidence.split(' ');
  return words.join(' ') === code ? code : evidence;
}
