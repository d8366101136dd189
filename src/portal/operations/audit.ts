/** What people and operators did, newest first. */
import { findUser } from '../../users/users';
import type { Database } from '../../store/database';
import { draw, template } from '../render';
import type { Answer, PlatformVisit } from '../visit';

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
<% if (it.lookedTo) { %><p class="note"><%= it.t('list.looked_to') %> <%~ it.time(it.lookedTo) %></p><% } %>
<% if (it.older) { %><nav class="pager" aria-label="<%= it.t('payments.pager') %>"><a href="<%= it.older %>" rel="next"><%= it.t(it.lookedTo ? 'list.look_further' : 'ops.audit.older') %></a></nav><% } %>
`);

const pageLength = 50;
/** Lines of one actor that a page looks at for one action. */
const lookedAtMax = 2_000;
const printable = /^[\x21-\x7e]{1,100}$/;

interface Wanted {
  by: string;
  action: string;
  before: string;
}

/** Who acts is written down by id; people are looked for by their address, too. */
async function actorNamed(db: Database, by: string): Promise<string> {
  const person = by.includes('@') ? await findUser(db, by) : undefined;
  const actor = person ? `user:${person.user_id}` : by;
  return printable.test(actor) ? actor : '';
}

/** @returns the lines, and where to go on: after the last one, or where it was looked to. */
async function readLines(db: Database, { by, action, before }: Wanted) {
  const isBoth = by !== '' && action !== '';
  const size = isBoth ? lookedAtMax : pageLength;
  const lines = db('audit_log').orderBy('seq', 'desc').limit(size);
  // The columns are ASCII, and the database refuses to compare them with more.
  if (by) void lines.where({ acted_by: await actorNamed(db, by) });
  else if (action) void lines.where({ action: printable.test(action) ? action : '' });
  if (/^\d{1,15}$/.test(before)) void lines.where('seq', '<', before);
  const looked = await lines;
  const chosen = looked.filter((line) => !isBoth || line.action === action).slice(0, pageLength);
  const isFull = chosen.length === pageLength;
  const isMore = looked.length === size || (isFull && chosen.at(-1) !== looked.at(-1));
  return { chosen, isShort: isMore && !isFull, last: isMore ? (isFull ? chosen : looked).at(-1) : undefined };
}

export async function auditLog(visit: PlatformVisit): Promise<Answer> {
  const { db, query, t } = visit;
  const asked = (name: string) => (query.get(name) ?? '').slice(0, 254);
  const [by, action, before] = [asked('by'), asked('action'), asked('before')];
  const { chosen, isShort, last } = await readLines(db, { by, action, before });
  const people = chosen.flatMap(({ acted_by: who }) => (who.startsWith('user:') ? who.slice(5) : []));
  const users = await db('users').whereIn('user_id', people).select('user_id', 'email');
  const names = new Map(users.map(({ user_id: id, email }) => [`user:${id}`, email]));
  const wishes = Object.entries({ by, action, before: last?.seq ?? '' });
  const body = draw(visit, auditTemplate, {
    by,
    action,
    lookedTo: isShort ? last?.at : null,
    lines: chosen.map((line) => ({ ...line, who: names.get(line.acted_by) ?? line.acted_by })),
    older: last
      ? `/ops/audit?${new URLSearchParams(wishes.filter(([, value]) => value !== '')).toString()}`
      : '',
  });
  return { kind: 'page', title: t('ops.audit'), body };
}
