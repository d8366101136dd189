/** The platform's pages of merchants and users. */
import { validate as isUuid } from 'uuid';
import { someMerchants } from '../../merchants/merchants';
import { workplacesOf } from '../../users/members';
import { listSessions } from '../../users/sessions';
import { findUser } from '../../users/users';
import { pager, problem } from '../pages/parts';
import { notFound } from '../pages/error-pages';
import { draw, template } from '../render';
import type { PageResponse, PlatformVisit } from '../visit';
import { act, previewButton, authenticateFirst, refusedBefore } from './outcome';

const merchantsTemplate = template(`
<h1><%= it.t('app.merchants') %></h1>
<%~ it.prove %>
<ul class="rows card">
<% for (const one of it.merchants) { %><li>
<dl><div><dt><%= it.t('ops.merchant') %></dt><dd><a href="/m/<%= one.merchant_id %>"><%= one.name %></a></dd></div>
<div><dt><%= it.t('payments.state') %></dt><dd><span class="state <%= one.status === 'active' ? 'good' : 'bad' %>"><%= it.t('home.status.' + one.status) %></span></dd></div>
<div><dt><%= it.t('dev.key.created') %></dt><dd><%~ it.time(one.created_at) %></dd></div></dl>
<p><a href="/ops/merchants/<%= one.merchant_id %>" aria-label="<%= it.t('terms.look') %>: <%= one.name %>"><%= it.t('terms.look') %></a></p>
<% if (it.canAct) { %><form method="post" action="/ops/merchants/<%= one.merchant_id %>/status" class="actions"><%~ it.token %><%~ it.once %>
<% const to = one.status === 'active' ? 'suspended' : 'active'; %>
<input type="hidden" name="status" value="<%= to %>"><button class="quiet<% if (to === 'suspended') { %> danger<% } %>" type="submit" aria-label="<%= it.t('ops.merchant.' + to) %>: <%= one.name %>"><%= it.t('ops.merchant.' + to) %></button>${previewButton(`it.t('ops.merchant.' + to) + ': ' + one.name`)}</form><% } %></li><% } %>
</ul>
<%~ it.pager %>
<% if (it.merchants.length === 0) { %><div class="empty"><p><%= it.t('ops.merchants.none') %></p></div><% } %>
<% if (it.canAct) { %><section class="card" aria-labelledby="add"><h2 id="add"><%= it.t('ops.merchant.add') %></h2>
<p><%= it.t('ops.merchant.add.text') %></p>
<form method="post" action="/ops/merchants"><%~ it.token %><%~ it.once %>
<label for="name"><%= it.t('dev.key.name') %></label><input id="name" name="name" required maxlength="200" autocomplete="off">
<div class="actions"><button type="submit"><%= it.t('ops.merchant.add') %></button>${previewButton()}</div></form></section><% } %>
`);

const pageLength = 50;

export async function merchants(visit: PlatformVisit): Promise<PageResponse> {
  const { db, operator, session, query, t } = visit;
  const asked = query.get('after') ?? '';
  const from = isUuid(asked) ? asked : '';
  const found = await someMerchants(db, { after: from, limit: pageLength + 1 });
  const listed = found.slice(0, pageLength);
  const next = found.length > pageLength ? (listed.at(-1)?.merchant_id ?? '') : '';
  const mayAct = operator.role === 'operator';
  const body = draw(visit, merchantsTemplate, {
    merchants: listed,
    pager: pager(visit, { path: '/ops/merchants', from, next }),
    prove: authenticateFirst(visit, mayAct),
    canAct: mayAct && session.isFresh,
  });
  return { kind: 'page', title: t('app.merchants'), body };
}

export function addMerchant(visit: PlatformVisit): Promise<PageResponse> {
  const input = { name: visit.form('name').trim() };
  return act(visit, { kind: 'merchant.create', input }, '/ops/merchants');
}

export async function setStatus(visit: PlatformVisit): Promise<PageResponse> {
  const { params, form } = visit;
  const id = params['id'] ?? '';
  const status = form('status') === 'active' ? 'active' : 'suspended';
  if (!isUuid(id)) return notFound(visit);
  return act(visit, { kind: 'merchant.set', input: { merchant_id: id, status } }, '/ops/merchants');
}

// The merchant field of a form: a list, or the id if there are too many merchants.

const choiceTemplate = template(`<label for="merchant"><%= it.t('ops.merchant') %></label>
<% if (it.merchants.length > it.most) { %><p class="hint" id="merchant-hint"><%= it.t('ops.merchant.by_id') %></p><input id="merchant" name="merchant" maxlength="36" autocomplete="off" spellcheck="false" aria-describedby="merchant-hint">
<% } else { %><select id="merchant" name="merchant"><option value=""><%= it.none %></option><% for (const one of it.merchants) { %><option value="<%= one.merchant_id %>"><%= one.name %></option><% } %></select><% } %>`);

const listedMax = 100;

/** @param none the text of the empty choice. */
export async function merchantChoice(visit: PlatformVisit, none = ''): Promise<string> {
  const merchants = await someMerchants(visit.db, { limit: listedMax + 1 });
  return draw(visit, choiceTemplate, { merchants, most: listedMax, none });
}

// A user's roles and sessions, and the end of all sessions, for example after the loss of a phone.

const path = '/ops/users';

const usersTemplate = template(`
<%~ it.problem %>
<h1><%= it.t('ops.people') %></h1>
<p><%= it.t('ops.people.text') %></p>
<form method="get" action="/ops/users" class="card" role="search" aria-label="<%= it.t('ops.people') %>">
<label for="email"><%= it.t('team.email') %></label><input id="email" name="email" type="email" maxlength="254" autocomplete="off" required value="<%= it.email %>">
<button type="submit"><%= it.t('payments.show') %></button></form>
<% if (it.found) { %>
<%~ it.prove %>
<ul class="rows card"><li><dl>
<div><dt><%= it.t('team.email') %></dt><dd><%= it.found.email %></dd></div>
<% if (it.found.operator) { %><div><dt><%= it.t('role.operator') %></dt><dd><%= it.found.operator %></dd></div><% } %>
<% for (const one of it.found.works) { %><div><dt><%= it.t('ops.people.works') %></dt><dd><%= one.name %> (<%= it.t('role.' + one.role) %>)</dd></div><% } %>
<div><dt><%= it.t('ops.people.sessions') %></dt><dd><%= it.count(it.found.sessions.length) %></dd></div>
<% for (const one of it.found.sessions) { %><div><dt><%= it.t('security.sessions.seen') %></dt><dd><%~ it.time(one.seen_at) %>, <%= one.address %> <span class="hint"><%= one.agent %></span></dd></div><% } %>
</dl>
<% if (it.canAct) { %><form method="post" action="/ops/users/sign-out" class="actions"><%~ it.token %><%~ it.once %><input type="hidden" name="email" value="<%= it.found.email %>">
<button class="quiet danger" type="submit"><%= it.t('ops.people.sign_out') %></button>${previewButton()}</form><% } %></li></ul>
<% } %>
`);

export async function showUsers(visit: PlatformVisit): Promise<PageResponse> {
  const { db, query, operator, session, t } = visit;
  const email = (query.get('email') ?? '').slice(0, 254);
  const user = email === '' ? undefined : await findUser(db, email);
  const mayAct = operator.role === 'operator';
  const body = draw(visit, usersTemplate, {
    problem: problem(visit, email !== '' && !user ? t('ops.people.none') : '', 'email'),
    email,
    found: user && {
      email: user.email,
      operator: user.operator_name,
      works: await workplacesOf(db, user.user_id),
      sessions: await listSessions(db, user.user_id),
    },
    prove: authenticateFirst(visit, mayAct),
    canAct: mayAct && session.isFresh,
  });
  return { kind: 'page', title: t('ops.people'), body };
}

export async function signUserOut(visit: PlatformVisit): Promise<PageResponse> {
  const { db, form, t } = visit;
  const user = await findUser(db, form('email'));
  if (!user) return refusedBefore(visit, t('ops.people.none'), path);
  const back = `${path}?email=${encodeURIComponent(user.email)}`;
  return act(visit, { kind: 'user.sign-out', input: { email: user.email } }, back);
}
