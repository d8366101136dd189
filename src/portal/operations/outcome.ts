/** What became of something an operator asked for: done, refused, or for a second one to approve. */
import type { Operated } from '../operating';
import { draw, template } from '../render';
import type { Answer, PlatformVisit } from '../visit';
import { problem } from '../pages/parts';

const outcomeTemplate = template(`
<p><a href="<%= it.back %>"><%= it.t('ops.back') %></a></p>
<%~ it.problem %>
<% if (it.kind === 'waits') { %>
<h1><%= it.t('ops.waits.title') %></h1>
<p><%= it.t('ops.waits.text') %></p>
<p><a class="button" href="/ops/approvals"><%= it.t('ops.approvals') %></a></p>
<% } else if (it.kind === 'done') { %>
<h1><%= it.t(it.isWell ? 'ops.done.title' : 'ops.done.not_well') %></h1>
<% } else { %><h1><%= it.t('ops.refused.title') %></h1><% } %>
<% if (it.isEnglish) { %><p class="hint"><%= it.t('ops.english') %></p><% } %>
<% if (it.kind !== 'refused') { %><pre tabindex="0" lang="en"><code><%= it.text %></code></pre><% } %>
`);

const statuses = { done: 200, waits: 202, refused: 409 } as const satisfies Record<Operated['kind'], number>;
const titles = {
  done: 'ops.done.title',
  waits: 'ops.waits.title',
  refused: 'ops.refused.title',
} as const;

/** @param argv what somebody has typed stands in it behind the `=` of an option, so that it is no option itself. */
export async function carryOut(
  visit: PlatformVisit,
  argv: string[],
  back: string,
  sent?: { name: string; content: Buffer },
): Promise<Answer> {
  return outcomeOf(visit, await visit.operate(visit.operator.name, argv, sent), back);
}

export function outcomeOf(
  visit: PlatformVisit,
  { kind, text, isWell = true }: Operated,
  back: string,
): Answer {
  const told = problem(visit, kind === 'refused' ? text : '');
  const isEnglish = visit.language !== 'en';
  const body = draw(visit, outcomeTemplate, { kind, text, isWell, back, isEnglish, problem: told });
  const title = kind === 'done' && !isWell ? 'ops.done.not_well' : titles[kind];
  return { kind: 'page', status: statuses[kind], title: visit.t(title), body };
}

export function refusedBefore(visit: PlatformVisit, text: string, back: string): Answer {
  const body = draw(visit, outcomeTemplate, {
    kind: 'refused',
    text: '',
    isEnglish: false,
    back,
    problem: problem(visit, text),
  });
  return { kind: 'page', status: 422, title: visit.t('ops.refused.title'), body };
}

const proveTemplate = template(`
<% if (it.mayAct && !it.session.isFresh) { %>
<div class="note"><p><%= it.t('dev.prove') %></p><p><a class="button" href="/confirm?next=<%= it.next %>"><%= it.t('dev.prove.go') %></a></p></div>
<% } %>`);

/** Asks for the second factor before a form is filled in that would be lost. */
export function proveFirst(visit: PlatformVisit, mayAct: boolean): string {
  return draw(visit, proveTemplate, { mayAct, next: encodeURIComponent(visit.path) });
}
