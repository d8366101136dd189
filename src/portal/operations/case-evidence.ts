/** What both sides have said about the payment of a case: what we did, and what its provider told. */
import { readTimeline } from '../../payments/read/timeline';
import { draw, template } from '../render';
import type { PlatformVisit } from '../visit';

const evidenceTemplate = template(`
<div class="sides">
<section class="card" aria-labelledby="ours"><h2 id="ours"><%= it.t('case.ours') %></h2>
<ol class="story"><% for (const one of it.ours) { %><li class="<%= one.tone %>"><span class="when"><%~ it.time(one.at, true) %></span> <span class="what"><%= one.what %></span><% if (one.evidence) { %><span class="evidence" lang="en"><%= one.evidence %></span><% } %></li><% } %></ol></section>
<section class="card" aria-labelledby="theirs"><h2 id="theirs"><%= it.t('case.theirs') %></h2>
<% if (it.theirs.length === 0) { %><p><%= it.t('case.theirs.none') %></p><% } else { %>
<ol class="story"><% for (const one of it.theirs) { %><li class="<%= one.tone %>"><span class="when"><%~ it.time(one.at, true) %></span> <span class="what"><%= one.what %></span><% if (one.evidence) { %><span class="evidence" lang="en"><%= one.evidence %></span><% } %>
<% if (one.body) { %><details><summary><%= it.t('case.body') %></summary><pre tabindex="0" lang="en"><code><%= one.body %></code></pre></details><% } %></li><% } %></ol>
<p class="hint"><%= it.t('case.redacted') %></p><% } %></section>
</div>
`);

/** Of a payment that is told of without end, the first ones say what there is to know. */
const bodiesMax = 20;

/** Moves that were made by what the provider has told, and by what it answered when it was asked. */
const theirWords = { callback: 'case.told', query: 'case.answer' } as const;

interface Said {
  at: Date;
  what: string;
  evidence: string;
  tone: string;
  body?: string;
}

export async function caseEvidence(visit: PlatformVisit, paymentId: string): Promise<string> {
  const { db, redact, t } = visit;
  const [timeline, bodies] = await Promise.all([
    readTimeline(db, paymentId),
    db('inbox')
      .where({ payment_id: paymentId })
      .orderBy('inbox_id')
      .limit(bodiesMax)
      .select('inbox_id', 'body', 'body_pruned_at'),
  ]);
  const bodyOf = new Map(
    bodies.map(({ inbox_id: id, body, body_pruned_at: pruned }) => [id, pruned === null ? redact(body) : '']),
  );
  const ours: Said[] = [
    ...timeline.attempts.map(({ sent_at: at, state, operation, code, detail, answered_at: answered }) => ({
      at,
      what: t(`story.attempt.${state}`),
      evidence: told(operation, code, detail, answered && `${String(answered.getTime() - at.getTime())} ms`),
      tone: state === 'accepted' ? 'good' : state === 'refused' ? 'bad' : 'open',
    })),
    ...timeline.log
      .filter(({ cause }) => !Object.hasOwn(theirWords, cause))
      .map(({ at, to_state: state, cause, evidence }) => ({
        at,
        what: t('story.state', { state: t(`state.${state}`) }),
        evidence: told(cause, evidence),
        tone: 'open',
      })),
  ];
  const theirs: Said[] = [
    ...timeline.notifications.map(
      ({ inbox_id: id, received_at: at, state, reason, source_address: from }) => ({
        at,
        what: t(`case.notice.${state}`),
        evidence: told(reason, from),
        tone: state === 'applied' ? 'good' : 'open',
        body: bodyOf.get(id) ?? '',
      }),
    ),
    ...timeline.log
      .filter(({ cause }) => Object.hasOwn(theirWords, cause))
      .map(({ at, to_state: state, cause, evidence }) => ({
        at,
        what: t(theirWords[cause as keyof typeof theirWords], { state: t(`state.${state}`) }),
        evidence: told(evidence),
        tone: 'open',
      })),
  ];
  return draw(visit, evidenceTemplate, { ours: inOrder(ours), theirs: inOrder(theirs) });
}

const told = (...parts: (string | null)[]) => parts.filter(Boolean).join(' · ');
const inOrder = (said: Said[]) => said.sort((a, b) => a.at.getTime() - b.at.getTime());
