/** Paused payouts and payments on hold, with the forms to resume and to release them. */
import { listPayoutPauses } from '../../controls/pauses';
import { holdOf, type HoldReason } from '../../payments/read/on-hold';
import { listOnHold } from '../../payments/read/open-payments';
import { listCursorOf, listCursorAt } from '../../store/list-cursor';
import type { MerchantRow, PayoutPauseRow } from '../../store/tables';
import { numberAfter, pager } from '../pages/parts';
import { amountOf, maskedPhone } from '../pages/payment-words';
import { draw, template } from '../render';
import type { PageResponse, PlatformVisit } from '../visit';
import { railWord } from '../words';
import { merchantChoice } from './merchants';
import { act, isPreview, previewButton, authenticateFirst, refusedBefore } from './outcome';

const stopsTemplate = template(`
<h1><%= it.t('ops.stops') %></h1>
<p><%= it.t('ops.stops.text') %></p>
<%~ it.prove %>
<% if (it.canAct) { %>
<form method="post" action="/ops/pauses" class="card"><%~ it.token %><%~ it.once %>
<p><%= it.t('ops.stops.choose') %></p>
<div class="filters">
<div class="field"><label for="rail"><%= it.t('payments.rail') %></label><select id="rail" name="rail"><option value=""><%= it.t('ops.stops.all') %></option><% for (const rail of it.rails) { %><option value="<%= rail %>"><%= it.railName(rail) %></option><% } %></select></div>
<div class="field"><%~ it.merchant %></div>
<div class="field"><label for="country"><%= it.t('ops.stops.country') %></label><input id="country" name="country" maxlength="3" size="3" autocomplete="off" placeholder="KEN"></div>
</div>
<label class="choice"><input type="checkbox" name="refunds" value="1"> <span><%= it.t('ops.stops.refunds') %></span></label>
<label for="reason"><%= it.t('ops.stops.reason') %></label><input id="reason" name="reason" required maxlength="300" autocomplete="off">
<div class="actions"><button class="quiet danger" type="submit"><%= it.t('ops.stops.submit') %></button>${previewButton()}</div></form>
<% } %>
<% if (it.stops.length > 0) { %>
<ul class="rows card"><% for (const one of it.stops) { %><li><dl>
<div><dt><%= it.t('ops.stops.what') %></dt><dd><%= one.what %></dd></div>
<div><dt><%= it.t('ops.stops.reason') %></dt><dd><%= one.reason %></dd></div>
<div><dt><%= it.t('ops.by') %></dt><dd><%= one.begun_by %> · <%~ it.time(one.begun_at) %></dd></div>
<div><dt><%= it.t('payments.state') %></dt><dd><span class="state <%= one.ended_at ? 'good' : 'bad' %>"><%= it.t(one.ended_at ? 'ops.stops.ended' : 'ops.stops.in_force') %></span><% if (one.ended_at) { %> <%= one.ended_by %> · <%~ it.time(one.ended_at) %><% } %></dd></div></dl>
<% if (it.canAct && !one.ended_at) { %><form method="post" action="/ops/pauses/end" class="actions"><%~ it.token %><%~ it.once %><input type="hidden" name="stop" value="<%= one.pause_id %>"><button class="quiet" type="submit" aria-label="<%= it.t('ops.stops.end') %>: <%= one.what %>"><%= it.t('ops.stops.end') %></button>${previewButton(`it.t('ops.stops.end') + ': ' + one.what`)}</form><% } %></li><% } %></ul>
<%~ it.pager %>
<% } else { %><div class="empty"><h2><%= it.t('ops.stops.none') %></h2><p><%= it.t('ops.stops.none.text') %></p></div><% } %>
`);

const listedMax = 50;

export async function showPauses(visit: PlatformVisit): Promise<PageResponse> {
  const { db, operator, session, rails, t } = visit;
  const mayAct = operator.role === 'operator';
  const from = numberAfter(visit);
  const found = await listPayoutPauses(db, listedMax + 1, from);
  const listed = found.slice(0, listedMax);
  const next = found.length > listedMax ? (listed.at(-1)?.pause_id ?? '') : '';
  const ids = listed.flatMap(({ merchant_id: id }) => id ?? []);
  const stopped = await db('merchants').whereIn('merchant_id', ids).select('merchant_id', 'name');
  const body = draw(visit, stopsTemplate, {
    stops: listed.map((one) => ({ ...one, what: pauseText(visit, one, stopped) })),
    rails,
    merchant: await merchantChoice(visit, t('ops.stops.all')),
    pager: pager(visit, { path: '/ops/pauses', from, next }),
    prove: authenticateFirst(visit, mayAct),
    canAct: mayAct && session.isFresh,
  });
  return { kind: 'page', title: t('ops.stops'), body };
}

/** `Payouts: mobile money · ZMB · Duka la Amina`. */
export function pauseText(
  { t }: Pick<PlatformVisit, 't'>,
  { rail, country, merchant_id: id, with_refunds: refunds }: PayoutPauseRow,
  merchants: readonly Pick<MerchantRow, 'merchant_id' | 'name'>[],
): string {
  const what = t(refunds === 1 ? 'ops.stops.both' : 'ops.stops.payouts');
  const name = merchants.find(({ merchant_id: one }) => one === id)?.name ?? id;
  const of = [rail === null ? null : railWord(t, rail), country, name].filter((one) => one !== null);
  return of.length === 0 ? `${what}: ${t('ops.stops.all')}` : `${what}: ${of.join(' · ')}`;
}

/** The scope of a pause; an empty scope means all payouts. */
const scopeOf = (rail: string | null, merchantId: string | null, country: string | null) => ({
  ...(rail && { rail }),
  ...(merchantId && { merchant_id: merchantId }),
  ...(country && { country }),
});

const sureTemplate = template(`
<h1><%= it.t(it.refunds ? 'ops.stops.sure.both' : 'ops.stops.sure.title') %></h1>
<p><%= it.t('ops.stops.sure.text') %></p>
<p><strong><%= it.t('ops.stops.reason') %></strong>: <%= it.reason %></p>
<div class="actions">
<form method="post" action="/ops/pauses" class="actions"><%~ it.token %><%~ it.once %><input type="hidden" name="reason" value="<%= it.reason %>"><% if (it.refunds) { %><input type="hidden" name="refunds" value="1"><% } %><input type="hidden" name="sure" value="1">
<button class="quiet danger" type="submit"><%= it.t('ops.stops.sure.submit') %></button>${previewButton()}</form>
<a class="button quiet" href="/ops/pauses"><%= it.t('sure.no') %></a>
</div>
`);

/** Asks for confirmation of an empty scope, because the form may have been sent too early. */
function askWhetherSure(visit: PlatformVisit, reason: string): PageResponse {
  const refunds = visit.form('refunds') === '1';
  const title = visit.t(refunds ? 'ops.stops.sure.both' : 'ops.stops.sure.title');
  return { kind: 'page', title, body: draw(visit, sureTemplate, { reason, refunds }) };
}

export function pauseNow(visit: PlatformVisit): Promise<PageResponse> {
  const { form, t } = visit;
  const reason = form('reason').trim();
  if (reason === '')
    return Promise.resolve(refusedBefore(visit, t('ops.stops.reason.needed'), '/ops/pauses'));
  const scope = scopeOf(form('rail'), form('merchant').trim(), form('country').trim().toUpperCase());
  const isEverything = Object.keys(scope).length === 0;
  if (isEverything && form('sure') !== '1' && !isPreview(visit))
    return Promise.resolve(askWhetherSure(visit, reason));
  const input = { ...scope, reason, with_refunds: form('refunds') === '1' };
  return act(visit, { kind: 'payouts.pause', input }, '/ops/pauses');
}

/** Resumes exactly the scope of this pause. */
export async function resumeNow(visit: PlatformVisit): Promise<PageResponse> {
  const { db, form, t } = visit;
  const id = form('stop');
  const found = /^\d{1,15}$/.test(id) ? await db('payout_pauses').where({ pause_id: id }).first() : undefined;
  if (!found || found.ended_at) return refusedBefore(visit, t('ops.stops.gone'), '/ops/pauses');
  const input = scopeOf(found.rail, found.merchant_id, found.country);
  return act(visit, { kind: 'payouts.resume', input }, '/ops/pauses', async ({ left }) => {
    const ids = left.flatMap(({ merchant_id: merchantId }) => merchantId ?? []);
    const stopped = await db('merchants').whereIn('merchant_id', ids).select('merchant_id', 'name');
    const still = left.map((stop) => ({ text: pauseText(visit, stop, stopped), href: '/ops/pauses' }));
    return still.length === 0 ? [] : [[t('result.still_stopped'), still]];
  });
}

// Payouts and refunds on hold: the reason, the end of the hold, and the form to release one.

const holdsTemplate = template(`
<h1><%= it.t('ops.holds') %></h1>
<p><%= it.t('ops.holds.text') %></p>
<%~ it.prove %>
<% if (it.holds.length > 0) { %>
<ul class="rows card"><% for (const one of it.holds) { %><li><dl>
<div><dt><%= it.t('payments.amount') %></dt><dd><a href="/m/<%= one.merchant_id %>/payments/<%= one.payment_id %>"><%= one.amount %></a> · <%= it.t('kind.' + one.kind) %> · <%= it.railName(one.rail) %></dd></div>
<div><dt><%= it.t('ops.merchant') %></dt><dd><%= one.merchant %></dd></div>
<div><dt><%= it.t('payouts.recipient.short') %></dt><dd><%= one.recipient %></dd></div>
<div><dt><%= it.t('hold.why') %></dt><dd><%= it.t('hold.' + one.reason) %></dd></div>
<div><dt><%= it.t('hold.until') %></dt><dd><% if (one.until) { %><%~ it.time(one.until) %><% } else { %><%= it.t('hold.until_operator') %><% } %></dd></div>
<div><dt><%= it.t('payouts.made') %></dt><dd><%~ it.time(one.created_at) %></dd></div></dl>
<% if (one.page) { %><p class="hint"><%= it.t('ops.holds.elsewhere') %> <a href="<%= one.page.href %>"><%= it.t(one.page.word) %></a></p>
<% } else if (it.canAct) { %><form method="post" action="/ops/holds/<%= one.payment_id %>/release" class="line"><%~ it.token %><%~ it.once %><input name="note" required maxlength="300" autocomplete="off" aria-label="<%= it.t('ops.holds.note') %> <%= one.payment_id %>" placeholder="<%= it.t('ops.holds.note') %>"><button class="quiet" type="submit" aria-label="<%= it.t('ops.holds.release') %> <%= one.amount %>"><%= it.t('ops.holds.release') %></button>${previewButton(`it.t('ops.holds.release') + ' ' + one.amount`)}</form><% } %></li><% } %></ul>
<%~ it.pager %>
<% } else { %><div class="empty"><h2><%= it.t('ops.holds.none.title') %></h2><p><%= it.t('ops.holds.none.text') %></p></div><% } %>
`);

const path = '/ops/holds';
const heldMax = 50;

/** Reasons whose holds cannot be released one by one, with the page that ends them. */
const pages: Partial<Record<HoldReason, { href: string; word: string }>> = {
  PAYOUTS_STOPPED: { href: '/ops/pauses', word: 'ops.stops' },
  PROVIDER_STOPPED: { href: '/ops/cases', word: 'ops.cases' },
};

export async function holds(visit: PlatformVisit): Promise<PageResponse> {
  const { db, operator, session, query, language, t } = visit;
  const after = listCursorAt((query.get('after') ?? '').slice(0, 100));
  const found = await listOnHold(db, heldMax + 1, after);
  const rows = found.slice(0, heldMax);
  const last = found.length > heldMax ? rows.at(-1) : undefined;
  const ids = rows.map(({ merchant_id: id }) => id);
  const merchants = await db('merchants').whereIn('merchant_id', ids).select('merchant_id', 'name');
  const names = new Map(merchants.map(({ merchant_id: id, name }) => [id, name]));
  const mayAct = operator.role === 'operator';
  const body = draw(visit, holdsTemplate, {
    holds: rows.flatMap((payment) => {
      const hold = holdOf(payment);
      if (!hold) return [];
      return {
        ...payment,
        merchant: names.get(payment.merchant_id) ?? payment.merchant_id,
        amount: amountOf(payment, language),
        recipient: maskedPhone(payment.phone_number ?? payment.details['recipient_email'] ?? null) || '–',
        reason: hold.holdReason,
        until: hold.untilAt,
        page: pages[hold.holdReason],
      };
    }),
    pager: pager(visit, {
      path,
      from: after ? listCursorOf(after) : '',
      next: last ? listCursorOf({ at: last.updated_at, id: last.payment_id }) : '',
    }),
    prove: authenticateFirst(visit, mayAct),
    canAct: mayAct && session.isFresh,
  });
  return { kind: 'page', title: t('ops.holds'), body };
}

export async function releaseHold(visit: PlatformVisit): Promise<PageResponse> {
  const { params, form, t } = visit;
  const note = form('note').trim();
  if (note === '') return refusedBefore(visit, t('ops.holds.note.needed'), path);
  const paymentId = (params['payment'] ?? '').slice(0, 36);
  return act(visit, { kind: 'hold.release', input: { payment_id: paymentId, note } }, path);
}
