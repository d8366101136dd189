/** The businesses we move money for: add one, let one act or not. */
import { validate as isUuid } from 'uuid';
import { someMerchants } from '../../merchants/merchants';
import { notFound } from '../pages/refusals';
import { pager } from '../pages/parts';
import { draw, template } from '../render';
import type { Answer, PlatformVisit } from '../visit';
import { act, previewButton, proveFirst } from './outcome';

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

export async function merchants(visit: PlatformVisit): Promise<Answer> {
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
    prove: proveFirst(visit, mayAct),
    canAct: mayAct && session.isFresh,
  });
  return { kind: 'page', title: t('app.merchants'), body };
}

export function addMerchant(visit: PlatformVisit): Promise<Answer> {
  const input = { name: visit.form('name').trim() };
  return act(visit, { kind: 'merchant.create', input }, '/ops/merchants');
}

export async function setStatus(visit: PlatformVisit): Promise<Answer> {
  const { params, form } = visit;
  const id = params['id'] ?? '';
  const status = form('status') === 'active' ? 'active' : 'suspended';
  if (!isUuid(id)) return notFound(visit);
  return act(visit, { kind: 'merchant.set', input: { merchant_id: id, status } }, '/ops/merchants');
}
