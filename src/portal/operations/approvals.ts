/** What needs a second operator: in a sentence, approved or rejected by another than who asked. */
import { legibleCommand } from '../../operators/approvals';
import { may } from '../../operators/operators';
import type { Language } from '../language';
import { notFound } from '../pages/refusals';
import { numberAfter, pager } from '../pages/parts';
import { draw, template } from '../render';
import type { Answer, PlatformVisit } from '../visit';
import { carryOut, proveFirst, refusedBefore } from './outcome';

const approvalsTemplate = template(`
<h1><%= it.t('ops.approvals') %></h1>
<p><%= it.t('ops.approvals.text') %></p>
<%~ it.prove %>
<% if (it.approvals.length > 0) { %>
<ul class="rows card"><% for (const one of it.approvals) { %><li>
<p class="ask"><strong><%= one.sentence %></strong></p>
<dl>
<% for (const [name, value] of one.facts) { %><div><dt><%= name %></dt><dd><%= value %></dd></div><% } %>
<div><dt><%= it.t('ops.approval') %></dt><dd><%= one.approval_id %></dd></div>
<div><dt><%= it.t('ops.by') %></dt><dd><%= one.asked_by %> · <%~ it.time(one.asked_at) %></dd></div>
<div><dt><%= it.t('payments.state') %></dt><dd><span class="state <%= one.tone %>"><%= it.t('ops.approval.' + one.state) %></span><% if (one.decided_by) { %> <%= one.decided_by %><% } %><% if (one.reason) { %> · <%= one.reason %><% } %></dd></div>
<% if (one.state === 'pending') { %><div><dt><%= it.t('ops.approval.until') %></dt><dd><%~ it.time(one.expires_at) %></dd></div><% } %></dl>
<details><summary><%= it.t('ops.approval.command') %></summary><pre tabindex="0" lang="en" class="wrapped" aria-label="<%= it.t('ops.approval') %> <%= one.approval_id %>"><code><%= one.command %></code></pre></details>
<% if (one.isOwn && one.state === 'pending') { %><p class="hint"><%= it.t('ops.approval.own') %></p><% } %>
<% if (it.canDecide && !one.isOwn && one.state === 'pending') { %>
<div class="actions"><form method="post" action="/ops/approvals/<%= one.approval_id %>/approve"><%~ it.token %><button type="submit" aria-label="<%= it.t('ops.approval.approve') %> <%= one.approval_id %>"><%= it.t('ops.approval.approve') %></button></form>
<form method="post" action="/ops/approvals/<%= one.approval_id %>/reject" class="line"><%~ it.token %><input name="reason" required maxlength="300" aria-label="<%= it.t('ops.approval.why') %> <%= one.approval_id %>" placeholder="<%= it.t('ops.approval.why') %>"><button class="quiet danger" type="submit" aria-label="<%= it.t('ops.approval.reject') %> <%= one.approval_id %>"><%= it.t('ops.approval.reject') %></button></form></div>
<% } %></li><% } %></ul>
<%~ it.pager %>
<% } else { %><div class="empty"><h2><%= it.t('ops.approvals.none.title') %></h2><p><%= it.t('ops.approvals.none.text') %></p></div><% } %>
`);

const listedMax = 50;
const tones = { pending: 'open', approved: 'good', rejected: 'bad', expired: 'bad' } as const;

export async function approvals(visit: PlatformVisit): Promise<Answer> {
  const { operator, session, language, t } = visit;
  const from = numberAfter(visit);
  const found = await readApprovals(visit, from);
  const rows = found.slice(0, listedMax);
  const next = found.length > listedMax ? (rows.at(-1)?.approval_id ?? '') : '';
  const mayDecide = may(operator, 'approve');
  const body = draw(visit, approvalsTemplate, {
    approvals: rows.map(({ texts, command, ...one }) => ({
      ...one,
      ...texts[language],
      tone: tones[one.state],
      command: legibleCommand(command),
      isOwn: one.asked_by === operator.name,
    })),
    pager: pager(visit, { path: '/ops/approvals', from, next }),
    prove: proveFirst(visit, mayDecide),
    canDecide: mayDecide && session.isFresh,
  });
  return { kind: 'page', title: t('ops.approvals'), body };
}

/** What the command line lists, with its sentences. */
interface Listed {
  approval_id: string;
  asked_by: string;
  asked_at: Date;
  expires_at: Date;
  state: keyof typeof tones;
  decided_by: string | null;
  reason: string | null;
  command: string[];
  texts: Record<Language, { sentence: string; facts: [name: string, value: string][] }>;
}

async function readApprovals({ operate, operator }: PlatformVisit, from: string): Promise<Listed[]> {
  const paging = [`--limit=${String(listedMax + 1)}`, ...(from === '' ? [] : [`--before=${from}`])];
  const { kind, text, json } = await operate(operator.name, ['approvals', '--all', ...paging]);
  if (kind !== 'done') throw new Error(`approvals could not be listed: ${text}`);
  return (json as { approvals: Listed[] }).approvals;
}

const idOf = ({ params }: PlatformVisit) =>
  /^\d{1,15}$/.test(params['id'] ?? '') ? params['id'] : undefined;

export async function approve(visit: PlatformVisit): Promise<Answer> {
  const id = idOf(visit);
  return id === undefined ? notFound(visit) : carryOut(visit, ['approve', id], '/ops/approvals');
}

export async function reject(visit: PlatformVisit): Promise<Answer> {
  const id = idOf(visit);
  if (id === undefined) return notFound(visit);
  const reason = visit.form('reason').trim();
  if (reason === '') return refusedBefore(visit, visit.t('ops.stops.reason.needed'), '/ops/approvals');
  return carryOut(visit, ['reject', id, `--reason=${reason}`], '/ops/approvals');
}
