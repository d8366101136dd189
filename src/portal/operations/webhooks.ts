/** The platform's list of failed and late webhooks. */
import { listCursorOf, listCursorAt, afterCursor, beforeCursor } from '../../store/list-cursor';
import { pager } from '../pages/parts';
import { draw, template } from '../render';
import type { PageResponse, PlatformVisit } from '../visit';

const webhooksTemplate = template(`
<p><a href="/ops"><%= it.t('ops.now') %></a></p>
<h1><%= it.t('webhooks.title') %></h1>
<nav class="tabs" aria-label="<%= it.t('payments.state') %>">
<% for (const one of it.troubles) { %><a href="/ops/webhooks?trouble=<%= one %>"<% if (it.trouble === one) { %> aria-current="page"<% } %>><%= it.t('ops.now.' + one) %></a><% } %>
</nav>
<% if (it.webhooks.length > 0) { %>
<table class="stack"><caption class="unseen"><%= it.t('ops.now.' + it.trouble) %></caption>
<thead><tr><th scope="col"><%= it.t('payments.when') %></th><th scope="col"><%= it.t('ops.merchant') %></th><th scope="col"><%= it.t('webhooks.about') %></th><th scope="col" class="number"><%= it.t('webhooks.tries') %></th><th scope="col"><%= it.t('webhook.next') %></th></tr></thead>
<tbody><% for (const one of it.webhooks) { %><tr>
<td data-label="<%= it.t('payments.when') %>"><a href="/m/<%= one.merchant_id %>/webhooks/<%= one.webhook_id %>"><%~ it.time(one.created_at, true) %></a></td>
<td data-label="<%= it.t('ops.merchant') %>"><%= one.merchant %></td>
<td data-label="<%= it.t('webhooks.about') %>"><%= one.callback_type %> · <%= it.t('state.' + one.to_state) %></td>
<td class="number" data-label="<%= it.t('webhooks.tries') %>"><%= it.count(one.tries) %></td>
<td data-label="<%= it.t('webhook.next') %>"><% if (it.trouble === 'late') { %><%~ it.time(one.next_at, true) %><% } else { %>–<% } %></td></tr><% } %></tbody></table>
<%~ it.pager %>
<% } else { %><div class="empty"><p><%= it.t('ops.webhooks.none') %></p></div><% } %>
`);

const troubles = ['dead', 'late'] as const;
const listedMax = 50;
/** Minutes after which a webhook counts as late, also on the dashboard. */
export const lateMinutes = 5;

export async function troubledWebhooks(visit: PlatformVisit): Promise<PageResponse> {
  const { db, query, t } = visit;
  const trouble = troubles.find((one) => one === query.get('trouble')) ?? 'dead';
  const after = listCursorAt((query.get('after') ?? '').slice(0, 100));
  const checked = db('outbox').limit(listedMax + 1);
  if (trouble === 'dead') {
    void checked.where({ state: 'dead' }).orderBy('next_at', 'desc').orderBy('webhook_id', 'desc');
    if (after) beforeCursor(checked, 'webhook_id', after, 'next_at');
  } else {
    void checked
      .where({ state: 'pending' })
      .whereRaw(`next_at < UTC_TIMESTAMP(3) - INTERVAL ${String(lateMinutes)} MINUTE`)
      .orderBy(['next_at', 'webhook_id']);
    if (after) afterCursor(checked, 'webhook_id', after, 'next_at');
  }
  const found = await checked.select(
    ...([
      'webhook_id',
      'merchant_id',
      'callback_type',
      'to_state',
      'tries',
      'next_at',
      'created_at',
    ] as const),
  );
  const webhooks = found.slice(0, listedMax);
  const last = found.length > listedMax ? webhooks.at(-1) : undefined;
  const ids = webhooks.map(({ merchant_id: id }) => id);
  const merchants = await db('merchants').whereIn('merchant_id', ids).select('merchant_id', 'name');
  const names = new Map(merchants.map(({ merchant_id: id, name }) => [id, name]));
  const body = draw(visit, webhooksTemplate, {
    ...{ trouble, troubles },
    pager: pager(visit, {
      ...{ path: '/ops/webhooks', wishes: { trouble } },
      from: after ? listCursorOf(after) : '',
      next: last ? listCursorOf({ at: last.next_at, id: last.webhook_id }) : '',
    }),
    webhooks: webhooks.map((one) => ({ ...one, merchant: names.get(one.merchant_id) ?? '' })),
  });
  return { kind: 'page', title: t('webhooks.title'), body };
}
