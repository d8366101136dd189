/** The approvals page, where another operator than the requester decides, and the audit log. */
import type { ActionTexts } from '../../operator-actions/wording';
import type { Database } from '../../store/database';
import { listApprovals } from '../../users/approvals';
import { hasRight } from '../../users/operators';
import { findUser } from '../../users/users';
import { numberAfter, pager } from '../pages/parts';
import { notFound } from '../pages/error-pages';
import { draw, template } from '../render';
import type { PageResponse, PlatformVisit } from '../visit';
import {
  fieldWord,
  act,
  isPreview,
  previewButton,
  authenticateFirst,
  refusedBefore,
  showOutcome,
} from './outcome';

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

export async function approvals(visit: PlatformVisit): Promise<PageResponse> {
  const { db, operator, session, language, t } = visit;
  const from = numberAfter(visit);
  const found = await listApprovals(db, { all: true, limit: listedMax + 1, before: from });
  const rows = found.slice(0, listedMax);
  const next = found.length > listedMax ? (rows.at(-1)?.approval_id ?? '') : '';
  const mayDecide = hasRight(operator, 'approve');
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
    prove: authenticateFirst(visit, mayDecide),
    canDecide: mayDecide && session.isFresh,
  });
  return { kind: 'page', title: t('ops.approvals'), body };
}

/** The texts as stored with the request; undefined for a request of another version. */
const textsOf = (stored: string | null) =>
  stored === null ? undefined : (JSON.parse(stored) as ActionTexts);

const idOf = ({ params }: PlatformVisit) =>
  /^\d{1,15}$/.test(params['id'] ?? '') ? params['id'] : undefined;

export async function approve(visit: PlatformVisit): Promise<PageResponse> {
  const { db, operations, operator, t } = visit;
  const id = idOf(visit);
  if (id === undefined) return notFound(visit);
  const asked = await db('approvals').where({ approval_id: id, state: 'pending' }).first('texts');
  if (asked?.texts === null) return refusedBefore(visit, t('ops.approval.other_version'), here, 409);
  const outcome = await operations.approve(operator.name, id, { dryRun: isPreview(visit) });
  return showOutcome(visit, outcome, here);
}

export async function reject(visit: PlatformVisit): Promise<PageResponse> {
  const id = idOf(visit);
  if (id === undefined) return notFound(visit);
  const reason = visit.form('reason').trim();
  if (reason === '') return refusedBefore(visit, visit.t('ops.stops.reason.needed'), here);
  return act(visit, { kind: 'reject', input: { approval_id: id, reason } }, here);
}

// The audit log, newest line first.

const auditTemplate = template(`
<h1><%= it.t('ops.audit') %></h1>
<p><%= it.t('ops.audit.text') %></p>
<form method="get" action="/ops/audit" class="filters card" role="search" aria-label="<%= it.t('ops.audit') %>">
<div class="field"><label for="by"><%= it.t('ops.by') %></label><input id="by" name="by" maxlength="254" value="<%= it.by %>" autocomplete="off"></div>
<div class="field"><label for="action"><%= it.t('ops.audit.action') %></label><input id="action" name="action" maxlength="64" value="<%= it.action %>" autocomplete="off"></div>
<div class="field buttons"><button type="submit"><%= it.t('payments.show') %></button></div></form>
<% if (it.lines.length > 0) { %>
<ol class="story"><% for (const line of it.lines) { %><li><span class="when"><%~ it.time(line.at, true) %></span> <span class="what"><%= line.who %>: <%= line.action %></span>
<span class="evidence"><%= line.seq %> · <%= line.subject_kind %> <%= line.subject_id %></span><% if (line.details !== '{}') { %><details><summary><%= it.t('payment.facts') %></summary><pre tabindex="0"><code><%= line.details %></code></pre></details><% } %></li><% } %></ol>
<% } else { %><div class="empty"><p><%= it.t('ops.audit.none') %></p></div><% } %>
<% if (it.scannedTo) { %><p class="note"><%= it.t('list.looked_to') %> <%~ it.time(it.scannedTo) %></p><% } %>
<% if (it.older) { %><nav class="pager" aria-label="<%= it.t('payments.pager') %>"><a href="<%= it.older %>" rel="next"><%= it.t(it.scannedTo ? 'list.look_further' : 'ops.audit.older') %></a></nav><% } %>
`);

const pageLength = 50;
/** The maximum number of an actor's lines that a page reads to find one action. */
const scannedMax = 2_000;
const printable = /^[\x21-\x7e]{1,100}$/;

interface Wanted {
  by: string;
  action: string;
  before: string;
}

/** The log stores actors by id. Users can also be found by e-mail address. */
async function actorNamed(db: Database, by: string): Promise<string> {
  const person = by.includes('@') ? await findUser(db, by) : undefined;
  const actor = person ? `user:${person.user_id}` : by;
  return printable.test(actor) ? actor : '';
}

/** @returns the lines, and the last line read, where the next page begins. */
async function readLines(db: Database, { by, action, before }: Wanted) {
  const isBoth = by !== '' && action !== '';
  const size = isBoth ? scannedMax : pageLength;
  const lines = db('audit_log').orderBy('seq', 'desc').limit(size);
  // The columns are ASCII. The database refuses to compare them with other text.
  if (by) void lines.where({ acted_by: await actorNamed(db, by) });
  else if (action) void lines.where({ action: printable.test(action) ? action : '' });
  if (/^\d{1,15}$/.test(before)) void lines.where('seq', '<', before);
  const checked = await lines;
  const chosen = checked.filter((line) => !isBoth || line.action === action).slice(0, pageLength);
  const isFull = chosen.length === pageLength;
  const isMore = checked.length === size || (isFull && chosen.at(-1) !== checked.at(-1));
  return {
    chosen,
    isShort: isMore && !isFull,
    last: isMore ? (isFull ? chosen : checked).at(-1) : undefined,
  };
}

export async function auditLog(visit: PlatformVisit): Promise<PageResponse> {
  const { db, query, t } = visit;
  const asked = (name: string) => (query.get(name) ?? '').slice(0, 254);
  const [by, action, before] = [asked('by'), asked('action'), asked('before')];
  const { chosen, isShort, last } = await readLines(db, { by, action, before });
  const persons = chosen.flatMap(({ acted_by: who }) => (who.startsWith('user:') ? who.slice(5) : []));
  const users = await db('users').whereIn('user_id', persons).select('user_id', 'email');
  const names = new Map(users.map(({ user_id: id, email }) => [`user:${id}`, email]));
  const wishes = Object.entries({ by, action, before: last?.seq ?? '' });
  const body = draw(visit, auditTemplate, {
    by,
    action,
    scannedTo: isShort ? last?.at : null,
    lines: chosen.map((line) => ({ ...line, who: names.get(line.acted_by) ?? line.acted_by })),
    older: last
      ? `/ops/audit?${new URLSearchParams(wishes.filter(([, value]) => value !== '')).toString()}`
      : '',
  });
  return { kind: 'page', title: t('ops.audit'), body };
}
