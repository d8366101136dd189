/** How a merchant's server is reached, and from where it may call: each change with its line in the audit log. */
import { PaymentError } from '../../domain/errors';
import { isWiderList } from '../../domain/ip-address';
import { merchantColumns } from '../../merchants/merchant-input';
import {
  getMerchantOrThrow,
  lockMerchant,
  merchantOf,
  rotateWebhookSecret,
  setMerchant,
} from '../../merchants/merchants';
import { holdRows, rowChanged } from '../../users/audit-log';
import { rightToDecide } from '../../users/deciders';
import { NotNow } from '../../users/key-confirmations';
import { inTransaction } from '../../store/transaction';
import { addressesChange, tellDeciders } from '../tell-deciders';
import { go, type Answer, type MerchantVisit } from '../visit';
import { orTold, pageOf, shownOnce } from './developer-changes';
import { addressFields, developers, secretSeen } from './developers';
import { mayChange, recordOf, somebodyOf } from './parts';
import { overrun } from './refusals';

export async function setAddresses(visit: MerchantVisit): Promise<Answer> {
  const { db, place, config } = visit;
  const { merchant } = place;
  const fields = Object.keys(addressFields) as (keyof typeof addressFields)[];
  const changes = Object.fromEntries(fields.map((field) => [field, visit.form(field).trim()]));
  const may = await mayChange(visit, 'connection');
  if (!may.allowed) return overrun(visit, 429, may);
  return orTold(visit, fields, async () => {
    await setMerchant(db, merchant.merchant_id, changes, config, async (trx) => {
      const now = await getMerchantOrThrow(trx, merchant.merchant_id);
      const changed = Object.values(addressFields).filter((column) => now[column] !== merchant[column]);
      if (changed.length > 0) await tellDeciders(visit, trx, addressesChange(now, changed));
      // Not what was set: an address may hold a secret of its owner's.
      await recordOf(visit, trx, 'merchant.set', { set: fields });
    });
    return go(`${pageOf(visit)}?done=saved`);
  });
}

/** One to a line, or with commas between them. */
const listOf = (text: string) => text.split(/[\s,]+/).filter((item) => item !== '');

/** From where keys may be used is as good as a key: who may not pay out takes addresses away, and adds none. */
export async function setAccess(visit: MerchantVisit): Promise<Answer> {
  const may = await mayChange(visit, 'connection');
  if (!may.allowed) return overrun(visit, 429, may);
  const { db, place, config, form, t } = visit;
  const fields = ['ipAllow', 'checkoutHosts'];
  const typed = { ipAllow: form('ipAllow'), checkoutHosts: form('checkoutHosts') };
  const changes = { ipAllow: listOf(typed.ipAllow), checkoutHosts: listOf(typed.checkoutHosts) };
  const { merchant_id: merchantId } = place.merchant;
  return orTold(visit, fields, async () => {
    let isWider = false;
    try {
      await inTransaction(db, async (trx) => {
        const { ip_allow: before } = merchantOf(await lockMerchant(trx, merchantId));
        isWider = isWiderList(changes.ipAllow, before);
        const columns = merchantColumns(changes, config.environment);
        if (isWider && (await rightToDecide(trx, somebodyOf(visit), 0)) !== 'may') throw new NotNow('role');
        await holdRows(trx, 'merchants', merchantId);
        await trx('merchants')
          .where({ merchant_id: merchantId })
          .update({ ...columns, updated_at: new Date() } as object);
        await rowChanged(trx, 'merchants', merchantId);
        const addresses = changes.ipAllow.join(', ') || '*';
        if (changes.ipAllow.join() !== before.join())
          await tellDeciders(visit, trx, { what: 'access_changed', values: { addresses } });
        await recordOf(visit, trx, 'merchant.set', { set: fields, ...(isWider && { widened: true }) });
      });
    } catch (error) {
      if (!(error instanceof NotNow)) throw error;
      return developers(visit, { fault: t('dev.access.not_wider'), field: 'ipAllow', typed });
    }
    return go(`${pageOf(visit)}?done=saved`);
  });
}

export async function newWebhookSecret(visit: MerchantVisit): Promise<Answer> {
  const { db, box, place, form, t } = visit;
  if (form('seen') !== secretSeen(place.merchant))
    return developers(visit, { fault: t('dev.secret.changed') });
  const { merchant_id: merchantId } = place.merchant;
  const may = await mayChange(visit, 'connection');
  if (!may.allowed) return overrun(visit, 429, may);
  const secret = await rotateWebhookSecret(db, box, merchantId, async (trx) => {
    await tellDeciders(visit, trx, { what: 'secret_changed', values: {} });
    await recordOf(visit, trx, 'merchant.rotate_webhook_secret');
  });
  return shownOnce(visit, {
    title: t('dev.secret.made'),
    text: t('dev.secret.made.text'),
    secrets: [[t('dev.secret'), secret]],
  });
}

export async function sendTest(visit: MerchantVisit): Promise<Answer> {
  const { db, place, tests, form, t } = visit;
  const { merchant_id: merchantId } = place.merchant;
  const endpoint = form('endpoint') === 'callback_url' ? 'callback_url' : 'webhook_url';
  const may = await mayChange(visit, 'tests');
  if (!may.allowed) return overrun(visit, 429, may);
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
