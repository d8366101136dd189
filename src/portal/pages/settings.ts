/** The merchant's settings, and the limits and fees that operators have set. */
import { defaultLimitsOf } from '../../controls/default-limits';
import { limitKinds, listLimits } from '../../controls/limits';
import { PaymentError } from '../../domain/errors';
import { setMerchant } from '../../merchants/merchants';
import { formatAmount, type Currency } from '../../domain/money';
import { listFees } from '../../fees/schedules';
import type { FeeScheduleRow, MerchantRow, OutflowLimitRow } from '../../store/tables';
import { faultsText, doneOf, canChange, problem, recordOf } from './parts';
import { money } from '../format';
import { draw, template } from '../render';
import { go, type PageResponse, type MerchantVisit } from '../visit';
import { railWord } from '../words';
import { overrun } from './error-pages';

const settingsTemplate = template(`
<%~ it.done %><%~ it.problem %>
<h1><%= it.t('settings.title') %></h1>
<% if (it.isOwner && !it.session.isFresh) { %><div class="note"><p><%= it.t('dev.prove') %></p><p><a class="button" href="/confirm?next=<%= it.base %>/settings"><%= it.t('dev.prove.go') %></a></p></div><% } %>
<section class="card" aria-labelledby="business"><h2 id="business"><%= it.t('settings.business') %></h2>
<% if (it.isOwner && it.session.isFresh) { %>
<form method="post" action="<%= it.base %>/settings"><%~ it.token %>
<label for="name"><%= it.t('dev.key.name') %></label><input id="name" name="name" required maxlength="200" autocomplete="off" value="<%= it.values.name %>">
<label for="returnUrl"><%= it.t('dev.address.returnUrl') %></label><input id="returnUrl" name="returnUrl" type="url" inputmode="url" maxlength="2000" autocomplete="off" value="<%= it.values.returnUrl %>">
<label for="cancelUrl"><%= it.t('dev.address.cancelUrl') %></label><input id="cancelUrl" name="cancelUrl" type="url" inputmode="url" maxlength="2000" autocomplete="off" value="<%= it.values.cancelUrl %>">
<label for="walletCurrency"><%= it.t('settings.wallet') %></label><p class="hint" id="wallet-hint"><%= it.t('settings.wallet.hint') %></p>
<select id="walletCurrency" name="walletCurrency" aria-describedby="wallet-hint"><% for (const one of it.currencies) { %><option<% if (one === it.values.walletCurrency) { %> selected<% } %>><%= one %></option><% } %></select>
<label for="timeZone"><%= it.t('settings.zone') %></label><p class="hint" id="zone-hint"><%= it.t('settings.zone.hint', { zone: it.ownZone }) %></p>
<input id="timeZone" name="timeZone" list="zones" maxlength="64" autocomplete="off" spellcheck="false" aria-describedby="zone-hint" placeholder="<%= it.ownZone %>" value="<%= it.values.timeZone %>">
<datalist id="zones"><% for (const one of it.zones) { %><option value="<%= one %>"></option><% } %></datalist>
<button type="submit"><%= it.t('dev.save') %></button></form>
<% } else { %>
<dl class="facts"><div><dt><%= it.t('dev.key.name') %></dt><dd><%= it.values.name %></dd></div>
<% if (it.seesAddresses) { %><div><dt><%= it.t('dev.address.returnUrl') %></dt><dd><%= it.values.returnUrl || '–' %></dd></div>
<div><dt><%= it.t('dev.address.cancelUrl') %></dt><dd><%= it.values.cancelUrl || '–' %></dd></div><% } %>
<div><dt><%= it.t('settings.wallet') %></dt><dd><%= it.values.walletCurrency %></dd></div>
<div><dt><%= it.t('settings.zone') %></dt><dd><%= it.values.timeZone || it.ownZone %></dd></div></dl>
<% } %></section>
<section class="card" aria-labelledby="fees"><h2 id="fees"><%= it.t('settings.fees') %></h2>
<% if (it.fees.length > 0) { %><dl class="facts"><% for (const one of it.fees) { %><div><dt><%= one.name %></dt><dd><%= one.terms %></dd></div><% } %></dl>
<% } else { %><p><%= it.t('settings.fees.none') %></p><% } %></section>
<section class="card" aria-labelledby="limits"><h2 id="limits"><%= it.t('settings.limits') %></h2>
<p><%= it.t('settings.limits.text') %></p>
<% if (it.defaults.length > 0) { %><p><%= it.t('settings.limits.defaults') %></p>
<dl class="facts"><% for (const one of it.defaults) { %><div><dt><%= one.name %></dt><dd><%= one.bound %></dd></div><% } %></dl><% } %>
<% if (it.limits.length > 0) { %><dl class="facts"><% for (const one of it.limits) { %><div><dt><%= it.t('limit.' + one.kind) %><% if (one.rail) { %> · <%= one.rail %><% } %></dt><dd><%= one.bound %></dd></div><% } %></dl>
<% } else if (it.defaults.length === 0) { %><p><%= it.t('settings.limits.none') %></p><% } %>
<dl class="facts"><div><dt><%= it.t('settings.requests') %></dt><dd><%= it.count(it.merchant.api_rate) %></dd></div>
<div><dt><%= it.t('settings.prompts') %></dt><dd><%= it.count(it.merchant.stk_rate) %></dd></div>
<div><dt><%= it.t('settings.permissions') %></dt><dd><%= it.merchant.permissions.join(', ') || '–' %></dd></div></dl></section>
`);

const fields = {
  name: 'name',
  returnUrl: 'return_url',
  cancelUrl: 'cancel_url',
  walletCurrency: 'wallet_currency',
  timeZone: 'time_zone',
} as const satisfies Record<string, keyof MerchantRow>;
const walletCurrencies = ['USD', 'KES', 'TZS', 'UGX'] as const;

/** `KES 500.00`, `20`, or an amount with the hours of the hold above it. */
export function boundOf(
  { t, language }: Pick<MerchantVisit, 't' | 'language'>,
  { amount, currency, most, cooldown_s: cooldown }: OutflowLimitRow,
): string {
  if (most !== null) return String(most);
  const bound = money(amount ?? '0', currency, language);
  if (cooldown === null) return bound;
  return t('limit.then_waits', { bound, hours: Math.ceil(cooldown / 3_600) });
}

/**
 * The default limits in the currencies of a merchant's floats. A limit of the same kind for all rails replaces a
 * default. There are none if the deployment disables them.
 */
export async function defaultsInForce(
  { db, outflowDefaults, language, t }: Pick<MerchantVisit, 'db' | 'outflowDefaults' | 'language' | 't'>,
  merchantId: string,
  set: readonly OutflowLimitRow[],
): Promise<{ name: string; bound: string }[]> {
  if (!outflowDefaults) return [];
  const currencies = await db('ledger_accounts')
    .where({ merchant_id: merchantId, class: 'float' })
    .distinct('currency')
    .orderBy('currency')
    .pluck<Currency[]>('currency');
  const isSet = (kind: string, currency: Currency) =>
    set.some((one) => one.kind === kind && one.currency === currency && one.rail === null);
  return currencies
    .flatMap(defaultLimitsOf)
    .filter(({ kind, currency }) => !isSet(kind, currency))
    .map(({ kind, currency, amountMinor }) => ({
      name: t(`limit.${kind}`),
      bound: money(amountMinor, currency, language),
    }));
}

/** The merchant's fees: its own schedules, and the general ones that no own schedule replaces. */
async function feesInForce({ db, t }: MerchantVisit, merchantId: string) {
  const all = await listFees(db, { merchantId });
  const isReplaced = (fee: FeeScheduleRow) =>
    fee.merchant_id === null &&
    all.some(
      (one) =>
        one.merchant_id !== null &&
        one.operation === fee.operation &&
        one.currency === fee.currency &&
        (one.rail === null || one.rail === fee.rail),
    );
  return all
    .filter((fee) => !isReplaced(fee))
    .map((fee) => ({
      name: [t(`terms.operation.${fee.operation}`), fee.rail === null ? '' : railWord(t, fee.rail)]
        .filter(Boolean)
        .join(' · '),
      terms: termsOf({ t }, fee),
    }));
}

/** `KES 5.00 + 15 ‰`, with the minimum and the maximum. */
export function termsOf(
  { t }: Pick<MerchantVisit, 't'>,
  { fixed, per_million: share, minimum, maximum, currency }: FeeScheduleRow,
): string {
  const reported = (minor: string) => formatAmount(BigInt(minor), currency);
  return [
    `${currency} ${reported(fixed)} + ${String(share / 1_000)} ‰`,
    minimum === null ? '' : `${t('terms.min')} ${reported(minimum)}`,
    maximum === null ? '' : `${t('terms.max')} ${reported(maximum)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

const valuesOf = (merchant: MerchantRow): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, column]) => [name, merchant[column] ?? '']));

interface Rejected {
  fault?: string;
  field?: string;
  typed?: Record<string, string>;
}

export async function settings(visit: MerchantVisit, { fault = '', field = '', typed }: Rejected = {}) {
  const { db, place, config, t } = visit;
  const { merchant } = place;
  const limits = await listLimits(db, { merchantId: merchant.merchant_id });
  const body = draw(visit, settingsTemplate, {
    done: fault === '' ? doneOf(visit, 'settings') : '',
    problem: problem(visit, fault, field),
    isOwner: place.as === 'owner',
    // A URL may contain a secret of the merchant.
    seesAddresses: place.as !== 'finance' && place.as !== 'viewer',
    ...{ merchant, currencies: walletCurrencies, values: typed ?? valuesOf(merchant) },
    ...{ ownZone: config.timezone, zones: Intl.supportedValuesOf('timeZone') },
    fees: await feesInForce(visit, merchant.merchant_id),
    defaults: await defaultsInForce(visit, merchant.merchant_id, limits),
    limits: limits
      .filter(({ kind }) => Object.hasOwn(limitKinds, kind))
      .map((limit) => ({
        ...limit,
        rail: limit.rail === null ? '' : railWord(t, limit.rail),
        bound: boundOf(visit, limit),
      })),
  });
  return {
    kind: 'page',
    status: fault === '' ? 200 : 422,
    title: t('settings.title'),
    body,
  } satisfies PageResponse;
}

export async function changeSettings(visit: MerchantVisit): Promise<PageResponse> {
  const { db, place, config, form } = visit;
  const { merchant_id: merchantId } = place.merchant;
  const names = Object.keys(fields);
  const typed = Object.fromEntries(names.map((name) => [name, form(name).trim()]));
  const may = await canChange(visit, 'connection');
  if (!may.allowed) return overrun(visit, 429, may);
  try {
    await setMerchant(db, merchantId, typed, config, (trx) =>
      // Only the names of the fields: a URL may contain a secret of the merchant.
      recordOf(visit, trx, 'merchant.set', { set: names }),
    );
  } catch (error) {
    if (!(error instanceof PaymentError) || error.code !== 'VALIDATION_FAILED') throw error;
    const details = error.options.details ?? [];
    const fault = faultsText(visit, details);
    return settings(visit, { fault, field: details[0]?.field ?? '', typed });
  }
  return go(`/m/${merchantId}/settings?done=saved`);
}
