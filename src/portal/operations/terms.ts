/** One merchant's floats, limits and fees: what is in force, and what an operator changes of it. */
import { listLimits } from '../../controls/limits';
import { outflowLimitKinds } from '../../store/outflow-tables';
import { feeOperations } from '../../store/fee-tables';
import { listFees } from '../../fees/schedules';
import { findMerchant } from '../../merchants/merchants';
import type { LedgerAccountRow, MerchantRow } from '../../store/tables';
import { money } from '../format';
import { notFound } from '../pages/refusals';
import { boundOf, defaultsInForce, termsOf } from '../pages/settings';
import { draw, template } from '../render';
import type { Answer, PlatformVisit } from '../visit';
import { railWord } from '../words';
import { carryOut, proveFirst, refusedBefore } from './outcome';

const field = (id: string, word: string, more = '') =>
  `<div class="field"><label for="${id}"><%= it.t('${word}') %></label><input id="${id}" name="${id.split('-')[1] ?? id}" autocomplete="off" maxlength="40"${more}></div>`;
const railField = (id: string, any = true) =>
  `<div class="field"><label for="${id}"><%= it.t('payments.rail') %></label><select id="${id}" name="rail">${any ? `<option value=""><%= it.t('ops.stops.all') %></option>` : ''}<% for (const rail of it.rails) { %><option value="<%= rail %>"><%= it.railName(rail) %></option><% } %></select></div>`;
const reasonField = (id: string) =>
  `<label for="${id}"><%= it.t('ops.stops.reason') %></label><input id="${id}" name="reason" required maxlength="300" autocomplete="off">`;
/** What ends a line of a list, with why. What is everybody's is no merchant's to end. */
const removal = (what: 'limit' | 'fee') =>
  `<% if (it.canAct && one.isOwn) { %><form method="post" action="<%= it.here %>/${what}/remove" class="line"><%~ it.token %><input type="hidden" name="id" value="<%= one.id %>"><input name="reason" required maxlength="300" autocomplete="off" placeholder="<%= it.t('ops.stops.reason') %>" aria-label="<%= it.t('ops.stops.reason') %>: <%= one.name %>"><button class="quiet danger" type="submit" aria-label="<%= it.t('terms.end') %>: <%= one.name %>"><%= it.t('terms.end') %></button></form><% } %>`;

const termsTemplate = template(`
<p><a href="/ops/merchants"><%= it.t('app.merchants') %></a></p>
<h1><%= it.merchant.name %></h1>
<p><a href="/m/<%= it.merchant.merchant_id %>"><%= it.t('terms.pages') %></a></p>
<%~ it.prove %>
<section class="card" aria-labelledby="floats"><h2 id="floats"><%= it.t('terms.floats') %></h2>
<% if (it.floats.length > 0) { %><dl class="facts"><% for (const one of it.floats) { %><div><dt><%= one.name %></dt><dd><%= one.amount %><% if (one.reserved) { %> <span class="hint"><%= it.t('terms.reserved', { amount: one.reserved }) %></span><% } %></dd></div><% } %></dl>
<% } else { %><p><%= it.t('terms.floats.none') %></p><% } %>
<% if (it.canAct) { %><details><summary><%= it.t('terms.float.move') %></summary>
<form method="post" action="<%= it.here %>/float"><%~ it.token %><input type="hidden" name="seen" value="<%= it.seen %>">
<fieldset><legend><%= it.t('terms.float.which') %></legend>
<label class="choice"><input type="radio" name="verb" value="add" checked> <span><%= it.t('terms.float.add') %></span></label>
<label class="choice"><input type="radio" name="verb" value="withdraw"> <span><%= it.t('terms.float.withdraw') %></span></label></fieldset>
<div class="filters">${railField('float-rail', false)}${field('float-country', 'ops.stops.country')}${field('float-currency', 'statements.currency', ' required')}${field('float-amount', 'payments.amount', ' required inputmode="decimal"')}</div>
${reasonField('float-reason')}<button type="submit"><%= it.t('terms.float.move') %></button></form></details><% } %></section>
<section class="card" aria-labelledby="limits"><h2 id="limits"><%= it.t('settings.limits') %></h2>
<% if (it.limits.length > 0) { %><ul class="rows"><% for (const one of it.limits) { %><li><dl><div><dt><%= one.name %></dt><dd><%= one.bound %></dd></div><div><dt><%= it.t('ops.stops.reason') %></dt><dd><%= one.reason %></dd></div></dl>
${removal('limit')}</li><% } %></ul>
<% } else if (it.defaults.length === 0) { %><p><%= it.t('terms.limits.none') %></p><% } %>
<% if (it.defaults.length > 0) { %><p><%= it.t('settings.limits.defaults') %></p><dl class="facts"><% for (const one of it.defaults) { %><div><dt><%= one.name %></dt><dd><%= one.bound %></dd></div><% } %></dl><% } %>
<% if (it.canAct) { %><details><summary><%= it.t('terms.limit.set') %></summary>
<form method="post" action="<%= it.here %>/limit"><%~ it.token %><div class="filters">
<div class="field"><label for="kind"><%= it.t('terms.kind') %></label><select id="kind" name="kind"><% for (const one of it.kinds) { %><option value="<%= one %>"><%= it.t('limit.' + one) %></option><% } %></select></div>
${railField('limit-rail')}${field('limit-currency', 'statements.currency', ' required')}${field('limit-amount', 'payments.amount', ' inputmode="decimal"')}${field('limit-cooldown', 'terms.cooldown')}${field('limit-most', 'terms.most', ' inputmode="numeric"')}</div>
${reasonField('limit-reason')}<button type="submit"><%= it.t('terms.limit.set') %></button></form></details><% } %></section>
<section class="card" aria-labelledby="fees"><h2 id="fees"><%= it.t('terms.fees') %></h2>
<% if (it.fees.length > 0) { %><ul class="rows"><% for (const one of it.fees) { %><li><dl><div><dt><%= one.name %></dt><dd><%= one.terms %></dd></div><div><dt><%= it.t('ops.stops.reason') %></dt><dd><%= one.reason %></dd></div></dl>
${removal('fee')}</li><% } %></ul>
<% } else { %><p><%= it.t('terms.fees.none') %></p><% } %>
<% if (it.canAct) { %><details><summary><%= it.t('terms.fee.set') %></summary>
<form method="post" action="<%= it.here %>/fee"><%~ it.token %><div class="filters">
<div class="field"><label for="operation"><%= it.t('terms.operation') %></label><select id="operation" name="operation"><% for (const one of it.operations) { %><option value="<%= one %>"><%= it.t('terms.operation.' + one) %></option><% } %></select></div>
${railField('fee-rail')}${field('fee-currency', 'statements.currency', ' required')}${field('fee-fixed', 'terms.fixed', ' inputmode="decimal"')}${field('fee-perMille', 'terms.per_mille', ' inputmode="decimal"')}${field('fee-min', 'terms.min', ' inputmode="decimal"')}${field('fee-max', 'terms.max', ' inputmode="decimal"')}</div>
${reasonField('fee-reason')}<button type="submit"><%= it.t('terms.fee.set') %></button></form></details><% } %></section>
`);

const floatsOf = (visit: PlatformVisit, { merchant_id: merchantId }: MerchantRow) =>
  visit
    .db('ledger_accounts')
    .where({ merchant_id: merchantId })
    .whereIn('class', ['float', 'float_reserved'])
    .orderBy(['rail', 'country', 'currency']);

/** What a page was drawn with: a form that is sent twice moves money once. */
const seenOf = (accounts: readonly LedgerAccountRow[]) =>
  accounts.map(({ account_id: id, balance }) => `${id.slice(0, 8)}.${balance ?? ''}`).join(' ');

const findOne = ({ db, params }: PlatformVisit) => findMerchant(db, params['shop'] ?? '');

export async function merchantTerms(visit: PlatformVisit): Promise<Answer> {
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
    seen: seenOf(accounts),
    prove: proveFirst(visit, mayAct),
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

/** The options of a command, of the fields that were filled in. */
function given({ form }: PlatformVisit, names: Readonly<Record<string, string>>): string[] {
  return Object.entries(names).flatMap(([name, option]) => {
    const text = form(name).trim();
    const value = name === 'currency' || name === 'country' ? text.toUpperCase() : text;
    return value === '' ? [] : [`--${option}=${value}`];
  });
}

const common = { rail: 'rail', currency: 'currency', reason: 'reason' };

/** Each by the command that operators type, for the merchant of the page. */
function changing(command: (visit: PlatformVisit, merchantId: string) => string[] | undefined) {
  return async (visit: PlatformVisit): Promise<Answer> => {
    const merchant = await findOne(visit);
    if (!merchant) return notFound(visit);
    const back = `/ops/merchants/${merchant.merchant_id}`;
    if (visit.form('reason').trim() === '')
      return refusedBefore(visit, visit.t('ops.stops.reason.needed'), back);
    const argv = command(visit, merchant.merchant_id);
    return argv ? carryOut(visit, argv, back) : refusedBefore(visit, visit.t('terms.fault'), back);
  };
}

export async function moveFloat(visit: PlatformVisit): Promise<Answer> {
  const merchant = await findOne(visit);
  if (!merchant) return notFound(visit);
  const back = `/ops/merchants/${merchant.merchant_id}`;
  if (visit.form('seen') !== seenOf(await floatsOf(visit, merchant)))
    return refusedBefore(visit, visit.t('terms.float.changed'), back);
  return changing((_, merchantId) => {
    const verb = visit.form('verb') === 'withdraw' ? 'withdraw' : 'add';
    return ['float', verb, merchantId, ...given(visit, { ...common, country: 'country', amount: 'amount' })];
  })(visit);
}

export const setLimit = changing((visit, merchantId) => {
  const kind = outflowLimitKinds.find((one) => one === visit.form('kind'));
  const options = given(visit, { ...common, amount: 'amount', cooldown: 'cooldown', most: 'most' });
  return kind && ['limit', 'set', kind, `--merchant=${merchantId}`, ...options];
});

export const setFee = changing((visit, merchantId) => {
  const operation = feeOperations.find((one) => one === visit.form('operation'));
  const amounts = { fixed: 'fixed', perMille: 'per-mille', min: 'min', max: 'max' };
  return (
    operation && [
      'fee',
      'set',
      operation,
      `--merchant=${merchantId}`,
      ...given(visit, { ...common, ...amounts }),
    ]
  );
});

const ending = (what: 'limit' | 'fee') =>
  changing((visit) => {
    const id = visit.form('id');
    // An id, and no option.
    return /^\w[\w-]*$/.test(id) ? [what, 'remove', id, ...given(visit, { reason: 'reason' })] : undefined;
  });
export const endLimit = ending('limit');
export const endFee = ending('fee');
