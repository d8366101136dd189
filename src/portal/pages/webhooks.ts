/** The webhook log, newest first, and the page of one webhook with its attempts and a button to send it again. */
import { PaymentError } from '../../domain/errors';
import { listCursorOf, listCursorAt } from '../../store/list-cursor';
import { inTransaction } from '../../store/transaction';
import {
  listOwnWebhooks,
  deliveriesOf,
  getOwnWebhookOrThrow,
  resendWebhook,
  type ShownWebhook,
} from '../../webhooks/merchant-webhooks';
import { listWebhooks } from '../../webhooks/outbox';
import { draw, template } from '../render';
import { go, type PageResponse, type MerchantVisit } from '../visit';
import { doneOf, indentedJson, canChange, problem, recordOf } from './parts';
import { maskedBody, maskedIn } from './payment-words';
import { notFound, overrun } from './error-pages';

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
<% if (it.scannedTo) { %><p class="note"><%= it.t('list.looked_to') %> <%~ it.time(it.scannedTo) %></p><% } %>
<% if (it.newest || it.older) { %>
<nav class="pager" aria-label="<%= it.t('payments.pager') %>">
<% if (it.newest) { %><a href="<%= it.newest %>"><%= it.t('payments.newest') %></a><% } %>
<% if (it.older) { %><a href="<%= it.older %>" rel="next"><%= it.t(it.scannedTo ? 'list.look_further' : 'webhooks.older') %></a><% } %>
</nav>
<% } %>
`);

const states = ['pending', 'delivered', 'dead', 'unaddressed', 'superseded'] as const;
export const webhookTones = {
  ...{ pending: 'open', delivered: 'good', dead: 'bad', unaddressed: 'bad' },
  // A replaced webhook needs no action.
  superseded: 'good',
} as const;
/** A pending webhook is sent anyway. A replaced or pruned one cannot be sent again. */
export function canSendAgain({ state, superseded_by: by, body_pruned_at: prunedAt }: ShownWebhook): boolean {
  return state !== 'pending' && by === null && prunedAt === null;
}

const pageLength = 25;

export async function webhooks(visit: MerchantVisit): Promise<PageResponse> {
  const { db, place, query, t } = visit;
  const { merchant_id: merchantId } = place.merchant;
  const state = states.find((one) => one === query.get('state'));
  const before = listCursorAt((query.get('before') ?? '').slice(0, 100));
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
    scannedTo: page.scannedTo,
    tones: webhookTones,
    states,
    state: state ?? '',
    older: page.next ? urlOf(listCursorOf(page.next)) : '',
    newest: before ? urlOf('') : '',
  });
  return { kind: 'page', title: t('webhooks.title'), body };
}

// The page of one webhook: its body, its attempts, and sending it again.

const webhookTemplate = template(`
<p><a href="<%= it.base %>/webhooks"><%= it.t('webhooks.back') %></a></p>
<%~ it.done %><%~ it.problem %>
<h1><%= it.webhook.callback_type %> <span class="state <%= it.tone %>"><%= it.t('webhook.' + it.webhook.state) %></span></h1>
<section class="card" aria-labelledby="facts">
<h2 id="facts"><%= it.t('payment.facts') %></h2>
<dl class="facts">
<div><dt><%= it.t('webhook.id') %></dt><dd><code><%= it.webhook.webhook_id %></code></dd></div>
<div><dt><%= it.t('webhooks.about') %></dt><dd><a href="<%= it.base %>/payments/<%= it.webhook.payment_id %>"><%= it.t('webhooks.payment') %></a> · <%= it.t('state.' + it.webhook.to_state) %></dd></div>
<div><dt><%= it.t('webhooks.to') %></dt><dd><%= it.t('dev.test.' + it.webhook.endpoint) %></dd></div>
<div><dt><%= it.t('payments.when') %></dt><dd><%~ it.time(it.webhook.created_at, true) %></dd></div>
<% if (it.webhook.state === 'pending') { %><div><dt><%= it.t('webhook.next') %></dt><dd><%~ it.time(it.webhook.next_at, true) %></dd></div><% } %>
</dl>
<% if (it.mayResend) { %>
<form method="post" action="<%= it.base %>/webhooks/<%= it.webhook.webhook_id %>/resend" class="actions"><%~ it.token %><button type="submit"><%= it.t('webhook.resend') %></button></form>
<p class="hint"><%= it.t('webhook.resend.hint') %></p>
<% } %>
</section>
<section class="card" aria-labelledby="tries">
<h2 id="tries"><%= it.t('webhooks.tries') %></h2>
<% if (it.deliveries.length === 0) { %><p><%= it.t('webhooks.tries.none') %></p><% } %>
<ol class="story">
<% for (const one of it.deliveries) { %>
<li class="<%= one.error === null ? 'good' : 'bad' %>"><span class="when"><%~ it.time(one.at, true) %></span>
<span class="what"><%= one.http_status === null ? it.t('webhook.no_answer') : it.t('webhook.answer', { status: one.http_status }) %></span>
<span class="evidence"><%= one.url %> · <%= one.duration_ms %> ms<% if (one.error) { %> · <%= one.error %><% } %></span>
<% if (one.response_excerpt) { %><details><summary><%= it.t('webhook.answered') %></summary><pre tabindex="0"><code><%= one.response_excerpt %></code></pre></details><% } %></li>
<% } %>
</ol>
</section>
<% if (it.body) { %><section class="card" aria-labelledby="body"><h2 id="body"><%= it.t('webhook.body') %></h2><pre tabindex="0"><code><%= it.body %></code></pre>
<% if (it.isMasked) { %><form method="post" action="<%= it.base %>/webhooks/<%= it.webhook.webhook_id %>/body" class="actions"><%~ it.token %><button class="quiet" type="submit"><%= it.t('payment.reveal') %></button></form><% } %></section><% } %>
<% if (it.isReplaced) { %><p class="note"><%= it.t('webhook.replaced') %> <a href="<%= it.base %>/webhooks/<%= it.webhook.superseded_by %>"><%= it.t('webhook.replaced.by') %></a></p><% } %>
<% if (it.isGone) { %><p class="note"><%= it.t('webhook.gone') %></p><% } %>
`);

const findOwn = ({ db, place, params }: MerchantVisit) =>
  getOwnWebhookOrThrow(db, place.merchant.merchant_id, params['webhook'] ?? '').catch(orNot);

export async function webhook(
  visit: MerchantVisit,
  { fault = '', isWhole = false } = {},
): Promise<PageResponse> {
  const { db, place, t } = visit;
  const found = await findOwn(visit);
  if (typeof found === 'string') return notFound(visit);
  const mayRead = place.as === 'owner' || place.as === 'developer';
  const [row] = mayRead ? await listWebhooks(db, { webhookId: found.webhook_id }) : [];
  const reported = row && found.body_pruned_at === null ? row.body : undefined;
  const payment = await db('payments').where({ payment_id: found.payment_id }).first('phone_number');
  const number = payment?.phone_number ?? null;
  const [whole, masked] =
    reported === undefined ? ['', ''] : [indentedJson(reported), maskedBody(reported, number)];
  const body = draw(visit, webhookTemplate, {
    done: fault === '' ? doneOf(visit, 'webhook') : '',
    problem: problem(visit, fault),
    webhook: found,
    tone: webhookTones[found.state],
    mayResend: mayRead && canSendAgain(found),
    isReplaced: found.superseded_by !== null,
    deliveries: (await deliveriesOf(db, found.webhook_id)).map((one) => ({
      ...one,
      // A server's answer may repeat the phone number.
      response_excerpt: isWhole ? one.response_excerpt : maskedIn(one.response_excerpt ?? '', number),
    })),
    body: isWhole ? whole : masked,
    isMasked: !isWhole && masked !== whole,
    isGone: found.body_pruned_at !== null,
  });
  return { kind: 'page', status: fault === '' ? 200 : 409, title: t('webhooks.title'), body };
}

/** Shows the body with the full phone number once on request, and records that in the audit log. */
export async function revealBody(visit: MerchantVisit): Promise<PageResponse> {
  const found = await findOwn(visit);
  if (typeof found === 'string') return notFound(visit);
  const may = await canChange(visit, 'checks');
  if (!may.allowed) return overrun(visit, 429, may);
  await inTransaction(visit.db, (trx) =>
    recordOf(visit, trx, 'webhook.reveal_body', { webhook_id: found.webhook_id }),
  );
  return webhook(visit, { isWhole: true });
}

export async function resend(visit: MerchantVisit): Promise<PageResponse> {
  const { db, place, params, acts } = visit;
  const { merchant_id: merchantId } = place.merchant;
  const webhookId = params['webhook'] ?? '';
  const may = await canChange(visit, 'checks');
  if (!may.allowed) return overrun(visit, 429, may);
  const sent = await resendWebhook(db, merchantId, webhookId, (trx) =>
    recordOf(visit, trx, 'webhook.resend', { webhook_id: webhookId }),
  ).catch(orNot);
  if (sent === 'WEBHOOK_SUPERSEDED') return webhook(visit, { fault: visit.t('webhook.replaced') });
  if (sent === 'WEBHOOK_NOT_KEPT') return webhook(visit, { fault: visit.t('webhook.gone') });
  if (typeof sent === 'string') return notFound(visit);
  await acts.signalOrStart(sent.payment_id);
  return go(`/m/${merchantId}/webhooks/${sent.webhook_id}?done=resent`);
}

const notSentAgain = ['WEBHOOK_NOT_FOUND', 'WEBHOOK_SUPERSEDED', 'WEBHOOK_NOT_KEPT'] as const;

function orNot(error: unknown): (typeof notSentAgain)[number] {
  const code = notSentAgain.find((one) => error instanceof PaymentError && error.code === one);
  if (code !== undefined) return code;
  throw error;
}
