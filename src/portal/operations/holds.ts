/** Payouts and refunds on hold: why each has not been sent, until when, and how an operator lets it go on. */
import { listOnHold } from '../../payments/read/open-payments';
import { holdOf, type HoldReason } from '../../payments/read/on-hold';
import { listCursorOf, listPlaceAt } from '../../store/list-place';
import { amountOf, maskedPhone } from '../pages/payment-words';
import { pager } from '../pages/parts';
import { draw, template } from '../render';
import type { Answer, PlatformVisit } from '../visit';
import { act, previewButton, proveFirst, refusedBefore } from './outcome';

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
const listedMax = 50;

/** What is not let go on one by one, and where it is. */
const pages: Partial<Record<HoldReason, { href: string; word: string }>> = {
  PAYOUTS_STOPPED: { href: '/ops/stops', word: 'ops.stops' },
  PROVIDER_STOPPED: { href: '/ops/cases', word: 'ops.cases' },
};

export async function holds(visit: PlatformVisit): Promise<Answer> {
  const { db, operator, session, query, language, t } = visit;
  const after = listPlaceAt((query.get('after') ?? '').slice(0, 100));
  const found = await listOnHold(db, listedMax + 1, after);
  const rows = found.slice(0, listedMax);
  const last = found.length > listedMax ? rows.at(-1) : undefined;
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
    prove: proveFirst(visit, mayAct),
    canAct: mayAct && session.isFresh,
  });
  return { kind: 'page', title: t('ops.holds'), body };
}

export async function releaseHold(visit: PlatformVisit): Promise<Answer> {
  const { params, form, t } = visit;
  const note = form('note').trim();
  if (note === '') return refusedBefore(visit, t('ops.holds.note.needed'), path);
  const paymentId = (params['payment'] ?? '').slice(0, 36);
  return act(visit, { kind: 'release', input: { payment_id: paymentId, note } }, path);
}
