/** What people and operators did, newest first. */
import { draw, template } from '../render';
import type { Answer, PlatformVisit } from '../visit';

const auditTemplate = template(`
<h1><%= it.t('ops.audit') %></h1>
<p><%= it.t('ops.audit.text') %></p>
<form method="get" action="/ops/audit" class="filters card" role="search" aria-label="<%= it.t('ops.audit') %>">
<div class="field"><label for="by"><%= it.t('ops.by') %></label><input id="by" name="by" maxlength="100" value="<%= it.by %>" autocomplete="off"></div>
<div class="field"><label for="action"><%= it.t('ops.audit.action') %></label><input id="action" name="action" maxlength="64" value="<%= it.action %>" autocomplete="off"></div>
<div class="field buttons"><button type="submit"><%= it.t('payments.show') %></button></div></form>
<% if (it.lines.length > 0) { %>
<ol class="story"><% for (const line of it.lines) { %><li><span class="when"><%~ it.time(line.at, true) %></span> <span class="what"><%= line.who %>: <%= line.action %></span>
<span class="evidence"><%= line.seq %> · <%= line.subject_kind %> <%= line.subject_id %></span><% if (line.details !== '{}') { %><details><summary><%= it.t('payment.facts') %></summary><pre tabindex="0"><code><%= line.details %></code></pre></details><% } %></li><% } %></ol>
<% } else { %><div class="empty"><p><%= it.t('ops.audit.none') %></p></div><% } %>
<% if (it.older) { %><nav class="pager" aria-label="<%= it.t('payments.pager') %>"><a href="<%= it.older %>" rel="next"><%= it.t('ops.audit.older') %></a></nav><% } %>
`);

const pageLength = 50;
const printable = /^[\x21-\x7e]{1,100}$/;

export async function auditLog(visit: PlatformVisit): Promise<Answer> {
  const { db, query, t } = visit;
  const [by, action, before] = ['by', 'action', 'before'].map((name) => query.get(name) ?? '');
  const lines = db('audit_log').orderBy('seq', 'desc').limit(pageLength);
  // The columns are ASCII, and the database refuses to compare them with more.
  if (by) void lines.where({ acted_by: printable.test(by) ? by : '' });
  if (action) void lines.where({ action: printable.test(action) ? action : '' });
  if (before && /^\d{1,15}$/.test(before)) void lines.where('seq', '<', before);
  const found = await lines;
  const people = found.flatMap(({ acted_by: who }) => (who.startsWith('user:') ? who.slice(5) : []));
  const users = await db('users').whereIn('user_id', people).select('user_id', 'email');
  const names = new Map(users.map(({ user_id: id, email }) => [`user:${id}`, email]));
  const last = found.length === pageLength ? found.at(-1)?.seq : undefined;
  const wishes = Object.entries({ by: by ?? '', action: action ?? '', before: last ?? '' });
  const body = draw(visit, auditTemplate, {
    by,
    action,
    lines: found.map((line) => ({ ...line, who: names.get(line.acted_by) ?? line.acted_by })),
    older: last
      ? `/ops/audit?${new URLSearchParams(wishes.filter(([, value]) => value !== '')).toString()}`
      : '',
  });
  return { kind: 'page', title: t('ops.audit'), body };
}
