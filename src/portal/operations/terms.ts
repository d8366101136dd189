/** One merchant's floats, limits and fees, with the forms to change them. */
import { listLimits } from '../../controls/limits';
import { outflowLimitKinds } from '../../store/control-tables';
import { feeOperations } from '../../store/ledger-tables';
import { listFees } from '../../fees/schedules';
import { findMerchant } from '../../merchants/merchants';
import type { LedgerAccountRow, MerchantRow } from '../../store/tables';
import { money } from '../format';
import { notFound } from '../pages/error-pages';
import { boundOf, defaultsInForce, termsOf } from '../pages/settings';
import { draw, template } from '../render';
import type { PageResponse, PlatformVisit } from '../visit';
import { railWord } from '../words';
import { act, previewButton, authenticateFirst, refusedBefore } from './outcome';

const field = (id: string, word: string, more = '') =>
  `<div class="field"><label for="${id}"><%= it.t('${word}') %></label><input id="${id}" name="${id.split('-')[1] ?? id}" autocomplete="off" maxlength="40"${more}></div>`;
const railField = (id: string, any = true) =>
  `<div class="field"><label for="${id}"><%= it.t('payments.rail') %></label><select id="${id}" name="rail">${any ? `<option value=""><%= it.t('ops.stops.all') %></option>` : ''}<% for (const rail of it.rails) { %><option value="<%= rail %>"><%= it.railName(rail) %></option><% } %></select></div>`;
const reasonField = (id: string) =>
  `<label for="${id}"><%= it.t('ops.stops.reason') %></label><input id="${id}" name="reason" required maxlength="300" autocomplete="off">`;
/** The form that ends an entry, with a reason. Entries for all merchants cannot be ended here. */
const removal = (what: 'limit' | 'fee') =>
  `<% if (it.canAct && one.isOwn) { %><form method="post" action="<%= it.here %>/${what}/remove" class="line"><%~ it.token %><%~ it.once %><input type="hidden" name="id" value="<%= one.id %>"><input name="reason" required maxlength="300" autocomplete="off" placeholder="<%= it.t('ops.stops.reason') %>" aria-label="<%= it.t('ops.stops.reason') %>: <%= one.name %>"><button class="quiet danger" type="submit" aria-label="<%= it.t('terms.end') %>: <%= one.name %>"><%= it.t('terms.end') %></button>${previewButton(`it.t('terms.end') + ': ' + one.name`)}</form><% } %>`;

const termsTemplate = template(`
<p><a href="/ops/merchants"><%= it.t('app.merchants') %></a></p>
<h1><%= it.merchant.name %></h1>
<p><a href="/m/<%= it.merchant.merchant_id %>"><%= it.t('terms.pages') %></a></p>
<%~ it.prove %>
<section class="card" aria-labelledby="floats"><h2 id="floats"><%= it.t('terms.floats') %></h2>
<% if (it.floats.length > 0) { %><dl class="facts"><% for (const one of it.floats) { %><div><dt><%= one.name %></dt><dd><%= one.amount %><% if (one.reserved) { %> <span class="hint"><%= it.t('terms.reserved', { amount: one.reserved }) %></span><% } %></dd></div><% } %></dl>
<% } else { %><p><%= it.t('terms.floats.none') %></p><% } %>
<% if (it.canAct) { %><details><summary><%= it.t('terms.float.move') %></summary>
<form method="post" action="<%= it.here %>/float"><%~ it.token %><%~ it.once %>
<fieldset><legend><%= it.t('terms.float.which') %></legend>
<label class="choice"><input type="radio" name="verb" value="add" checked> <span><%= it.t('terms.float.add') %></span></label>
<label class="choice"><input type="radio" name="verb" value="withdraw"> <span><%= it.t('terms.float.withdraw') %></span></label></fieldset>
<div class="filters">${railField('float-rail', false)}${field('float-country', 'ops.stops.country')}${field('float-currency', 'statements.currency', ' required')}${field('float-amount', 'payments.amount', ' required inputmode="decimal"')}</div>
${reasonField('float-reason')}<div class="actions"><button type="submit"><%= it.t('terms.float.move') %></button>${previewButton(`it.t('terms.float.move')`)}</div></form></details><% } %></section>
<section class="card" aria-labelledby="limits"><h2 id="limits"><%= it.t('settings.limits') %></h2>
<% if (it.limits.length > 0) { %><ul class="rows"><% for (const one of it.limits) { %><li><dl><div><dt><%= one.name %></dt><dd><%= one.bound %></dd></div><div><dt><%= it.t('ops.stops.reason') %></dt><dd><%= one.reason %></dd></div></dl>
${removal('limit')}</li><% } %></ul>
<% } else if (it.defaults.length === 0) { %><p><%= it.t('terms.limits.none') %></p><% } %>
<% if (it.defaults.length > 0) { %><p><%= it.t('settings.limits.defaults') %></p><dl class="facts"><% for (const one of it.defaults) { %><div><dt><%= one.name %></dt><dd><%= one.bound %></dd></div><% } %></dl><% } %>
<% if (it.canAct) { %><details><summary><%= it.t('terms.limit.set') %></summary>
<form method="post" action="<%= it.here %>/limit"><%~ it.token %><%~ it.once %><div class="filters">
<div class="field"><label for="kind"><%= it.t('terms.kind') %></label><select id="kind" name="kind"><% for (const one of it.kinds) { %><option value="<%= one %>"><%= it.t('limit.' + one) %></option><% } %></select></div>
${railField('limit-rail')}${field('limit-currency', 'statements.currency', ' required')}${field('limit-amount', 'payments.amount', ' inputmode="decimal"')}${field('limit-cooldown', 'terms.cooldown')}${field('limit-most', 'terms.most', ' inputmode="numeric"')}</div>
${reasonField('limit-reason')}<div class="actions"><button type="submit"><%= it.t('terms.limit.set') %></button>${previewButton(`it.t('terms.limit.set')`)}</div></form></details><% } %></section>
<section class="card" aria-labelledby="fees"><h2 id="fees"><%= it.t('terms.fees') %></h2>
<% if (it.fees.length > 0) { %><ul class="rows"><% for (const one of it.fees) { %><li><dl><div><dt><%= one.name %></dt><dd><%= one.terms %></dd></div><div><dt><%= it.t('ops.stops.reason') %></dt><dd><%= one.reason %></dd></div></dl>
${removal('fee')}</li><% } %></ul>
<% } else { %><p><%= it.t('terms.fees.none') %></p><% } %>
<% if (it.canAct) { %><details><summary><%= it.t('terms.fee.set') %></summary>
<form method="post" action="<%= it.here %>/fee"><%~ it.token %><%~ it.once %><div class="filters">
<div class="field"><label for="operation"><%= it.t('terms.operation') %></label><select id="operation" name="operation"><% for (const one of it.operations) { %><option value="<%= one %>"><%= it.t('terms.operation.' + one) %></option><% } %></select></div>
${railField('fee-rail')}${field('fee-currency', 'statements.currency', ' required')}${field('fee-fixed', 'terms.fixed', ' inputmode="decimal"')}${field('fee-perMille', 'terms.per_mille', ' inputmode="decimal"')}${field('fee-min', 'terms.min', ' inputmode="decimal"')}${field('fee-max', 'terms.max', ' inputmode="decimal"')}</div>
${reasonField('fee-reason')}<div class="actions"><button type="submit"><%= it.t('terms.fee.set') %></button>${previewButton(`it.t('terms.fee.set')`)}</div></form></details><% } %></section>
`);

const floatsOf = (visit: PlatformVisit, { merchant_id: merchantId }: MerchantRow) =>
  visit
    .db('ledger_accounts')
    .where({ merchant_id: merchantId })
    .whereIn('class', ['float', 'float_reserved'])
    .orderBy(['rail', 'country', 'currency']);

const findOne = ({ db, params }: PlatformVisit) => findMerchant(db, params['shop'] ?? '');

export async function merchantTerms(visit: PlatformVisit): Promise<PageResponse> {
  const { db, operator, session, rails, language, t } = visit;
  const merchant = await findOne(visit);
  if (!merchant) return notFound(visit);
  const { merchant_id: merchantId } = merchant;
  const accounts = await floatsOf(visit, merchant);
  const reservedOf = (float: LedgerAccountRow) =>
    accounts.find(
      (one) =>
        one.class === 'float_reserved' &&
        one.rail === float.rail &&
        one.country === float.country &&
        one.currency === float.currency,
    )?.balance ?? '0';
  const mayAct = operator.role === 'operator';
  const limits = await listLimits(db, { merchantId });
  const scope = (rail: string | null, of: string | null) =>
    [rail === null ? '' : railWord(t, rail), of === null ? t('terms.everybody') : ''].filter(Boolean);
  const body = draw(visit, termsTemplate, {
    ...{ merchant, rails, kinds: outflowLimitKinds, operations: feeOperations },
    here: `/ops/merchants/${merchantId}`,
    prove: authenticateFirst(visit, mayAct),
    canAct: mayAct && session.isFresh,
    floats: accounts
      .filter(({ class: kind }) => kind === 'float')
      .map((float) => ({
        name: [railWord(t, float.rail ?? ''), float.country].filter(Boolean).join(' · '),
        amount: money(float.balance ?? '0', float.currency, language),
        reserved: reservedOf(float) === '0' ? '' : money(reservedOf(float), float.currency, language),
      })),
    defaults: await defaultsInForce(visit, merchantId, limits),
    limits: limits.map((limit) => ({
      id: limit.limit_id,
      isOwn: limit.merchant_id !== null,
      name: [t(`limit.${limit.kind}`), ...scope(limit.rail, limit.merchant_id)].join(' · '),
      bound: boundOf(visit, limit),
      reason: limit.reason,
    })),
    fees: (await listFees(db, { merchantId })).map((fee) => ({
      id: fee.fee_id,
      isOwn: fee.merchant_id !== null,
      name: [t(`terms.operation.${fee.operation}`), ...scope(fee.rail, fee.merchant_id)].join(' · '),
      terms: termsOf(visit, fee),
      reason: fee.reason,
    })),
  });
  return { kind: 'page', title: merchant.name, body };
}

/** A field of the form under its name in the input; nothing for an empty field. */
function given<Name extends string>({ form }: PlatformVisit, name: Name, from: string = name) {
  const text = form(from).trim();
  const value = name === 'currency' || name === 'country' ? text.toUpperCase() : text;
  return (value === '' ? {} : { [name]: value }) as Partial<Record<Name, string>>;
}

/** The fields of every form on this page. The action refuses missing ones. */
const common = (visit: PlatformVisit) => ({
  ...{ currency: visit.form('currency').trim().toUpperCase(), reason: visit.form('reason').trim() },
  ...given(visit, 'rail'),
});

/** Runs a change for the merchant of the page. The form must have a reason. */
async function changing(
  visit: PlatformVisit,
  change: (merchant: MerchantRow, back: string) => Promise<PageResponse> | PageResponse,
): Promise<PageResponse> {
  const merchant = await findOne(visit);
  if (!merchant) return notFound(visit);
  const back = `/ops/merchants/${merchant.merchant_id}`;
  if (visit.form('reason').trim() === '')
    return refusedBefore(visit, visit.t('ops.stops.reason.needed'), back);
  return change(merchant, back);
}

export function transferFloat(visit: PlatformVisit): Promise<PageResponse> {
  const { form } = visit;
  return changing(visit, ({ merchant_id: merchantId }, back) => {
    const kind = form('verb') === 'withdraw' ? 'float.withdraw' : 'float.add';
    const [rail, amount] = [form('rail'), form('amount').trim()];
    const of = { merchant_id: merchantId, ...common(visit), rail, amount, ...given(visit, 'country') };
    return act(visit, { kind, input: of }, back);
  });
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** `24h`, `2d` or `1h30m` in seconds; undefined for an invalid text. */
function secondsOf(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d{1,9})([smhd])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined;
  return parts.reduce((sum, [, digits, unit = '']) => sum + Number(digits) * (unitSeconds[unit] ?? 0), 0);
}

export function setLimit(visit: PlatformVisit): Promise<PageResponse> {
  const { form, t } = visit;
  return changing(visit, ({ merchant_id: merchantId }, back) => {
    const kind = outflowLimitKinds.find((one) => one === form('kind'));
    if (!kind) return refusedBefore(visit, t('terms.fault'), back);
    const [wait, most] = [form('cooldown').trim(), form('most').trim()];
    const seconds = wait === '' ? undefined : secondsOf(wait);
    if (wait !== '' && seconds === undefined) return refusedBefore(visit, t('terms.cooldown.fault'), back);
    if (most !== '' && !/^\d{1,9}$/.test(most)) return refusedBefore(visit, t('terms.most.fault'), back);
    const input = {
      ...{ kind, merchant_id: merchantId, ...common(visit), ...given(visit, 'amount') },
      ...(seconds !== undefined && { cooldown_s: seconds }),
      ...(most !== '' && { most: Number(most) }),
    };
    return act(visit, { kind: 'limit.set', input }, back);
  });
}

export function setFee(visit: PlatformVisit): Promise<PageResponse> {
  return changing(visit, ({ merchant_id: merchantId }, back) => {
    const operation = feeOperations.find((one) => one === visit.form('operation'));
    if (!operation) return refusedBefore(visit, visit.t('terms.fault'), back);
    const input = {
      ...{ operation, merchant_id: merchantId, ...common(visit), ...given(visit, 'fixed') },
      ...given(visit, 'per_mille', 'perMille'),
      ...given(visit, 'minimum', 'min'),
      ...given(visit, 'maximum', 'max'),
    };
    return act(visit, { kind: 'fee.set', input }, back);
  });
}

/** The id of an entry of the page. */
const idIn = ({ form }: PlatformVisit) => /^\w[\w-]*$/.exec(form('id'))?.[0];

export function endLimit(visit: PlatformVisit): Promise<PageResponse> {
  return changing(visit, (_, back) => {
    const id = idIn(visit);
    if (id === undefined) return refusedBefore(visit, visit.t('terms.fault'), back);
    const input = { limit_id: id, reason: visit.form('reason').trim() };
    return act(visit, { kind: 'limit.remove', input }, back);
  });
}

export function endFee(visit: PlatformVisit): Promise<PageResponse> {
  return changing(visit, (_, back) => {
    const id = idIn(visit);
    if (id === undefined) return refusedBefore(visit, visit.t('terms.fault'), back);
    const input = { fee_id: id, reason: visit.form('reason').trim() };
    return act(visit, { kind: 'fee.remove', input }, back);
  });
}
