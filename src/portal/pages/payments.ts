/** A merchant's payments: search, list and CSV file. */
import { DateTime } from 'luxon';
import { csvField } from '../../domain/csv-field';
import { cutText } from '../../domain/cut-text';
import { formatAmount, type Currency } from '../../domain/money';
import { finalStates, paymentStates, type PaymentKind, type PaymentState } from '../../domain/payment';
import { dayIn } from '../../domain/time';
import { listPayments, type WantedPayments } from '../../payments/read/list-payments';
import { findByAnyId, phoneSpellings } from '../../payments/read/payments';
import { chargedOf } from '../../payments/transition/fees';
import type { Database } from '../../store/database';
import { listCursorOf, listCursorAt, type ListCursor } from '../../store/list-cursor';
import type { PaymentRow } from '../../store/tables';
import { csvDownload, timeIn, live, canTakeFile } from './parts';
import { draw, template } from '../render';
import { go, zoneOf, type PageResponse, type MerchantVisit } from '../visit';
import { amountOf, maskedPhone, shownStateOf, toneOf } from './payment-words';
import { overrun } from './error-pages';

const rowsTemplate = template(`
<% if (it.rows.length > 0) { %>
<table class="stack">
<caption class="unseen"><%= it.t('payments.title') %></caption>
<thead><tr><th scope="col"><%= it.t('payments.when') %></th><th scope="col"><%= it.t('payments.state') %></th><th scope="col" class="number"><%= it.t('payments.amount') %></th><th scope="col"><%= it.t('payments.kind') %></th><th scope="col"><%= it.t('payments.customer') %></th><th scope="col"><%= it.t('payments.reference') %></th></tr></thead>
<tbody>
<% for (const row of it.rows) { %>
<tr>
<td data-label="<%= it.t('payments.when') %>"><a href="<%= it.base %>/payments/<%= row.id %>"><%~ it.time(row.at) %></a></td>
<td data-label="<%= it.t('payments.state') %>"><span class="state <%= row.tone %>"><%= it.t('state.' + row.state) %></span></td>
<td data-label="<%= it.t('payments.amount') %>" class="number"><%= row.amount %></td>
<td data-label="<%= it.t('payments.kind') %>"><%= it.t('kind.' + row.kind) %> · <%= it.railName(row.rail) %></td>
<td data-label="<%= it.t('payments.customer') %>"><%= row.phone %></td>
<td data-label="<%= it.t('payments.reference') %>"><%= row.reference %></td>
</tr>
<% } %>
</tbody>
</table>
<% } else { %>
<div class="empty"><h2><%= it.t(it.isFiltered ? 'payments.none.title' : 'payments.empty.title') %></h2><p><%= it.t(it.isAmountUnread ? 'payments.none.amount' : it.scannedTo ? 'payments.none.further' : it.isFiltered ? 'payments.none.text' : 'payments.empty.text') %></p></div>
<% } %>
<% if (it.scannedTo) { %><p class="note"><%= it.t('list.looked_to') %> <%~ it.time(it.scannedTo) %></p><% } %>
`);

const listTemplate = template(`
<h1><%= it.t('payments.title') %></h1>
<form method="get" action="<%= it.base %>/payments" class="filters card" role="search" aria-label="<%= it.t('payments.search') %>">
<div class="field wide"><label for="q"><%= it.t('payments.find') %></label>
<input id="q" name="q" type="search" maxlength="200" value="<%= it.q %>" aria-describedby="q-hint"><p class="hint" id="q-hint"><%= it.t('payments.find.hint') %></p></div>
<div class="field"><label for="state"><%= it.t('payments.state') %></label>
<select id="state" name="state"><option value=""><%= it.t('payments.any') %></option>
<% for (const group of it.groups) { %><option value="<%= group %>"<% if (it.state === group) { %> selected<% } %>><%= it.t('payments.group.' + group) %></option><% } %>
</select></div>
<div class="field"><label for="kind"><%= it.t('payments.kind') %></label>
<select id="kind" name="kind"><option value=""><%= it.t('payments.any') %></option>
<% for (const kind of it.kinds) { %><option value="<%= kind %>"<% if (it.kind === kind) { %> selected<% } %>><%= it.t('kind.' + kind) %></option><% } %>
</select></div>
<div class="field"><label for="rail"><%= it.t('payments.rail') %></label>
<select id="rail" name="rail"><option value=""><%= it.t('payments.any') %></option>
<% for (const rail of it.rails) { %><option value="<%= rail %>"<% if (it.rail === rail) { %> selected<% } %>><%= it.railName(rail) %></option><% } %>
</select></div>
<div class="field"><label for="phone"><%= it.t('payments.phone') %></label><input id="phone" name="phone" type="tel" inputmode="tel" maxlength="24" size="14" autocomplete="off" value="<%= it.phone %>"></div>
<div class="field"><label for="amount"><%= it.t('payments.amount') %></label><input id="amount" name="amount" inputmode="decimal" maxlength="20" autocomplete="off" value="<%= it.amount %>"></div>
<div class="field"><label for="from"><%= it.t('payments.from') %></label><input id="from" name="from" type="date" value="<%= it.from %>"></div>
<div class="field"><label for="until"><%= it.t('payments.until') %></label><input id="until" name="until" type="date" value="<%= it.until %>"></div>
<div class="field buttons"><button type="submit"><%= it.t('payments.show') %></button>
<% if (it.isFiltered) { %><a href="<%= it.base %>/payments"><%= it.t('payments.clear') %></a><% } %></div>
</form>
<%~ it.region %>
<% if (it.fileUrl && it.rows.length > 0) { %><p class="actions"><a class="button quiet" href="<%= it.fileUrl %>" download><%= it.t('payments.download') %></a></p><% } %>
<% if (it.newest || it.older) { %>
<nav class="pager" aria-label="<%= it.t('payments.pager') %>">
<% if (it.newest) { %><a href="<%= it.newest %>"><%= it.t('payments.newest') %></a><% } %>
<% if (it.older) { %><a href="<%= it.older %>" rel="next"><%= it.t(it.scannedTo ? 'list.look_further' : 'payments.older') %></a><% } %>
</nav>
<% } %>
`);

const pageLength = 25;
const phoneLengthMax = 24;
/** The maximum number of scans for a filter with few matches; each reads two thousand payments. */
const scans = 3;

/** The groups of states in the filter. */
const stateGroups = {
  waiting: paymentStates.filter((state) => !(finalStates as readonly PaymentState[]).includes(state)),
  succeeded: ['succeeded'],
  unsuccessful: ['failed', 'cancelled', 'timed_out'],
  returned_money: ['refunded', 'reversed', 'returned'],
} as const satisfies Record<string, readonly PaymentState[]>;
type StateGroup = keyof typeof stateGroups;

const kinds: readonly PaymentKind[] = ['deposit', 'payout', 'refund'];

function oneOf<T extends string>(text: string | null, words: readonly T[]): T | undefined {
  return words.find((word) => word === text);
}

/** The beginning of the day in the merchant's time zone; undefined for an invalid date. */
function dayOf(text: string, zone: string): DateTime | undefined {
  const day = DateTime.fromFormat(text, 'yyyy-MM-dd', { zone });
  return day.isValid ? day : undefined;
}

/** The filter in the URL of the list. */
function filterOf(visit: MerchantVisit) {
  const { query, rails } = visit;
  const zone = zoneOf(visit);
  const text = (name: string) => cutText(query.get(name) ?? '', 200);
  const state = oneOf(query.get('state'), Object.keys(stateGroups) as StateGroup[]);
  const kind = oneOf(query.get('kind'), kinds);
  const rail = oneOf(query.get('rail'), rails);
  const phone = text('phone').trim().slice(0, phoneLengthMax);
  const isEnding = /^\d{1,8}$/.test(phone);
  const typed = text('amount').trim();
  const amount = typedAmount(typed);
  const [from, until] = [dayOf(text('from'), zone), dayOf(text('until'), zone)];
  const wanted: WantedPayments = {
    states: state && stateGroups[state],
    kind,
    rail,
    phoneEnds: isEnding ? phone : undefined,
    // An invalid amount matches no payment, and the page reports it.
    phones: amount === null ? [] : isEnding || phone === '' ? undefined : phoneSpellings(phone),
    amountText: amount ?? undefined,
    createdFrom: from?.toJSDate(),
    createdBefore: until?.plus({ days: 1 }).toJSDate(),
  };
  const shown = {
    q: text('q').trim(),
    state: state ?? '',
    kind: kind ?? '',
    rail: rail ?? '',
    phone,
    amount: typed,
    from: from?.toISODate() ?? '',
    until: until?.toISODate() ?? '',
  };
  return { wanted, shown, isAmountUnread: amount === null };
}

/**
 * Reads an amount with thousands separators or a currency before it.
 * @returns undefined if it is empty; null if it is invalid or ambiguous, such as `1.250`.
 */
function typedAmount(typed: string): string | null | undefined {
  if (typed === '') return undefined;
  const number = typed.replace(/^[A-Za-z]{3}\s*/, '').replace(/\s/g, '');
  const isRead = /^(?:\d{1,15}|\d{1,3}(?:,\d{3}){1,4})(?:\.\d{1,2})?$/.test(number);
  return isRead ? number.replaceAll(',', '') : null;
}

export async function payments(visit: MerchantVisit): Promise<PageResponse> {
  const { db, rails, place, query, t } = visit;
  const base = `/m/${place.merchant.merchant_id}/payments`;
  const { wanted, shown, isAmountUnread } = filterOf(visit);
  const before = listCursorAt((query.get('before') ?? '').slice(0, 100));
  if (shown.q !== '') {
    const own = await findByAnyId(db, [...rails], shown.q, place.merchant.merchant_id);
    const [only] = own;
    if (only && own.length === 1) return go(`${base}/${only.payment_id}`);
    return listPage(visit, { payments: own, shown, isFiltered: true });
  }
  const { merchant_id: merchantId } = place.merchant;
  const {
    payments: listed,
    next,
    scannedTo,
  } = await listPayments(db, merchantId, wanted, { before, limit: pageLength, checks: scans });
  const wishes = new URLSearchParams(Object.entries(shown).filter(([, value]) => value !== ''));
  const isFiltered = [...wishes].length > 0;
  const urlOf = (more: Record<string, string>) => {
    const all = new URLSearchParams([...wishes, ...Object.entries(more)]).toString();
    return all === '' ? base : `${base}?${all}`;
  };
  return listPage(visit, {
    payments: listed,
    shown,
    ...{ isFiltered, isAmountUnread, scannedTo },
    older: next ? urlOf({ before: listCursorOf(next) }) : '',
    newest: before ? urlOf({}) : '',
    fileUrl: [`${base}/file`, wishes.toString()].filter(Boolean).join('?'),
    // Only the first page updates itself.
    renewUrl: before ? '' : urlOf({}),
    title: t('payments.title'),
  });
}

function listPage(
  visit: MerchantVisit,
  {
    payments: listed,
    ...more
  }: { payments: PaymentRow[]; shown: object; isFiltered: boolean } & Record<string, unknown>,
): PageResponse {
  const rows = listed.map((payment) => ({
    id: payment.payment_id,
    at: payment.created_at,
    state: shownStateOf(payment),
    tone: toneOf(payment.state),
    amount: amountOf(payment, visit.language),
    kind: payment.kind,
    rail: payment.rail,
    phone: maskedPhone(payment.phone_number),
    reference: payment.order_id ?? payment.account_reference ?? '',
  }));
  const choices = { groups: Object.keys(stateGroups), kinds, rails: visit.rails };
  const drawn = {
    scannedTo: undefined,
    isAmountUnread: false,
    older: '',
    newest: '',
    renewUrl: '',
    fileUrl: '',
    ...more,
    ...more.shown,
    ...choices,
    rows,
  };
  const html = draw(visit, rowsTemplate, drawn);
  const region = live(visit, { id: 'list', url: drawn.renewUrl, seconds: 10, html });
  const body = draw(visit, listTemplate, { ...drawn, region: region.html });
  return { kind: 'page', title: visit.t('payments.title'), body, seen: region.seen };
}

// The CSV file of all payments that match the page's filter.

const amountIn = (minor: string | null, currency: Currency | null) =>
  minor === null || currency === null ? '' : formatAmount(BigInt(minor), currency);

/** Customers' numbers are masked as in the list, because files are stored and forwarded. */
const columns: Readonly<Record<string, (payment: PaymentRow, timeOf: (at: Date) => string) => string>> = {
  created_at: ({ created_at: at }, timeOf) => timeOf(at),
  payment_id: ({ payment_id: id }) => id,
  kind: ({ kind }) => kind,
  rail: ({ rail }) => rail,
  state: shownStateOf,
  amount: ({ requested_minor: minor, currency }) => amountIn(minor, currency),
  currency: ({ currency }) => currency,
  confirmed: ({ confirmed_minor: minor, instructed_currency: currency }) => amountIn(minor, currency),
  confirmed_currency: ({ confirmed_minor: minor, instructed_currency: currency }) =>
    minor === null ? '' : currency,
  returned: ({ returned_minor: minor, instructed_currency: currency }) => amountIn(minor, currency),
  order_id: ({ order_id: id }) => id ?? '',
  reference: ({ account_reference: reference }) => reference ?? '',
  customer: ({ phone_number: phone }) => maskedPhone(phone),
  provider_reference: ({ provider_reference: reference }) => reference ?? '',
  receipt: ({ provider_receipt: receipt }) => receipt ?? '',
  finished_at: ({ finished_at: at }, timeOf) => (at ? timeOf(at) : ''),
};

/** Fee and net amount. These columns come after the time zone, so earlier columns keep their place. */
const costs: Readonly<Record<string, (payment: PaymentRow) => string>> = {
  fee: (payment) => {
    const { minor, currency } = chargedOf(payment);
    return minor === 0n ? '' : formatAmount(minor, currency);
  },
  net: netOf,
  net_currency: (payment) => (netOf(payment) === '' ? '' : walletOf(payment)),
};

const walletOf = (payment: PaymentRow): Currency =>
  payment.kind === 'refund' ? (payment.credited_currency ?? payment.currency) : chargedOf(payment).currency;

/** The booked net amount: what a deposit left in the wallet, or what a payout or refund took, with its fee. */
function netOf(payment: PaymentRow): string {
  const { minor: fee, currency } = chargedOf(payment);
  const { kind, state, confirmed_minor: confirmed, credited_minor: credited } = payment;
  if (kind === 'deposit') {
    // A refund after a conversion has its own exchange rate. Only the statement has that sum.
    if (confirmed === null || (credited !== null && payment.returned_minor !== '0')) return '';
    const kept = credited === null ? BigInt(confirmed) - BigInt(payment.returned_minor) : BigInt(credited);
    return formatAmount(kept - fee, currency);
  }
  if (kind === 'payout' && state === 'succeeded')
    return formatAmount(-(BigInt(payment.requested_minor) + fee), payment.currency);
  if (kind === 'refund' && state === 'succeeded')
    return formatAmount(-BigInt(credited ?? payment.requested_minor), walletOf(payment));
  return '';
}

const batch = 500;

interface File {
  merchantId: string;
  wanted: WantedPayments;
  zone: string;
}

const lineOf = (fields: readonly string[], numbers: readonly string[] = []) =>
  `${[...fields.map((field) => csvField(field)), ...numbers.map((one) => csvField(one, true))].join(',')}\r\n`;

async function* linesOf(db: Database, { merchantId, wanted, zone }: File): AsyncGenerator<string> {
  yield lineOf([...Object.keys(columns), 'time_zone', ...Object.keys(costs)]);
  const timeOf = timeIn(zone);
  for (let before: ListCursor | undefined; ;) {
    const { payments, next } = await listPayments(db, merchantId, wanted, { before, limit: batch });
    yield payments
      .map((payment) =>
        lineOf(
          [...Object.values(columns).map((of) => of(payment, timeOf)), zone],
          Object.values(costs).map((of) => of(payment)),
        ),
      )
      .join('');
    if (!next) return;
    before = next;
  }
}

export async function paymentsFile(visit: MerchantVisit): Promise<PageResponse> {
  const { db, place } = visit;
  const { wanted } = filterOf(visit);
  const may = await canTakeFile(visit, 'payments.export');
  if (!may.allowed) return overrun(visit, 429, may);
  const { merchant_id: merchantId } = place.merchant;
  // The file begins with the newest payment now. Payments created during the download are not in it.
  const zone = zoneOf(visit);
  const today = dayIn(zone, new Date());
  return csvDownload(`payments-${today}.csv`, linesOf(db, { merchantId, zone, wanted }));
}
