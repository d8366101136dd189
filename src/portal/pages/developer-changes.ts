/** What developers change: by the functions of the command line, each with its line in the audit log. */
import { PaymentError } from '../../domain/errors';
import { getMerchantOrThrow, rotateWebhookSecret, setMerchant } from '../../merchants/merchants';
import type { MerchantInput } from '../../merchants/merchants';
import { addKey, revokeKey } from '../../merchants/own-keys';
import { takeToken } from '../../merchants/rate-limit';
import { faultsText } from '../faults';
import { inTransaction } from '../../store/transaction';
import { draw, template } from '../render';
import { go, type Answer, type MerchantVisit } from '../visit';
import { addressFields, developers, secretSeen } from './developers';
import { recordOf } from './parts';
import { notFound } from './refusals';

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

/** The only time that it is shown. */
export function shownOnce(
  visit: MerchantVisit,
  {
    back = pageOf(visit),
    ...told
  }: { title: string; text: string; secrets: [string, string][]; back?: string },
): Answer {
  return { kind: 'page', title: told.title, body: draw(visit, shownTemplate, { ...told, back }) };
}

function pageOf({ place }: MerchantVisit): string {
  return `/m/${place.merchant.merchant_id}/developers`;
}

/** Says on the page what is wrong with what was typed. */
async function orTold(visit: MerchantVisit, fields: string[], work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PaymentError) || error.code !== 'VALIDATION_FAILED') throw error;
    const { details = [] } = error.options;
    const typed = Object.fromEntries(fields.map((name) => [name, visit.form(name)]));
    const field = (details[0]?.field ?? '').split('.')[0] ?? '';
    return developers(visit, { fault: faultsText(visit, details), field, typed });
  }
}

export function createKey(visit: MerchantVisit): Promise<Answer> {
  const { db, place, config, form, t } = visit;
  return orTold(visit, ['name'], async () => {
    const { merchant_id: merchantId } = place.merchant;
    const wish = { environment: config.environment, name: form('name'), newest: form('newest') };
    const added = await addKey(db, merchantId, wish, (trx, apiKey) =>
      recordOf(visit, trx, 'api_key.create', { api_key: apiKey }),
    );
    if (added.kind !== 'added') return developers(visit, { fault: t(`dev.key.${added.kind}`) });
    const { api_key: key, api_secret: secret } = added.pair;
    return shownOnce(visit, {
      title: t('dev.key.made'),
      text: t('dev.key.made.text'),
      secrets: [
        ['X-API-Key', key],
        ['X-API-Secret', secret],
      ],
    });
  });
}

export async function endKey(visit: MerchantVisit): Promise<Answer> {
  const { db, place, form } = visit;
  const apiKey = form('key');
  const revoked = await revokeKey(db, place.merchant.merchant_id, apiKey, (trx) =>
    recordOf(visit, trx, 'api_key.revoke', { api_key: apiKey }),
  );
  return revoked ? go(`${pageOf(visit)}?done=revoked`) : notFound(visit);
}

function change(visit: MerchantVisit, fields: string[], changes: MerchantInput): Promise<Answer> {
  const { db, place, config } = visit;
  return orTold(visit, fields, async () => {
    await setMerchant(db, place.merchant.merchant_id, changes, config, (trx) =>
      // Not what was set: an address may hold a secret of its owner's.
      recordOf(visit, trx, 'merchant.set', { set: fields }),
    );
    return go(`${pageOf(visit)}?done=saved`);
  });
}

export function setAddresses(visit: MerchantVisit): Promise<Answer> {
  const fields = Object.keys(addressFields) as (keyof typeof addressFields)[];
  const changes = Object.fromEntries(fields.map((field) => [field, visit.form(field).trim()]));
  return change(visit, fields, changes);
}

/** One to a line, or with commas between them. */
const listOf = (text: string) => text.split(/[\s,]+/).filter((item) => item !== '');

export function setAccess(visit: MerchantVisit): Promise<Answer> {
  const { form } = visit;
  const changes = { ipAllow: listOf(form('ipAllow')), checkoutHosts: listOf(form('checkoutHosts')) };
  return change(visit, Object.keys(changes), changes);
}

export async function newWebhookSecret(visit: MerchantVisit): Promise<Answer> {
  const { db, box, place, form, t } = visit;
  if (form('seen') !== secretSeen(place.merchant))
    return developers(visit, { fault: t('dev.secret.changed') });
  const { merchant_id: merchantId } = place.merchant;
  const secret = await rotateWebhookSecret(db, box, merchantId, (trx) =>
    recordOf(visit, trx, 'merchant.rotate_webhook_secret'),
  );
  return shownOnce(visit, {
    title: t('dev.secret.made'),
    text: t('dev.secret.made.text'),
    secrets: [[t('dev.secret'), secret]],
  });
}

/** Of one merchant: its own server is what hears them. */
const testsPerMinute = 10;

export async function sendTest(visit: MerchantVisit): Promise<Answer> {
  const { db, place, tests, form, t } = visit;
  const { merchant_id: merchantId } = place.merchant;
  const endpoint = form('endpoint') === 'callback_url' ? 'callback_url' : 'webhook_url';
  const limit = { ratePerMinute: testsPerMinute, burst: testsPerMinute };
  const bucket = await takeToken(db, { bucket: `portal:tests:${merchantId}`, ...limit });
  if (!bucket.allowed)
    return developers(visit, { fault: t('sign_in.slow', { seconds: bucket.retryAfterSeconds }) });
  // Before it is sent: it leaves in our name, whatever comes of it.
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
