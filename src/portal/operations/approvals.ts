/** What needs a second operator: in a sentence, approved or rejected by another than who asked. */
import type { ActionTexts } from '../../operator-actions/wording';
import { listApprovals } from '../../users/approvals';
import { may } from '../../users/operators';
import { notFound } from '../pages/refusals';
import { numberAfter, pager } from '../pages/parts';
import { draw, template } from '../render';
import type { Answer, PlatformVisit } from '../visit';
import { fieldWord } from './changes';
import { act, isPreview, previewButton, proveFirst, refusedBefore, showOutcome } from './outcome';

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
<% if (one.isOwn && one.state === 'pending') { %><p class="hint"><%= it.t('ops.approval.own') %></p><% } %>
<% if (it.canDecide && !one.isOwn && one.state === 'pending') { %>
<div class="actions"><% if (one.isKnown) { %><form method="post" action="/ops/approvals/<%= one.approval_id %>/approve" class="actions"><%~ it.token %><%~ it.once %><button type="submit" aria-label="<%= it.t('ops.approval.approve') %> <%= one.approval_id %>"><%= it.t('ops.approval.approve') %></button>${previewButton(`it.t('ops.approval.approve') + ' ' + one.approval_id`)}</form><% } %>
<form method="post" action="/ops/approvals/<%= one.approval_id %>/reject" class="line"><%~ it.token %><%~ it.once %><input name="reason" required maxlength="300" aria-label="<%= it.t('ops.approval.why') %> <%= one.approval_id %>" placeholder="<%= it.t('ops.approval.why') %>"><button class="quiet danger" type="submit" aria-label="<%= it.t('ops.approval.reject') %> <%= one.approval_id %>"><%= it.t('ops.approval.reject') %></button>${previewButton(`it.t('ops.approval.reject') + ' ' + one.approval_id`)}</form></div>
<% } %></li><% } %></ul>
<%~ it.pager %>
<% } else { %><div class="empty"><h2><%= it.t('ops.approvals.none.title') %></h2><p><%= it.t('ops.approvals.none.text') %></p></div><% } %>
`);

const here = '/ops/approvals';
const listedMax = 50;
const tones = { pending: 'open', approved: 'good', rejected: 'bad', expired: 'bad' } as const;

export async function approvals(visit: PlatformVisit): Promise<Answer> {
  const { db, operator, session, language, t } = visit;
  const from = numberAfter(visit);
  const found = await listApprovals(db, { all: true, limit: listedMax + 1, before: from });
  const rows = found.slice(0, listedMax);
  const next = found.length > listedMax ? (rows.at(-1)?.approval_id ?? '') : '';
  const mayDecide = may(operator, 'approve');
  const texts = rows.map((row) => textsOf(row.texts)?.[language]);
  const body = draw(visit, approvalsTemplate, {
    approvals: rows.map((row, i) => {
      const { approval_id, asked_by, asked_at, expires_at, decided_by, reason } = row;
      const text = texts[i];
      const state = row.state === 'pending' && Number(row.is_expired) === 1 ? 'expired' : row.state;
      return {
        ...{ approval_id, asked_by, asked_at, expires_at, state, decided_by, reason, tone: tones[state] },
        sentence: text?.sentence ?? t('ops.approval.other_version'),
        facts: (text?.facts ?? []).map(([name, value]) => [fieldWord(visit, name), value]),
        isKnown: text !== undefined,
        isOwn: asked_by === operator.name,
      };
    }),
    pager: pager(visit, { path: here, from, next }),
    prove: proveFirst(visit, mayDecide),
    canDecide: mayDecide && session.isFresh,
  });
  return { kind: 'page', title: t('ops.approvals'), body };
}

/** As they were when it was asked for; undefined for what another version was asked for. */
const textsOf = (stored: string | null) =>
  stored === null ? undefined : (JSON.parse(stored) as ActionTexts);

const idOf = ({ params }: PlatformVisit) =>
  /^\d{1,15}$/.test(params['id'] ?? '') ? params['id'] : undefined;

export async function approve(visit: PlatformVisit): Promise<Answer> {
  const { db, operations, operator, t } = visit;
  const id = idOf(visit);
  if (id === undefined) return notFound(visit);
  const asked = await db('approvals').where({ approval_id: id, state: 'pending' }).first('texts');
  if (asked?.texts === null) return refusedBefore(visit, t('ops.approval.other_version'), here, 409);
  const outcome = await operations.approve(operator.name, id, { dryRun: isPreview(visit) });
  return showOutcome(visit, outcome, here);
}

export async function reject(visit: PlatformVisit): Promise<Answer> {
  const id = idOf(visit);
  if (id === undefined) return notFound(visit);
  const reason = visit.form('reason').trim();
  if (reason === '') return refusedBefore(visit, visit.t('ops.stops.reason.needed'), here);
  return act(visit, { kind: 'reject', input: { approval_id: id, reason } }, here);
}
