/** Payments of all merchants: by id, longest unchanged, with an unknown outcome, or newest. */
import { cutText } from '../../domain/cut-text';
import { findByAnyId } from '../../payments/read/payments';
import { listNewest, listStillest, listUnknown } from '../../payments/read/open-payments';
import type { Database } from '../../store/database';
import { listCursorOf, listCursorAt, type ListCursor } from '../../store/list-cursor';
import type { PaymentRow } from '../../store/tables';
import { pager } from '../pages/parts';
import { amountOf, maskedPhone, shownStateOf, toneOf } from '../pages/payment-words';
import { draw, template } from '../render';
import { go, type PageResponse, type PlatformVisit } from '../visit';
import type { Word } from '../words';

const searchTemplate = template(`
<h1><%= it.t('payments.title') %></h1>
<form method="get" action="/ops/payments" class="filters card" role="search" aria-label="<%= it.t('payments.search') %>">
<div class="field wide"><label for="q"><%= it.t('payments.find') %></label>
<input id="q" name="q" type="search" maxlength="200" value="<%= it.q %>" aria-describedby="q-hint"><p class="hint" id="q-hint"><%= it.t('ops.search.hint') %></p></div>
<div class="field buttons"><button type="submit"><%= it.t('payments.show') %></button></div>
</form>
<% if (!it.q) { %><nav class="tabs" aria-label="<%= it.t('payments.state') %>">
<% for (const tab of it.tabs) { %><a href="<%= tab.path %>"<% if (tab.isShown) { %> aria-current="page"<% } %>><%= it.t(tab.word) %></a><% } %></nav><% } %>
<h2><%= it.t(it.words.title) %></h2>
<% if (it.words.text) { %><p><%= it.t(it.words.text) %></p><% } %>
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
<%~ it.pager %>
<% } else { %><div class="empty"><h3><%= it.t(it.words.none) %></h3><% if (it.words.noneText) { %><p><%= it.t(it.words.noneText) %></p><% } %></div><% } %>
`);

const listedMax = 50;
const path = '/ops/payments';

interface Words {
  title: Word;
  text?: Word;
  none: Word;
  noneText?: Word;
}
interface List {
  /** The query parameter of the list. */
  query: string;
  tab: Word;
  words: Words;
  read(db: Database, limit: number, after?: ListCursor): Promise<PaymentRow[]>;
  /** The sort column of a list with several pages. */
  by?: 'updated_at' | 'created_at';
}

const waiting: List = {
  ...{ query: '', tab: 'ops.now.unfinished', by: 'updated_at', read: listStillest },
  words: { title: 'ops.search.waiting', none: 'ops.search.none' },
};
const lists: readonly List[] = [
  waiting,
  {
    ...{ query: 'unknown', tab: 'ops.now.unknown', read: listUnknown },
    words: {
      ...{ title: 'ops.search.unknown', text: 'ops.search.unknown.text', none: 'ops.search.unknown.none' },
    },
  },
  {
    ...{ query: 'newest', tab: 'ops.search.newest', by: 'created_at', read: listNewest },
    words: { title: 'ops.search.newest', none: 'payments.none.title' },
  },
];
const found: Words = {
  ...{ title: 'ops.search.found', none: 'payments.none.title', noneText: 'ops.search.none.text' },
};

export async function searchPayments(visit: PlatformVisit): Promise<PageResponse> {
  const { db, rails, query, language, t } = visit;
  const q = cutText((query.get('q') ?? '').trim(), 200);
  const list = lists.find((one) => one.query !== '' && query.get(one.query) === '1') ?? waiting;
  const by = q === '' ? list.by : undefined;
  const after = listCursorAt((query.get('after') ?? '').slice(0, 100));
  const checked = q === '' ? await list.read(db, listedMax + 1, after) : await findByAnyId(db, [...rails], q);
  const rows = checked.slice(0, listedMax);
  const last = checked.length > listedMax ? rows.at(-1) : undefined;
  const [only] = rows;
  if (q !== '' && only && rows.length === 1) return go(`/m/${only.merchant_id}/payments/${only.payment_id}`);
  const merchants = await db('merchants').whereIn(
    'merchant_id',
    rows.map(({ merchant_id: id }) => id),
  );
  const names = new Map(merchants.map(({ merchant_id: id, name }) => [id, name]));
  const body = draw(visit, searchTemplate, {
    q,
    words: q === '' ? list.words : found,
    tabs: lists.map((one) => ({
      path: `${path}${one.query && `?${one.query}=1`}`,
      word: one.tab,
      isShown: one === list,
    })),
    pager: pager(visit, {
      path,
      wishes: list.query === '' ? {} : { [list.query]: '1' },
      from: by && after ? listCursorOf(after) : '',
      next: by && last ? listCursorOf({ at: last[by], id: last.payment_id }) : '',
    }),
    rows: rows.map((payment) => ({
      ...payment,
      merchant: names.get(payment.merchant_id) ?? '',
      state: shownStateOf(payment),
      tone: toneOf(payment.state),
      amount: amountOf(payment, language),
      phone: maskedPhone(payment.phone_number),
    })),
  });
  return { kind: 'page', title: t('payments.title'), body };
}
