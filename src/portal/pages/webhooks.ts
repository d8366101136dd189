/** What a merchant's server was told, newest first. */
import { listOwnWebhooks, type ShownWebhook } from '../../webhooks/merchant-webhooks';
import { listCursorOf, listPlaceAt } from '../../store/list-place';
import { draw, template } from '../render';
import type { Answer, MerchantVisit } from '../visit';

const listTemplate = template(`
<p><a href="<%= it.base %>/developers"><%= it.t('dev.back') %></a></p>
<h1><%= it.t('webhooks.title') %></h1>
<form method="get" action="<%= it.base %>/webhooks" class="filters card" role="search" aria-label="<%= it.t('webhooks.search') %>">
<div class="field"><label for="state"><%= it.t('payments.state') %></label>
<select id="state" name="state"><option value=""><%= it.t('payments.any') %></option>
<% for (const one of it.states) { %><option value="<%= one %>"<% if (it.state === one) { %> selected<% } %>><%= it.t('webhook.' + one) %></option><% } %>
</select></div>
<div class="field buttons"><button type="submit"><%= it.t('payments.show') %></button></div>
</form>
<% if (it.webhooks.length > 0) { %>
<table class="stack"><caption class="unseen"><%= it.t('webhooks.title') %></caption>
<thead><tr><th scope="col"><%= it.t('payments.when') %></th><th scope="col"><%= it.t('webhooks.about') %></th><th scope="col"><%= it.t('payments.state') %></th><th scope="col" class="number"><%= it.t('webhooks.tries') %></th><th scope="col"><%= it.t('webhooks.to') %></th></tr></thead>
<tbody>
<% for (const one of it.webhooks) { %><tr>
<td data-label="<%= it.t('payments.when') %>"><a href="<%= it.base %>/webhooks/<%= one.webhook_id %>"><%~ it.time(one.created_at, true) %></a></td>
<td data-label="<%= it.t('webhooks.about') %>"><%= one.callback_type %> · <%= it.t('state.' + one.to_state) %></td>
<td data-label="<%= it.t('payments.state') %>"><span class="state <%= it.tones[one.state] %>"><%= it.t('webhook.' + one.state) %></span></td>
<td data-label="<%= it.t('webhooks.tries') %>" class="number"><%= it.count(one.tries) %></td>
<td data-label="<%= it.t('webhooks.to') %>"><%= it.t('dev.test.' + one.endpoint) %></td></tr><% } %>
</tbody></table>
<% } else { %>
<div class="empty"><h2><%= it.t('webhooks.empty.title') %></h2><p><%= it.t('webhooks.empty.text') %></p></div>
<% } %>
<% if (it.lookedTo) { %><p class="note"><%= it.t('list.looked_to') %> <%~ it.time(it.lookedTo) %></p><% } %>
<% if (it.newest || it.older) { %>
<nav class="pager" aria-label="<%= it.t('payments.pager') %>">
<% if (it.newest) { %><a href="<%= it.newest %>"><%= it.t('payments.newest') %></a><% } %>
<% if (it.older) { %><a href="<%= it.older %>" rel="next"><%= it.t(it.lookedTo ? 'list.look_further' : 'webhooks.older') %></a><% } %>
</nav>
<% } %>
`);

const states = ['pending', 'delivered', 'dead', 'unaddressed', 'superseded'] as const;
export const webhookTones = {
  ...{ pending: 'open', delivered: 'good', dead: 'bad', unaddressed: 'bad' },
  // Nothing is wrong, and nothing is to be done.
  superseded: 'good',
} as const;
/** What is on its way is sent anyway; what is replaced, or pruned, is not sent again. */
export function maySendAgain({ state, superseded_by: by, body_pruned_at: prunedAt }: ShownWebhook): boolean {
  return state !== 'pending' && by === null && prunedAt === null;
}

const pageLength = 25;

export async function webhooks(visit: MerchantVisit): Promise<Answer> {
  const { db, place, query, t } = visit;
  const { merchant_id: merchantId } = place.merchant;
  const state = states.find((one) => one === query.get('state'));
  const before = listPlaceAt((query.get('before') ?? '').slice(0, 100));
  const page = await listOwnWebhooks(db, merchantId, { state }, { before, limit: pageLength });
  const urlOf = (place_: string) => {
    const wishes = new URLSearchParams([
      ...(state ? [['state', state]] : []),
      ...(place_ === '' ? [] : [['before', place_]]),
    ] as [string, string][]);
    return `/m/${merchantId}/webhooks?${wishes.toString()}`;
  };
  const body = draw(visit, listTemplate, {
    webhooks: page.webhooks,
    lookedTo: page.lookedTo,
    tones: webhookTones,
    states,
    state: state ?? '',
    older: page.next ? urlOf(listCursorOf(page.next)) : '',
    newest: before ? urlOf('') : '',
  });
  return { kind: 'page', title: t('webhooks.title'), body };
}
