/** Payments of all merchants: found by any id, or those that are not decided and have waited longest. */
import { findByAnyId } from '../../payments/record/find-by-any-id';
import { amountOf, maskedPhone, toneOf } from '../pages/payment-words';
import { draw, template } from '../render';
import { go, type Answer, type PlatformVisit } from '../visit';

const searchTemplate = template(`
<h1><%= it.t('payments.title') %></h1>
<form method="get" action="/ops/payments" class="filters card" role="search" aria-label="<%= it.t('payments.search') %>">
<div class="field wide"><label for="q"><%= it.t('payments.find') %></label>
<input id="q" name="q" type="search" maxlength="200" value="<%= it.q %>" aria-describedby="q-hint"><p class="hint" id="q-hint"><%= it.t('ops.search.hint') %></p></div>
<div class="field buttons"><button type="submit"><%= it.t('payments.show') %></button></div>
</form>
<h2><%= it.t(it.q ? 'ops.search.found' : 'ops.search.waiting') %></h2>
<% if (it.rows.length > 0) { %>
<table class="stack"><caption class="unseen"><%= it.t('payments.title') %></caption>
<thead><tr><th scope="col"><%= it.t('payments.when') %></th><th scope="col"><%= it.t('ops.merchant') %></th><th scope="col"><%= it.t('payments.state') %></th><th scope="col" class="number"><%= it.t('payments.amount') %></th><th scope="col"><%= it.t('payments.kind') %></th><th scope="col"><%= it.t('payments.customer') %></th></tr></thead>
<tbody><% for (const row of it.rows) { %><tr>
<td data-label="<%= it.t('payments.when') %>"><a href="/m/<%= row.merchant_id %>/payments/<%= row.payment_id %>"><%~ it.time(row.created_at) %></a></td>
<td data-label="<%= it.t('ops.merchant') %>"><%= row.merchant %></td>
<td data-label="<%= it.t('payments.state') %>"><span class="state <%= row.tone %>"><%= it.t('state.' + row.state) %></span></td>
<td class="number" data-label="<%= it.t('payments.amount') %>"><%= row.amount %></td>
<td data-label="<%= it.t('payments.kind') %>"><%= it.t('kind.' + row.kind) %> · <%= it.railName(row.rail) %></td>
<td data-label="<%= it.t('payments.customer') %>"><%= row.phone %></td></tr><% } %></tbody></table>
<% } else { %><div class="empty"><h3><%= it.t(it.q ? 'payments.none.title' : 'ops.search.none') %></h3></div><% } %>
`);

const listedMax = 50;

export async function searchPayments(visit: PlatformVisit): Promise<Answer> {
  const { db, rails, query, language, t } = visit;
  const q = (query.get('q') ?? '').trim().slice(0, 200);
  const found =
    q === ''
      ? await db('payments').where({ is_final: 0 }).orderBy('created_at').limit(listedMax)
      : await findByAnyId(db, [...rails], q);
  const [only] = found;
  if (q !== '' && only && found.length === 1) return go(`/m/${only.merchant_id}/payments/${only.payment_id}`);
  const merchants = await db('merchants').whereIn(
    'merchant_id',
    found.map(({ merchant_id: id }) => id),
  );
  const names = new Map(merchants.map(({ merchant_id: id, name }) => [id, name]));
  const body = draw(visit, searchTemplate, {
    q,
    rows: found.map((payment) => ({
      ...payment,
      merchant: names.get(payment.merchant_id) ?? '',
      tone: toneOf(payment.state),
      amount: amountOf(payment, language),
      phone: maskedPhone(payment.phone_number),
    })),
  });
  return { kind: 'page', title: t('payments.title'), body };
}
