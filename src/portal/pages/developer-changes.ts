/** Changes of keys, their permissions, addresses and allowed callers, each with its line in the audit log. */
import { PaymentError } from '../../domain/errors';
import { isWiderList } from '../../domain/ip-address';
import { enqueueMail } from '../../mail/enqueue-mail';
import { scopesColumn, scopesOf, type KeyScope } from '../../merchants/api-keys';
import { merchantColumns } from '../../merchants/merchant-input';
import {
  getMerchantOrThrow,
  lockMerchant,
  merchantOf,
  rotateWebhookSecret,
  setMerchant,
} from '../../merchants/merchants';
import { addKey, listKeys, revokeKey, setKeyScopes } from '../../merchants/own-keys';
import type { Transaction } from '../../store/database';
import { inTransaction } from '../../store/transaction';
import { waitsHours } from '../../users/requests';
import { holdRows, rowChanged } from '../../users/audit-log';
import { othersWithTheRight, rightToDecide } from '../../users/deciders';
import { letPayOut, NotNow } from '../../users/key-confirmations';
import { handlesMoney } from '../../users/roles';
import { keyWaitsMail, mailDeciders, addressesChange } from '../mails';
import { draw, template } from '../render';
import { go, type PageResponse, type MerchantVisit } from '../visit';
import { chosenScopes, developers, addressFields, secretSeen } from './developers';
import { faultsText, canChange, recordOf, actingUserOf } from './parts';
import { notFound, overrun } from './error-pages';

const shownTemplate = template(`
<div class="narrow">
<h1><%= it.title %></h1>
<p><strong><%= it.t('dev.shown.once') %></strong></p>
<dl class="card">
<% for (const [name, value] of it.secrets) { %><dt><%= name %></dt><dd><code class="key"><%= value %></code></dd><% } %>
</dl>
<p><%= it.text %></p>
<p><a class="button" href="<%= it.back %>"><%= it.t('dev.shown.kept') %></a></p>
</div>
`);

/** The page that shows a new secret once. */
export function shownOnce(
  visit: MerchantVisit,
  {
    back = pageOf(visit),
    ...reported
  }: { title: string; text: string; secrets: [string, string][]; back?: string },
): PageResponse {
  return { kind: 'page', title: reported.title, body: draw(visit, shownTemplate, { ...reported, back }) };
}

function pageOf({ place }: MerchantVisit): string {
  return `/m/${place.merchant.merchant_id}/developers`;
}

/** Runs the work, or shows the faults of the input on the page. */
async function orErrorPage(
  visit: MerchantVisit,
  fields: string[],
  work: () => Promise<PageResponse>,
): Promise<PageResponse> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotNow) return developers(visit, { fault: notNow(visit, error) });
    if (!(error instanceof PaymentError) || error.code !== 'VALIDATION_FAILED') throw error;
    const { details = [] } = error.options;
    const typed = Object.fromEntries(fields.map((name) => [name, visit.form(name)]));
    const field = (details[0]?.field ?? '').split('.')[0] ?? '';
    return developers(visit, { fault: faultsText(visit, details), field, typed });
  }
}

/** @returns the text of the page after too many key changes; empty if the change is allowed. */
async function tooOften(visit: MerchantVisit): Promise<string> {
  return (await canChange(visit, 'keys')).allowed ? '' : visit.t('dev.key.slow');
}

/** The chosen scopes, or the fault of an invalid choice. */
function wishOf(visit: MerchantVisit): { scopes: KeyScope[] } | { fault: string } {
  const scopes = chosenScopes(visit.form('scopes'));
  if (!scopes) return { fault: visit.t('dev.key.changed') };
  return { scopes };
}

/**
 * Gives a key payout permission, or requests it from another member, who gets a mail.
 * @returns the id of the confirmation if the key must wait for one.
 */
async function letKeyPayOut(visit: MerchantVisit, trx: Transaction, apiKey: string) {
  const { place, session, settings, sendsMail, standingSeconds } = visit;
  const who = actingUserOf(visit);
  const confirmationId = await letPayOut(trx, { ...who, apiKey }, standingSeconds);
  if (confirmationId === undefined || !sendsMail) return confirmationId;
  const reported = {
    path: `/m/${who.merchantId}/keys`,
    ...{ who: session.person.email, merchant: place.merchant.name, key: apiKey, hours: waitsHours },
  };
  for (const one of await othersWithTheRight(trx, who))
    await enqueueMail(trx, keyWaitsMail(settings.url, one, reported));
  return confirmationId;
}

/** The details of the audit line about a waiting permission. */
const waitsFor = (confirmationId: string | undefined) =>
  confirmationId === undefined ? {} : { waits: 'payout', confirmation_id: confirmationId };

function notNow({ t }: MerchantVisit, { why }: NotNow): string {
  if (why === 'role') return t('dev.key.not_payout');
  return t(why === 'too_new' ? 'dev.key.too_new' : 'dev.key.asked_before');
}

export function createKey(visit: MerchantVisit): Promise<PageResponse> {
  const { db, place, config, form, t } = visit;
  return orErrorPage(visit, ['name'], async () => {
    const { merchant_id: merchantId } = place.merchant;
    const wish = wishOf(visit);
    if ('fault' in wish) return developers(visit, wish);
    const paysOut = wish.scopes.includes('payout');
    if (paysOut && !handlesMoney(place.as)) return developers(visit, { fault: t('dev.key.not_payout') });
    const slow = await tooOften(visit);
    if (slow) return developers(visit, { fault: slow });
    const scopes = wish.scopes.filter((scope) => scope !== 'payout');
    const wanted = { environment: config.environment, name: form('name'), newest: form('newest'), scopes };
    let confirmationId: string | undefined;
    const added = await addKey(db, merchantId, wanted, async (trx, apiKey) => {
      confirmationId = paysOut ? await letKeyPayOut(visit, trx, apiKey) : undefined;
      const given = confirmationId === undefined ? wish.scopes : scopes;
      const may = scopesOf(scopesColumn(given));
      await mailDeciders(visit, trx, { what: 'key_created', values: { key: apiKey, scopes: may } });
      if (confirmationId !== undefined)
        await mailDeciders(visit, trx, { what: 'key_asked', values: { key: apiKey } });
      const waits = waitsFor(confirmationId);
      await recordOf(visit, trx, 'api_key.create', { api_key: apiKey, scopes: may, ...waits });
    });
    if (added.kind !== 'added') return developers(visit, { fault: t(`dev.key.${added.kind}`) });
    const { api_key: key, api_secret: secret } = added.pair;
    return shownOnce(visit, {
      title: t('dev.key.made'),
      text: [t('dev.key.made.text'), confirmationId === undefined ? '' : t('dev.key.made.waits')].join(' '),
      secrets: [
        ['X-API-Key', key],
        ['X-API-Secret', secret],
      ],
    });
  });
}

/** Adding payout permission follows the rules of a new key. Every role that manages keys can remove permissions. */
export async function changeScopes(visit: MerchantVisit): Promise<PageResponse> {
  const { db, place, form, t } = visit;
  const { merchant_id: merchantId } = place.merchant;
  const [apiKey, seen] = [form('key'), scopesOf(form('before'))];
  const isThere = (await listKeys(db, merchantId)).some(({ api_key: key }) => key === apiKey);
  if (!isThere) return notFound(visit);
  const wish = wishOf(visit);
  if ('fault' in wish) return developers(visit, wish);
  const asks = wish.scopes.includes('payout') && !seen.includes('payout');
  if (asks && !handlesMoney(place.as)) return developers(visit, { fault: t('dev.key.not_payout') });
  const slow = await tooOften(visit);
  if (slow) return developers(visit, { fault: slow });
  const scopes = asks ? wish.scopes.filter((scope) => scope !== 'payout') : wish.scopes;
  try {
    const isWaiting = await inTransaction(db, async (trx) => {
      if (!(await setKeyScopes(trx, merchantId, { apiKey, seen, scopes }))) throw new NotNow('decided');
      const confirmationId = asks ? await letKeyPayOut(visit, trx, apiKey) : undefined;
      const given = confirmationId === undefined ? wish.scopes : scopes;
      const may = scopesOf(scopesColumn(given));
      const values = { key: apiKey, scopes: may, before: seen };
      await mailDeciders(visit, trx, { what: 'key_changed', values });
      if (confirmationId !== undefined)
        await mailDeciders(visit, trx, { what: 'key_asked', values: { key: apiKey } });
      const waits = waitsFor(confirmationId);
      await recordOf(visit, trx, 'api_key.scopes', { api_key: apiKey, scopes: may, before: seen, ...waits });
      return confirmationId !== undefined;
    });
    return go(`${pageOf(visit)}?done=${isWaiting ? 'asked' : 'scopes'}`);
  } catch (error) {
    if (!(error instanceof NotNow)) throw error;
    return developers(visit, { fault: notNow(visit, error) });
  }
}

export async function endKey(visit: MerchantVisit): Promise<PageResponse> {
  const { db, place, form } = visit;
  const apiKey = form('key');
  const revoked = await revokeKey(db, place.merchant.merchant_id, apiKey, async (trx) => {
    await mailDeciders(visit, trx, { what: 'key_ended', values: { key: apiKey } });
    await recordOf(visit, trx, 'api_key.revoke', { api_key: apiKey });
  });
  return revoked ? go(`${pageOf(visit)}?done=revoked`) : notFound(visit);
}

// The addresses of a merchant's server, and the addresses that may use the keys.

export async function setAddresses(visit: MerchantVisit): Promise<PageResponse> {
  const { db, place, config } = visit;
  const { merchant } = place;
  const fields = Object.keys(addressFields) as (keyof typeof addressFields)[];
  const changes = Object.fromEntries(fields.map((field) => [field, visit.form(field).trim()]));
  const may = await canChange(visit, 'connection');
  if (!may.allowed) return overrun(visit, 429, may);
  return orErrorPage(visit, fields, async () => {
    await setMerchant(db, merchant.merchant_id, changes, config, async (trx) => {
      const now = await getMerchantOrThrow(trx, merchant.merchant_id);
      const changed = Object.values(addressFields).filter((column) => now[column] !== merchant[column]);
      if (changed.length > 0) await mailDeciders(visit, trx, addressesChange(now, changed));
      // Only the names of the fields: a URL may contain a secret of the merchant.
      await recordOf(visit, trx, 'merchant.set', { set: fields });
    });
    return go(`${pageOf(visit)}?done=saved`);
  });
}

/** One item per line, or separated by commas. */
const listOf = (text: string) => text.split(/[\s,]+/).filter((item) => item !== '');

/**
 * The allowed addresses matter as much as a key. So a role without money rights can remove addresses, but not add any.
 */
export async function setAccess(visit: MerchantVisit): Promise<PageResponse> {
  const may = await canChange(visit, 'connection');
  if (!may.allowed) return overrun(visit, 429, may);
  const { db, place, config, form, t } = visit;
  const fields = ['ipAllow', 'checkoutHosts'];
  const typed = { ipAllow: form('ipAllow'), checkoutHosts: form('checkoutHosts') };
  const changes = { ipAllow: listOf(typed.ipAllow), checkoutHosts: listOf(typed.checkoutHosts) };
  const { merchant_id: merchantId } = place.merchant;
  return orErrorPage(visit, fields, async () => {
    let isWider = false;
    try {
      await inTransaction(db, async (trx) => {
        const { ip_allow: before } = merchantOf(await lockMerchant(trx, merchantId));
        isWider = isWiderList(changes.ipAllow, before);
        const columns = merchantColumns(changes, config.environment);
        if (isWider && (await rightToDecide(trx, actingUserOf(visit), 0)) !== 'may') throw new NotNow('role');
        await holdRows(trx, 'merchants', merchantId);
        await trx('merchants')
          .where({ merchant_id: merchantId })
          .update({ ...columns, updated_at: new Date() } as object);
        await rowChanged(trx, 'merchants', merchantId);
        const addresses = changes.ipAllow.join(', ') || '*';
        if (changes.ipAllow.join() !== before.join())
          await mailDeciders(visit, trx, { what: 'access_changed', values: { addresses } });
        await recordOf(visit, trx, 'merchant.set', { set: fields, ...(isWider && { widened: true }) });
      });
    } catch (error) {
      if (!(error instanceof NotNow)) throw error;
      return developers(visit, { fault: t('dev.access.not_wider'), field: 'ipAllow', typed });
    }
    return go(`${pageOf(visit)}?done=saved`);
  });
}

export async function newWebhookSecret(visit: MerchantVisit): Promise<PageResponse> {
  const { db, box, place, form, t } = visit;
  if (form('seen') !== secretSeen(place.merchant))
    return developers(visit, { fault: t('dev.secret.changed') });
  const { merchant_id: merchantId } = place.merchant;
  const may = await canChange(visit, 'connection');
  if (!may.allowed) return overrun(visit, 429, may);
  const secret = await rotateWebhookSecret(db, box, merchantId, async (trx) => {
    await mailDeciders(visit, trx, { what: 'secret_changed', values: {} });
    await recordOf(visit, trx, 'merchant.rotate_webhook_secret');
  });
  return shownOnce(visit, {
    title: t('dev.secret.made'),
    text: t('dev.secret.made.text'),
    secrets: [[t('dev.secret'), secret]],
  });
}

export async function sendTest(visit: MerchantVisit): Promise<PageResponse> {
  const { db, place, tests, form, t } = visit;
  const { merchant_id: merchantId } = place.merchant;
  const endpoint = form('endpoint') === 'callback_url' ? 'callback_url' : 'webhook_url';
  const may = await canChange(visit, 'tests');
  if (!may.allowed) return overrun(visit, 429, may);
  // The line is written before the request, because the request leaves our server even if it fails.
  await inTransaction(db, (trx) => recordOf(visit, trx, 'webhook.test', { endpoint }));
  try {
    const sent = await tests.send(await getMerchantOrThrow(db, merchantId), endpoint);
    const isGood = sent.error === null;
    const status =
      sent.httpStatus === null ? t('webhook.no_answer') : t('webhook.answer', { status: sent.httpStatus });
    const text = [status, `${String(sent.durationMs)} ms`, sent.error ?? ''].filter(Boolean).join(' · ');
    return await developers(visit, { tested: { isGood, text, answer: sent.excerpt ?? '' } });
  } catch (error) {
    if (!(error instanceof PaymentError)) throw error;
    return developers(visit, {
      fault: t(error.code === 'WEBHOOK_WITHOUT_ADDRESS' ? 'dev.test.refused' : 'error.busy.text'),
    });
  }
}
