/** Who somebody is in the portal, and the end of their sessions: for who calls because a phone is gone. */
import { workplacesOf } from '../../users/members';
import { listSessions } from '../../users/sessions';
import { findUser } from '../../users/users';
import { problem } from '../pages/parts';
import { draw, template } from '../render';
import type { Answer, PlatformVisit } from '../visit';
import { act, previewButton, proveFirst, refusedBefore } from './outcome';

const path = '/ops/people';

const peopleTemplate = template(`
<%~ it.problem %>
<h1><%= it.t('ops.people') %></h1>
<p><%= it.t('ops.people.text') %></p>
<form method="get" action="/ops/people" class="card" role="search" aria-label="<%= it.t('ops.people') %>">
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
<% if (it.canAct) { %><form method="post" action="/ops/people/sign-out" class="actions"><%~ it.token %><%~ it.once %><input type="hidden" name="email" value="<%= it.found.email %>">
<button class="quiet danger" type="submit"><%= it.t('ops.people.sign_out') %></button>${previewButton()}</form><% } %></li></ul>
<% } %>
`);

export async function people(visit: PlatformVisit): Promise<Answer> {
  const { db, query, operator, session, t } = visit;
  const email = (query.get('email') ?? '').slice(0, 254);
  const user = email === '' ? undefined : await findUser(db, email);
  const mayAct = operator.role === 'operator';
  const body = draw(visit, peopleTemplate, {
    problem: problem(visit, email !== '' && !user ? t('ops.people.none') : '', 'email'),
    email,
    found: user && {
      email: user.email,
      operator: user.operator_name,
      works: await workplacesOf(db, user.user_id),
      sessions: await listSessions(db, user.user_id),
    },
    prove: proveFirst(visit, mayAct),
    canAct: mayAct && session.isFresh,
  });
  return { kind: 'page', title: t('ops.people'), body };
}

export async function signSomebodyOut(visit: PlatformVisit): Promise<Answer> {
  const { db, form, t } = visit;
  const user = await findUser(db, form('email'));
  if (!user) return refusedBefore(visit, t('ops.people.none'), path);
  const back = `${path}?email=${encodeURIComponent(user.email)}`;
  return act(visit, { kind: 'user.sign-out', input: { email: user.email } }, back);
}
