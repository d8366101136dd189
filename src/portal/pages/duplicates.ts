/** Possible duplicate payments: both payments side by side, to refund one or to confirm both. */
import { cutText } from '../../domain/cut-text';
import { PaymentError } from '../../domain/errors';
import { dismissDuplicate } from '../../payments/transition/duplicate-payments';
import {
  duplicatesOf,
  listDuplicates,
  refundsUnderWay,
  type Duplicate,
} from '../../payments/read/duplicates';
import { actorOf } from '../../users/users';
import type { PaymentRow } from '../../store/tables';
import { getPaymentOfMerchant } from './payment';
import { draw, template } from '../render';
import { go, type PageResponse, type MerchantVisit } from '../visit';
import { doneOf, problem, recordOf } from './parts';
import { amountOf, maskedPhone, toneOf } from './payment-words';
import { notFound } from './error-pages';

const duplicatesTemplate = template(`
<%~ it.done %><%~ it.problem %>
<h1><%= it.t('twice.title') %></h1>
<p><%= it.t('twice.text') %></p>
<% for (const pair of it.pairs) { %>
<section class="card" aria-labelledby="pair-<%= pair.caseId %>"><h2 id="pair-<%= pair.caseId %>"><%= pair.reference %> <span class="amount"><%= pair.amount %></span></h2>
<ul class="rows"><% for (const one of pair.payments) { %><li><dl>
<div><dt><%= it.t(one.word) %></dt><dd><a href="<%= it.base %>/payments/<%= one.id %>"><%~ it.time(one.at) %></a></dd></div>
<div><dt><%= it.t('payments.rail') %></dt><dd><%= it.railName(one.rail) %></dd></div>
<div><dt><%= it.t('payments.customer') %></dt><dd><%= one.phone || '–' %></dd></div>
<div><dt><%= it.t('payments.state') %></dt><dd><span class="state <%= one.tone %>"><%= it.t('state.' + one.state) %></span></dd></div></dl>
<% if (one.mayRefund) { %><p class="actions"><a class="button quiet" href="<%= it.base %>/payments/<%= one.id %>/refund" aria-label="<%= it.t('twice.refund') %>: <%= it.t(one.word) %>, <%= pair.reference %>"><%= it.t('twice.refund') %></a></p><% } %></li><% } %></ul>
<% if (pair.isUnderWay) { %><p class="note"><%= it.t('twice.under_way') %></p><% } %>
<% if (it.mayDecide && !pair.isUnderWay) { %><form method="post" action="<%= it.base %>/duplicates/<%= pair.secondId %>/dismiss" class="line"><%~ it.token %>
<input name="reason" required maxlength="300" autocomplete="off" aria-label="<%= it.t('twice.why') %>: <%= pair.reference %>" placeholder="<%= it.t('twice.why') %>">
<button class="quiet" type="submit" aria-label="<%= it.t('twice.dismiss') %>: <%= pair.reference %>"><%= it.t('twice.dismiss') %></button></form><% } %>
</section><% } %>
<% if (it.pairs.length === 0) { %><div class="empty"><h2><%= it.t('twice.none.title') %></h2><p><%= it.t('twice.none.text') %></p></div><% } %>
`);

const listedMax = 50;

export async function duplicates(visit: MerchantVisit, fault = ''): Promise<PageResponse> {
  const { db, place, t } = visit;
  const { merchant_id: merchantId } = place.merchant;
  const mayDecide = place.as === 'owner' || place.as === 'finance';
  const found = await listDuplicates(db, { merchantId, limit: listedMax });
  const ids = found.flatMap(({ first, second }) => [first.payment_id, second.payment_id]);
  const going = new Set((await refundsUnderWay(db, ids, '')).map(({ parent_id: id }) => id));
  const pairs = await Promise.all(found.map((pair) => shown(visit, pair, going, mayDecide)));
  const body = draw(visit, duplicatesTemplate, {
    ...{ pairs, mayDecide },
    done: fault === '' ? doneOf(visit, 'twice') : '',
    problem: problem(visit, fault),
  });
  return { kind: 'page', status: fault === '' ? 200 : 422, title: t('twice.title'), body };
}

async function shown(
  { acts, language }: MerchantVisit,
  { caseId, first, second }: Duplicate,
  going: ReadonlySet<string | null>,
  mayDecide: boolean,
) {
  // If two users refunded one payment each, the merchant would keep nothing.
  const isUnderWay = going.has(first.payment_id) || going.has(second.payment_id);
  const one = async (payment: PaymentRow, word: string) => ({
    ...{ word, id: payment.payment_id, rail: payment.rail, state: payment.state },
    at: payment.finished_at ?? payment.created_at,
    phone: maskedPhone(payment.phone_number),
    tone: toneOf(payment.state),
    mayRefund: mayDecide && !isUnderWay && (await acts.refundable(payment)).how !== 'no',
  });
  return {
    ...{ caseId, isUnderWay, secondId: second.payment_id },
    reference: second.order_id ?? second.account_reference ?? '',
    amount: amountOf(second, language),
    payments: [await one(first, 'twice.first'), await one(second, 'twice.second')],
  };
}

/** Confirms both payments as correct, and closes the case. */
export async function dismiss(visit: MerchantVisit): Promise<PageResponse> {
  const { db, place, session, params, form, t } = visit;
  const { merchant_id: merchantId } = place.merchant;
  const payment = await getPaymentOfMerchant(db, place.merchant, params['payment'] ?? '');
  if (!payment) return notFound(visit);
  const reason = cutText(form('reason').trim(), 300);
  if (reason === '') return duplicates(visit, t('twice.why.needed'));
  const found = (await duplicatesOf(db, payment.payment_id)).find(
    ({ second }) => second.payment_id === payment.payment_id,
  );
  if (!found) return duplicates(visit, t('twice.decided'));
  const { caseId } = found;
  try {
    await dismissDuplicate(db, found, { by: actorOf(session.person), reason }, (trx) =>
      recordOf(visit, trx, 'duplicate.dismiss', { payment_id: payment.payment_id, case_id: caseId }),
    );
  } catch (error) {
    if (!(error instanceof PaymentError) || error.code !== 'NOT_FOUND') throw error;
    return duplicates(visit, t('twice.decided'));
  }
  return go(`/m/${merchantId}/duplicates?done=dismissed`);
}
