/** A merchant's additional webhook addresses, each with its own secret and event types. */
import { PaymentError } from '../../domain/errors';
import { eventTypes, type EventType } from '../../domain/event';
import type { WebhookEndpointRow } from '../../store/tables';
import {
  addEndpoint,
  changeEndpointSecret,
  endEndpoint,
  endpointsMax,
  listEndpoints,
  type EndpointWorld,
} from '../../webhooks/endpoints/endpoints';
import { faultsText, doneOf, canChange, problem, recordOf } from './parts';
import { draw, template } from '../render';
import { endpointChange, mailDeciders } from '../mails';
import { go, type PageResponse, type MerchantVisit } from '../visit';
import { shownOnce } from './developer-changes';
import { secretSeen } from './developers';
import { notFound, overrun } from './error-pages';

const endpointsTemplate = template(`
<p><a href="<%= it.base %>/developers"><%= it.t('dev.back') %></a></p>
<%~ it.done %><%~ it.problem %>
<h1><%= it.t('endpoints.title') %></h1>
<p><%= it.t('endpoints.text') %></p>
<% if (it.mustProve) { %><div class="note"><p><%= it.t('dev.prove') %></p><p><a class="button" href="/confirm?next=<%= it.here %>"><%= it.t('dev.prove.go') %></a></p></div><% } %>
<% if (it.endpoints.length > 0) { %>
<ul class="rows card"><% for (const one of it.endpoints) { %><li><dl>
<div><dt><%= it.t('endpoints.url') %></dt><dd><code class="whole"><%= one.url %></code></dd></div>
<div><dt><%= it.t('payments.state') %></dt><dd><span class="state <%= one.tone %>"><%= it.t('endpoints.state.' + one.state) %></span><% if (one.last_error) { %> <span lang="en"><%= one.last_error %></span><% } %></dd></div>
<% if (one.state === 'failing') { %><div><dt><%= it.t('webhook.next') %></dt><dd><%~ it.time(one.next_at, true) %></dd></div><% } %>
<div><dt><%= it.t('endpoints.delivered') %></dt><dd><% if (one.delivered_at) { %><%~ it.time(one.delivered_at, true) %><% } else { %><%= it.t('dev.key.unused') %><% } %></dd></div>
<% if (one.skipped > 0) { %><div><dt><%= it.t('endpoints.skipped') %></dt><dd><%= it.count(one.skipped) %></dd></div><% } %>
<div><dt><%= it.t('dev.key.created') %></dt><dd><%~ it.time(one.created_at) %></dd></div></dl>
<details><summary><%= it.t('endpoints.types') %>: <%= one.about %></summary><p class="evidence"><%= one.types %></p></details>
<% if (one.isRotating) { %><p class="hint"><%= it.t('dev.secret.rotating') %></p><% } %>
<% if (it.mayChange) { %><div class="actions">
<form method="post" action="<%= it.here %>/<%= one.endpoint_id %>/secret"><%~ it.token %><input type="hidden" name="seen" value="<%= one.seen %>"><button class="quiet" type="submit" aria-label="<%= it.t('dev.secret.rotate') %>: <%= one.url %>"><%= it.t('dev.secret.rotate') %></button></form>
<form method="post" action="<%= it.here %>/<%= one.endpoint_id %>/end"><%~ it.token %><button class="quiet danger" type="submit" aria-label="<%= it.t('endpoints.end') %>: <%= one.url %>"><%= it.t('endpoints.end') %></button></form></div><% } %></li><% } %></ul>
<% } else { %><div class="empty"><h2><%= it.t('endpoints.none.title') %></h2><p><%= it.t('endpoints.none.text') %></p></div><% } %>
<% if (it.mayChange) { %>
<section class="card" aria-labelledby="add"><h2 id="add"><%= it.t('endpoints.add') %></h2>
<form method="post" action="<%= it.here %>"><%~ it.token %><input type="hidden" name="seen" value="<%= it.seen %>">
<label for="url"><%= it.t('endpoints.url') %></label>
<input id="url" name="url" type="url" inputmode="url" required maxlength="2000" autocomplete="off" placeholder="https://" value="<%= it.typed %>">
<fieldset><legend><%= it.t('endpoints.wanted') %></legend>
<% for (const one of it.kinds) { %><label class="choice"><input type="checkbox" name="<%= one.kind %>" value="1"<% if (it.chosen(one.kind)) { %> checked<% } %>> <span><%= it.t('endpoints.kind.' + one.kind) %></span></label><% } %></fieldset>
<details><summary><%= it.t('endpoints.single') %></summary>
<% for (const one of it.kinds) { %><fieldset><legend><%= it.t('endpoints.kind.' + one.kind) %></legend>
<% for (const type of one.types) { %><label class="choice"><input type="checkbox" name="<%= type %>" value="1"<% if (it.chosen(type)) { %> checked<% } %>> <code><%= type %></code></label><% } %></fieldset><% } %></details>
<button type="submit"><%= it.t('endpoints.add') %></button></form></section><% } %>
`);

const kinds = ['deposit', 'payout', 'refund'] as const;
const typesOf = (kind: string) => eventTypes.filter((type) => type.startsWith(`${kind}.`));

const hereOf = ({ place }: MerchantVisit) => `/m/${place.merchant.merchant_id}/endpoints`;
const worldOf = ({ db, box, config }: MerchantVisit): EndpointWorld => ({
  ...{ db, box, environment: config.environment },
});

/** The newest endpoint at the time of the page. So a form that is sent twice adds one endpoint. */
const seenOf = (endpoints: readonly WebhookEndpointRow[]) => endpoints.at(-1)?.endpoint_id ?? 'none';

export async function endpoints(visit: MerchantVisit, fault = ''): Promise<PageResponse> {
  const { db, place, session, form, t } = visit;
  const listed = await listEndpoints(db, place.merchant.merchant_id);
  const mayChange = place.as === 'owner' || place.as === 'developer';
  const wasSent = fault !== '' && form('seen') !== '';
  const body = draw(visit, endpointsTemplate, {
    done: fault === '' ? doneOf(visit, 'endpoints') : '',
    problem: problem(visit, fault, wasSent ? 'url' : ''),
    here: hereOf(visit),
    mayChange: mayChange && session.isFresh,
    mustProve: mayChange && !session.isFresh,
    seen: seenOf(listed),
    typed: wasSent ? form('url') : '',
    kinds: kinds.map((kind) => ({ kind, types: typesOf(kind) })),
    chosen: (name: string) => (wasSent ? form(name) === '1' : (kinds as readonly string[]).includes(name)),
    endpoints: listed.map((one) => ({
      ...one,
      ...endpointState(one),
      about: aboutOf(visit, one.types.split(',')),
      types: one.types.split(',').join(', '),
      skipped: Number(one.skipped),
      seen: secretSeen(one),
      isRotating: one.previous_webhook_secret !== null,
    })),
  });
  return { kind: 'page', status: fault === '' ? 200 : 422, title: t('endpoints.title'), body };
}

function endpointState({ tries, delivered_at: at }: WebhookEndpointRow) {
  if (tries > 0) return { state: 'failing', tone: 'bad' };
  return at === null ? { state: 'new', tone: 'open' } : { state: 'works', tone: 'good' };
}

/** `Payments of customers` if all events of a kind are chosen, otherwise the single types. */
function aboutOf({ t }: MerchantVisit, types: readonly string[]): string {
  const whole = kinds.filter((kind) => typesOf(kind).every((type) => types.includes(type)));
  const rest = types.filter((type) => !whole.some((kind) => type.startsWith(`${kind}.`)));
  return [...whole.map((kind) => t(`endpoints.kind.${kind}`)), ...rest].join(', ');
}

function chosenTypes({ form }: MerchantVisit): EventType[] {
  const isChosen = (name: string) => form(name) === '1';
  return eventTypes.filter((type) => isChosen(type) || isChosen(type.split('.')[0] ?? ''));
}

export async function addOne(visit: MerchantVisit): Promise<PageResponse> {
  const { db, place, form, t } = visit;
  const { merchant_id: merchantId } = place.merchant;
  const types = chosenTypes(visit);
  if (types.length === 0) return endpoints(visit, t('endpoints.none_chosen'));
  if (form('seen') !== seenOf(await listEndpoints(db, merchantId)))
    return endpoints(visit, t('endpoints.changed'));
  const may = await canChange(visit, 'connection');
  if (!may.allowed) return overrun(visit, 429, may);
  try {
    const wanted = { url: form('url').trim().slice(0, 2_000), types };
    const { secret } = await addEndpoint(worldOf(visit), merchantId, wanted, async (trx, endpointId) => {
      await mailDeciders(visit, trx, endpointChange('endpoint_added', wanted.url));
      // Without the URL: it may contain a secret of the merchant.
      await recordOf(visit, trx, 'webhook_endpoint.add', { endpoint_id: endpointId });
    });
    return secretPage(visit, secret, 'endpoints.made');
  } catch (error) {
    if (!(error instanceof PaymentError) || error.code !== 'VALIDATION_FAILED') throw error;
    const isFull = (await listEndpoints(db, merchantId)).length >= endpointsMax;
    const reported = faultsText(visit, error.options.details);
    return endpoints(visit, isFull ? t('endpoints.full', { n: endpointsMax }) : reported);
  }
}

function secretPage(visit: MerchantVisit, secret: string, title: 'endpoints.made' | 'dev.secret.made') {
  const { t } = visit;
  return shownOnce(visit, {
    title: t(title),
    text: t(title === 'dev.secret.made' ? 'dev.secret.made.text' : 'endpoints.made.text'),
    secrets: [[t('dev.secret'), secret]],
    back: hereOf(visit),
  });
}

export async function changeSecretOfOne(visit: MerchantVisit): Promise<PageResponse> {
  const { db, place, params, form, t } = visit;
  const { merchant_id: merchantId } = place.merchant;
  const found = (await listEndpoints(db, merchantId)).find(
    ({ endpoint_id: id }) => id === params['endpoint'],
  );
  if (!found) return notFound(visit);
  if (form('seen') !== secretSeen(found)) {
    return endpoints(visit, t('dev.secret.changed'));
  }
  const may = await canChange(visit, 'connection');
  if (!may.allowed) return overrun(visit, 429, may);
  const { endpoint_id: endpointId, url } = found;
  const { secret } = await changeEndpointSecret(worldOf(visit), merchantId, endpointId, async (trx) => {
    await mailDeciders(visit, trx, endpointChange('endpoint_secret', url));
    await recordOf(visit, trx, 'webhook_endpoint.change_secret', { endpoint_id: endpointId });
  });
  return secretPage(visit, secret, 'dev.secret.made');
}

export async function endOne(visit: MerchantVisit): Promise<PageResponse> {
  const { db, place, params } = visit;
  const endpointId = params['endpoint'] ?? '';
  try {
    await endEndpoint(db, place.merchant.merchant_id, endpointId, async (trx, { url }) => {
      await mailDeciders(visit, trx, endpointChange('endpoint_ended', url));
      await recordOf(visit, trx, 'webhook_endpoint.end', { endpoint_id: endpointId });
    });
  } catch (error) {
    if (!(error instanceof PaymentError) || error.code !== 'WEBHOOK_ENDPOINT_NOT_FOUND') throw error;
    return notFound(visit);
  }
  return go(`${hereOf(visit)}?done=ended`);
}
