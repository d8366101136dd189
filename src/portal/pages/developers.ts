/** The developers page: keys, webhook addresses, allowed callers, and test values of the sandbox. */
import { createHash } from 'node:crypto';
import { isAllowedAddress } from '../../merchants/ip-allow-list';
import type { KeyScope } from '../../merchants/api-keys';
import { listKeys } from '../../merchants/own-keys';
import { railDefinitions } from '../../rails';
import type { MerchantRow } from '../../store/tables';
import { waitingKeys } from '../../users/key-confirmations';
import { handlesMoney } from '../../users/roles';
import { draw, template } from '../render';
import type { PageResponse, MerchantVisit } from '../visit';
import { doneOf, problem } from './parts';

const developersTemplate = template(`
<%~ it.done %><%~ it.problem %>
<h1><%= it.t('dev.title') %></h1>
<p><% if (it.docs) { %><a href="<%= it.docs %>"><%= it.t('dev.docs') %></a> · <% } %><a href="<%= it.apiReference %>"><%= it.t('dev.reference') %></a> · <a href="<%= it.base %>/webhooks"><%= it.t('dev.webhooks.log') %></a> · <a href="<%= it.base %>/endpoints"><%= it.t('dev.endpoints') %></a></p>
<% if (it.mustProve) { %>
<div class="note"><p><%= it.t('dev.prove') %></p><p><a class="button" href="/confirm?next=<%= it.base %>/developers"><%= it.t('dev.prove.go') %></a></p></div>
<% } %>

<section class="card" aria-labelledby="keys">
<h2 id="keys"><%= it.t('dev.keys') %></h2>
<p class="hint"><%= it.t('dev.keys.hint') %></p>
<ul class="rows">
<% for (const key of it.keys) { %>
<li><dl>
<div><dt><%= it.t('dev.key.name') %></dt><dd><%= key.name || '–' %></dd></div>
<div><dt><%= it.t('dev.key.key') %></dt><dd><code><%= key.api_key %></code></dd></div>
<div><dt><%= it.t('dev.key.may') %></dt><dd><%= key.may.map((scope) => it.t('scope.' + scope)).join(', ') %><% if (key.waits) { %> · <a href="<%= it.base %>/keys"><%= it.t('dev.key.waits') %></a><% } %></dd></div>
<div><dt><%= it.t('dev.key.created') %></dt><dd><%~ it.time(key.created_at) %></dd></div>
<div><dt><%= it.t('dev.key.used') %></dt><dd><% if (key.last_used_at) { %><%~ it.time(key.last_used_at) %><% } else { %><%= it.t('dev.key.unused') %><% } %></dd></div>
<div><dt><%= it.t('payments.state') %></dt><dd><% if (key.revoked_at) { %><span class="state bad"><%= it.t('dev.key.ended') %></span> <%~ it.time(key.revoked_at) %><% } else { %><span class="state good"><%= it.t('dev.key.works') %></span><% } %></dd></div>
</dl>
<% if (it.mayChange && !key.revoked_at) { %>
<form method="post" action="<%= it.base %>/developers/keys/scopes"><%~ it.token %><input type="hidden" name="key" value="<%= key.api_key %>"><input type="hidden" name="before" value="<%= key.scopes.join(',') %>">
<select name="scopes" aria-label="<%= it.t('dev.key.scopes_of', { key: key.name || key.api_key }) %>">
<% for (const [value, word] of key.choices) { %><option value="<%= value %>"<% if (value === key.chosen) { %> selected<% } %>><%= it.t('dev.key.scopes.' + word) %></option><% } %>
</select>
<button class="quiet" type="submit"><%= it.t('dev.key.change') %></button></form>
<form method="post" action="<%= it.base %>/developers/keys/revoke" class="actions"><%~ it.token %><input type="hidden" name="key" value="<%= key.api_key %>">
<button class="quiet danger" type="submit" aria-label="<%= it.t('dev.key.revoke_of', { key: key.name || key.api_key }) %>"><%= it.t('dev.key.revoke') %></button></form>
<% } %></li>
<% } %>
</ul>
<% if (it.mayChange) { %>
<form method="post" action="<%= it.base %>/developers/keys"><%~ it.token %><input type="hidden" name="newest" value="<%= it.newest %>">
<label for="name"><%= it.t('dev.key.new') %></label>
<p class="hint" id="name-hint"><%= it.t('dev.key.new.hint') %></p>
<input id="name" name="name" required maxlength="60" autocomplete="off" aria-describedby="name-hint">
<fieldset><legend><%= it.t('dev.key.scopes') %></legend>
<p class="hint"><%= it.t(it.mayGivePayout ? 'dev.key.scopes.hint' : 'dev.key.scopes.no_payout') %></p>
<% for (const [value, word] of it.choices) { %><label class="choice"><input type="radio" name="scopes" value="<%= value %>"<% if (value === 'collect') { %> checked<% } %>> <span><%= it.t('dev.key.scopes.' + word) %></span></label>
<% } %></fieldset>
<button type="submit"><%= it.t('dev.key.create') %></button></form>
<% } %>
</section>

<section class="card" aria-labelledby="addresses">
<h2 id="addresses"><%= it.t('dev.addresses') %></h2>
<% if (it.mayChange) { %>
<form method="post" action="<%= it.base %>/developers/addresses"><%~ it.token %>
<% for (const one of it.addresses) { %>
<label for="<%= one.field %>"><%= it.t('dev.address.' + one.field) %></label>
<input id="<%= one.field %>" name="<%= one.field %>" type="url" inputmode="url" maxlength="2000" autocomplete="off" value="<%= one.value %>">
<% } %>
<button type="submit"><%= it.t('dev.save') %></button></form>
<% } else { %>
<dl class="facts"><% for (const one of it.addresses) { %><div><dt><%= it.t('dev.address.' + one.field) %></dt><dd><%= one.value || '–' %></dd></div><% } %></dl>
<% } %>
<% if (it.mayTry) { %>
<h3><%= it.t('dev.test') %></h3>
<p><%= it.t('dev.test.text') %></p>
<% if (it.tested) { %><div class="<%= it.tested.isGood ? 'done' : 'problem' %>" role="status"><p><%= it.tested.text %></p><% if (it.tested.answer) { %><pre tabindex="0" aria-label="<%= it.t('webhook.answered') %>"><code><%= it.tested.answer %></code></pre><% } %></div><% } %>
<form method="post" action="<%= it.base %>/developers/test" class="actions"><%~ it.token %>
<% for (const field of it.testable) { %><button class="quiet" type="submit" name="endpoint" value="<%= field %>"><%= it.t('dev.test.' + field) %></button><% } %>
<% if (it.testable.length === 0) { %><p class="hint"><%= it.t('dev.test.none') %></p><% } %></form>
<% } %>
</section>

<section class="card" aria-labelledby="secret">
<h2 id="secret"><%= it.t('dev.secret') %></h2>
<p><%= it.t('dev.secret.text') %></p>
<% if (it.isRotating) { %><p><%= it.t('dev.secret.rotating') %></p><% } %>
<% if (it.mayChange) { %>
<form method="post" action="<%= it.base %>/developers/webhook-secret"><%~ it.token %><input type="hidden" name="seen" value="<%= it.secretSeen %>">
<button class="quiet" type="submit"><%= it.t('dev.secret.rotate') %></button></form>
<% } %>
</section>

<section class="card" aria-labelledby="access">
<h2 id="access"><%= it.t('dev.access') %></h2>
<p><%= it.t('dev.access.text') %></p>
<p><%= it.t('dev.access.you') %> <code><%= it.yourAddress %></code><% if (!it.isYouAllowed) { %> · <%= it.t('dev.access.not_you') %><% } %></p>
<% if (it.mayChange) { %>
<form method="post" action="<%= it.base %>/developers/access"><%~ it.token %>
<label for="ipAllow"><%= it.t('dev.access.addresses') %></label>
<textarea id="ipAllow" name="ipAllow" rows="4" spellcheck="false"><%= it.ipAllow %></textarea>
<label for="checkoutHosts"><%= it.t('dev.access.hosts') %></label>
<p class="hint" id="hosts-hint"><%= it.t('dev.access.hosts.hint') %></p>
<textarea id="checkoutHosts" name="checkoutHosts" rows="3" spellcheck="false" aria-describedby="hosts-hint"><%= it.checkoutHosts %></textarea>
<button type="submit"><%= it.t('dev.save') %></button></form>
<% } else { %>
<dl class="facts"><div><dt><%= it.t('dev.access.addresses') %></dt><dd><%= it.ipAllow || it.t('dev.access.all') %></dd></div>
<div><dt><%= it.t('dev.access.hosts') %></dt><dd><%= it.checkoutHosts || '–' %></dd></div></dl>
<% } %>
</section>

<% if (it.tries.length > 0) { %>
<section class="card" aria-labelledby="numbers">
<h2 id="numbers"><%= it.t('dev.numbers') %></h2>
<p><%= it.t('dev.numbers.text') %></p>
<% for (const group of it.tries) { %>
<h3><%= it.railName(group.rail) %></h3>
<p class="hint"><%= it.t('dev.numbers.by.' + group.by) %></p>
<dl class="facts numbers"><% for (const one of group.tries) { %><div><dt><code><%= one.value %></code></dt><dd><%= it.t('dev.numbers.end.' + one.end) %></dd></div><% } %></dl>
<% } %>
</section>
<% } %>
`);

/** The permissions of a new key: the value of each choice and its word. Every key can read. */
const keyChoices = {
  read: 'read',
  collect: 'collect',
  payout: 'payout',
  'collect,payout': 'both',
} as const;

const choicesOf = (withPayout: boolean) =>
  Object.entries(keyChoices).filter(([value]) => withPayout || !value.includes('payout'));

const choiceOf = (scopes: readonly KeyScope[]) =>
  scopes.filter((scope) => scope !== 'read').join(',') || 'read';

/** @returns the chosen scopes, `collect` by default; undefined for an invalid choice. */
export function chosenScopes(text: string): KeyScope[] | undefined {
  const value = text === '' ? 'collect' : text;
  return Object.hasOwn(keyChoices, value) ? (value.split(',') as KeyScope[]) : undefined;
}

/** The names of the form's fields, and their columns. */
export const addressFields = {
  webhookUrl: 'webhook_url',
  callbackUrl: 'callback_url',
  returnUrl: 'return_url',
  cancelUrl: 'cancel_url',
} as const satisfies Record<string, keyof MerchantRow>;

interface FormResult {
  fault?: string;
  field?: string;
  /** The rejected input. */
  typed?: Record<string, string>;
  tested?: { isGood: boolean; text: string; answer: string };
  merchant?: MerchantRow;
}

export async function developers(visit: MerchantVisit, reported: FormResult = {}): Promise<PageResponse> {
  const { db, place, session, config, rails, trier, t } = visit;
  const { fault = '', field = '', typed = {}, tested } = reported;
  const merchant = reported.merchant ?? place.merchant;
  const listed = await listKeys(db, merchant.merchant_id);
  const waiting = new Set((await waitingKeys(db, merchant.merchant_id)).map(({ api_key: key }) => key));
  const mayGivePayout = handlesMoney(place.as);
  const mayTry = place.as === 'owner' || place.as === 'developer';
  const body = draw(visit, developersTemplate, {
    done: fault === '' && !tested ? doneOf(visit, 'dev') : '',
    problem: problem(visit, fault, field),
    docs: config.docsUrl === undefined ? '' : `${config.docsUrl}/`,
    apiReference: new URL('/openapi.json', config.publicUrl).href,
    mayTry,
    mayChange: mayTry && session.isFresh,
    mustProve: mayTry && !session.isFresh,
    mayGivePayout,
    choices: choicesOf(mayGivePayout),
    keys: listed.map((key) => ({
      ...key,
      may: key.scopes,
      waits: key.revoked_at === null && waiting.has(key.api_key),
      chosen: choiceOf(key.scopes),
      // A key keeps its payout permission, even if the editing role could not give it.
      choices: choicesOf(mayGivePayout || key.scopes.includes('payout')),
    })),
    newest: listed.find(({ revoked_at: ended }) => ended === null)?.api_key ?? '',
    addresses: Object.entries(addressFields).map(([name, column]) => ({
      field: name,
      value: typed[name] ?? merchant[column] ?? '',
    })),
    testable: (['webhook_url', 'callback_url'] as const).filter((column) => merchant[column] !== null),
    tested,
    isRotating: merchant.previous_webhook_secret !== null,
    secretSeen: secretSeen(merchant),
    yourAddress: trier.address,
    isYouAllowed: isAllowedAddress(trier.address, merchant.ip_allow),
    ipAllow: typed['ipAllow'] ?? merchant.ip_allow.join('\n'),
    checkoutHosts: typed['checkoutHosts'] ?? merchant.checkout_hosts.join('\n'),
    tries: config.environment === 'sandbox' ? triesOf(rails) : [],
  });
  return { kind: 'page', status: fault === '' ? 200 : 422, title: t('dev.title'), body };
}

/** The numbers and amounts that decide the results of the simulated providers. */
const triesOf = (rails: readonly string[]) =>
  railDefinitions
    .filter(({ name }) => rails.includes(name))
    .flatMap(({ name: rail, sandboxTries }) => sandboxTries.map((group) => ({ rail, ...group })));

/** A digest of the secret at the time of the page. So a form that is sent twice changes the secret once. */
export function secretSeen({ webhook_secret: encrypted }: Pick<MerchantRow, 'webhook_secret'>): string {
  return createHash('sha256').update(encrypted).digest('base64url').slice(0, 22);
}
