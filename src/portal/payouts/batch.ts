/** The page of one payout list: check it, decide about it, and follow each payout afterwards. */
import { currentRequest } from '../../api/request-context';
import { findPayoutPauses, holdsBack } from '../../controls/pauses';
import { cutText } from '../../domain/cut-text';
import { PaymentError } from '../../domain/errors';
import { isCurrency, parseAmount, type Currency } from '../../domain/money';
import { isFinal, type PaymentState } from '../../domain/payment';
import { feeOf, feesInForce, nearestFee } from '../../fees/schedules';
import { enqueueMail } from '../../mail/enqueue-mail';
import { failureOf } from '../../payments/read/merchant-view';
import type { PayoutFields } from '../../rail-kit/rail-definition';
import type { Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { waitsHours } from '../../users/requests';
import { rightToDecide, othersWithTheRight, type Right } from '../../users/deciders';
import { NotNow } from '../../users/key-confirmations';
import { money } from '../format';
import { payoutsWaitMail } from '../mails';
import { live, doneOf, problem, actingUserOf, recordOf } from '../pages/parts';
import { sentenceOf } from '../pages/payment-actions';
import { amountOf, maskedPhone, shownStateOf, toneOf } from '../pages/payment-words';
import { notFound } from '../pages/error-pages';
import { draw, template } from '../render';
import { go, type PageResponse, type MerchantVisit } from '../visit';
import {
  findSame,
  needsAnother,
  rowsOf,
  ask,
  findBatch,
  noteSent,
  orderIdOf,
  reject,
  type Batch,
} from './batches';
import { isCashier, namesOf, batchState } from './list';
import { payoutFormOf } from './read-file';

const aroundTemplate = template(`
<p><a href="<%= it.base %>/payouts"><%= it.t('payouts.back') %></a></p>
<%~ it.done %><%~ it.problem %>
<%~ it.region %>
<% if (it.before || it.after) { %><nav class="pager" aria-label="<%= it.t('payments.pager') %>">
<% if (it.before) { %><a href="<%= it.before %>" rel="prev"><%= it.t('payouts.before') %></a><% } %>
<% if (it.after) { %><a href="<%= it.after %>" rel="next"><%= it.t('payouts.after') %></a><% } %></nav><% } %>
`);

const batchTemplate = template(`
<h1><%= it.batch.name %> <span class="state <%= it.tone %>"><%= it.t('payouts.state.' + it.standing) %></span></h1>
<div class="sentence" role="status"><p><strong><%= it.t('payouts.sentence.' + it.standing) %></strong></p></div>
<section class="card" aria-labelledby="facts"><h2 id="facts"><%= it.t('payment.facts') %></h2>
<dl class="facts">
<div><dt><%= it.t('payouts.count') %></dt><dd><%= it.count(it.batch.row_count) %></dd></div>
<% for (const one of it.totals) { %><div><dt><%= it.t('payouts.total') %></dt><dd><strong><%= one %></strong></dd></div><% } %>
<% for (const one of it.fees) { %><div><dt><%= it.t('payouts.fees') %></dt><dd><%= one %></dd></div><% } %>
<div><dt><%= it.t('payments.rail') %></dt><dd><%= it.railName(it.batch.rail) %></dd></div>
<div><dt><%= it.t('payouts.made') %></dt><dd><%= it.maker %> · <%~ it.time(it.batch.made_at) %></dd></div>
<% if (it.batch.decided_at) { %><div><dt><%= it.t(it.batch.ended_why ? 'payouts.state.ended' : 'payouts.decided.' + it.batch.state) %></dt><dd><% if (it.decider) { %><%= it.decider %> · <% } %><%~ it.time(it.batch.decided_at) %></dd></div><% } %>
<% if (it.batch.ended_why) { %><div><dt><%= it.t('payouts.why') %></dt><dd><%= it.t('ended.' + it.batch.ended_why) %></dd></div><% } %>
<% if (it.batch.reason) { %><div><dt><%= it.t('payouts.why') %></dt><dd><%= it.batch.reason %></dd></div><% } %>
<% for (const one of it.states) { %><div><dt><span class="state <%= one.tone %>"><%= it.t('state.' + one.state) %></span></dt><dd><%= it.count(one.count) %> · <%= one.amount %></dd></div><% } %>
</dl></section>
<% if (it.same) { %><p class="note"><%= it.t('payouts.same') %> <a href="<%= it.base %>/payouts/<%= it.same.batch_id %>"><%= it.same.name %></a> · <%~ it.time(it.same.made_at) %></p><% } %>
<% if (it.may.length > 0 || it.hint) { %><section class="card" aria-labelledby="decide"><h2 id="decide"><%= it.t('payouts.decide') %></h2>
<% if (it.hint) { %><p><%= it.t(it.hint, { hours: it.hours }) %></p><% } %>
<% if (it.isStopped) { %><p class="note"><%= it.t('payouts.stopped') %></p><% } %>
<% if (it.may.includes('ask')) { %><form method="post" action="<%= it.own %>/ask" class="actions"><%~ it.token %><button type="submit"><%= it.t('payouts.ask') %></button></form><% } %>
<% if (it.may.includes('approve')) { %><form method="post" action="<%= it.own %>/approve" class="actions"><%~ it.token %><button type="submit"><%= it.t('payouts.approve', { n: it.count(it.batch.row_count), total: it.totals.join(' + ') }) %></button></form><% } %>
<% if (it.may.includes('reject')) { %><form method="post" action="<%= it.own %>/reject"><%~ it.token %>
<label for="reason"><%= it.t('payouts.why') %></label><input id="reason" name="reason" required maxlength="300" autocomplete="off">
<button class="quiet danger" type="submit"><%= it.t('payouts.reject') %></button></form><% } %>
<% if (it.may.includes('drop')) { %><form method="post" action="<%= it.own %>/reject" class="actions"><%~ it.token %><button class="quiet" type="submit"><%= it.t('payouts.drop') %></button></form><% } %>
</section><% } %>
<% if (it.rows.length > 0) { %>
<table class="stack"><caption class="unseen"><%= it.t('payouts.rows') %></caption>
<thead><tr><th scope="col" class="number"><%= it.t('payouts.n') %></th><th scope="col"><%= it.t('payouts.recipient.short') %></th><th scope="col" class="number"><%= it.t('payments.amount') %></th><th scope="col"><%= it.t('payments.reference') %></th><th scope="col"><%= it.t(it.areSent ? 'payments.state' : 'payouts.message') %></th></tr></thead>
<tbody><% for (const row of it.rows) { %><tr>
<td class="number" data-label="<%= it.t('payouts.n') %>"><%= it.count(row.n) %></td>
<td data-label="<%= it.t('payouts.recipient.short') %>"><span class="whole"><%= row.recipient %></span></td>
<td class="number" data-label="<%= it.t('payments.amount') %>"><%= row.amount %></td>
<td data-label="<%= it.t('payments.reference') %>"><% if (row.id) { %><a href="<%= it.base %>/payments/<%= row.id %>"><%= row.reference || row.id %></a><% } else { %><%= row.reference %><% } %></td>
<td data-label="<%= it.t(it.areSent ? 'payments.state' : 'payouts.message') %>"><% if (row.state) { %><span><span class="state <%= row.tone %>"><%= it.t('state.' + row.state) %></span> <%= row.text %></span><% } else { %><%= row.text %><% } %></td></tr><% } %></tbody></table>
<% } %>
`);

const pageLength = 100;

interface Shown {
  n: number;
  recipient: string;
  amount: string;
  reference: string;
  text: string;
  id?: string;
  state?: string;
  tone?: string;
}

interface StateSum {
  state: PaymentState;
  currency: Currency;
  count: number;
  minor: string;
}

async function batchPage(visit: MerchantVisit, batch: Batch, fault = ''): Promise<PageResponse> {
  const { db, place, query, standingSeconds, language } = visit;
  const own = `/m/${place.merchant.merchant_id}/payouts/${batch.batch_id}`;
  const asked = Number(/^\d{1,4}$/.exec(query.get('from') ?? '')?.[0] ?? 0);
  const from = asked < batch.row_count ? asked : 0;
  const pageAt = (n: number) => (n === 0 ? own : `${own}?from=${String(n)}`);
  const names = await namesOf(visit, [batch.made_by, batch.decided_by]);
  const isSent = batch.bulk_id !== null;
  const isPlanned = batch.state === 'draft' || batch.state === 'waiting';
  const sums = isSent ? await sumsOf(visit, batch) : [];
  const rows = isSent ? await sentRows(visit, batch, from) : plannedRows(visit, batch, from);
  const total = (minor: bigint, currency: Currency) => money(minor, currency, language);
  const html = draw(visit, batchTemplate, {
    ...{ batch, own, rows, areSent: isSent },
    ...batchState(batch),
    maker: names.get(batch.made_by) ?? '',
    decider: names.get(batch.decided_by ?? '') ?? '',
    totals: [...(isSent ? totalsSent(sums) : totalsPlanned(batch))].map(([currency, minor]) =>
      total(minor, currency),
    ),
    fees: isPlanned
      ? [...(await feesPlanned(visit, batch))].map(([currency, minor]) => total(minor, currency))
      : [],
    states: sums.map((one) => ({
      ...one,
      tone: toneOf(one.state),
      amount: total(BigInt(one.minor), one.currency),
    })),
    same: isPlanned ? await findSame(db, batch) : undefined,
    isStopped: !isSent && (await isStopped(visit, batch)),
    ...choices(visit, batch, {
      another: await needsAnother(db, batch, standingSeconds),
      right: await rightToDecide(db, actingUserOf(visit), standingSeconds),
    }),
    hours: Math.ceil(standingSeconds / 3_600),
  });
  const isOpen = sums.some(({ state }) => !isFinal(state));
  const region = live(visit, { id: 'batch', url: isOpen ? pageAt(from) : '', seconds: 5, html });
  const body = draw(visit, aroundTemplate, {
    done: fault === '' ? doneOf(visit, 'payouts') : '',
    problem: problem(visit, fault),
    region: region.html,
    before: from > 0 ? pageAt(Math.max(0, from - pageLength)) : '',
    after: from + pageLength < batch.row_count ? pageAt(from + pageLength) : '',
  });
  const { seen } = region;
  return { kind: 'page', status: fault === '' ? 200 : 422, title: batch.name, body, seen };
}

/** Whether operators have paused any of these payouts now. */
async function isStopped({ db, place }: MerchantVisit, batch: Batch): Promise<boolean> {
  const { merchant_id } = place.merchant;
  const countries = [...new Set(rowsOf(batch).map(({ country = '' }) => country))];
  return (await findPayoutPauses(db)).some((stop) =>
    countries.some((country) =>
      holdsBack(stop, {
        ...{ kind: 'payout', merchant_id, rail: batch.rail },
        details: country === '' ? {} : { country },
      }),
    ),
  );
}

/** The user's choices for this list, and the hint that explains them. */
function choices(
  visit: MerchantVisit,
  { state, made_by: maker, is_over: over }: Batch,
  { another, right }: { another: boolean; right: Right },
) {
  const isOwn = maker === visit.session.person.userId;
  const isOpen = state === 'draft' || state === 'waiting';
  if (!isOpen || !isCashier(visit)) return { may: [], hint: '' };
  if (Number(over) === 1) return { may: isOwn ? ['drop'] : [], hint: '' };
  if (!isOwn && right === 'too_new') return { may: ['reject'], hint: 'payouts.hint.too_new' };
  if (!isOwn) return { may: ['approve', 'reject'], hint: 'payouts.hint.look' };
  if (!another && right === 'too_new') return { may: ['ask', 'drop'], hint: 'payouts.hint.too_new' };
  if (!another) return { may: ['approve', 'drop'], hint: 'payouts.hint.alone' };
  if (state === 'draft') return { may: ['ask', 'drop'], hint: 'payouts.hint.ask' };
  return { may: ['drop'], hint: 'payouts.hint.own' };
}

/** The totals of a list that was not sent, by currency. */
function totalsPlanned(batch: Batch): Map<Currency, bigint> {
  const totals = new Map<Currency, bigint>();
  for (const { amount = '', currency = '' } of rowsOf(batch)) {
    if (!isCurrency(currency)) continue;
    totals.set(currency, (totals.get(currency) ?? 0n) + (parseAmount(amount, currency) ?? 0n));
  }
  return totals;
}

/** The fees that the float would pay besides, by the schedules in force now. */
async function feesPlanned({ db }: MerchantVisit, batch: Batch): Promise<Map<Currency, bigint>> {
  const inForce = await feesInForce(db, batch.merchant_id);
  const totals = new Map<Currency, bigint>();
  for (const { amount = '', currency = '' } of rowsOf(batch)) {
    const minor = isCurrency(currency) ? parseAmount(amount, currency) : undefined;
    if (minor === undefined || !isCurrency(currency)) continue;
    const terms = nearestFee(inForce, { operation: 'payout', rail: batch.rail, currency });
    if (terms) totals.set(currency, (totals.get(currency) ?? 0n) + feeOf(terms, minor));
  }
  return totals;
}

function totalsSent(sums: readonly StateSum[]): Map<Currency, bigint> {
  const totals = new Map<Currency, bigint>();
  for (const { currency, minor } of sums) totals.set(currency, (totals.get(currency) ?? 0n) + BigInt(minor));
  return totals;
}

async function sumsOf({ db }: MerchantVisit, { bulk_id: bulkId }: Batch): Promise<StateSum[]> {
  const [rows] = (await db.raw(
    `SELECT p.state, p.currency, COUNT(*) AS count, SUM(p.requested_minor) AS minor
     FROM bulk_rows r JOIN payments p ON p.payment_id = r.payment_id
     WHERE r.bulk_id = ? GROUP BY p.state, p.currency ORDER BY count DESC, p.state`,
    [bulkId ?? ''],
  )) as unknown as [(Omit<StateSum, 'count'> & { count: number | string })[]];
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

/** Users who decide see the recipients. Platform users see masked numbers. */
function plannedRows(visit: MerchantVisit, batch: Batch, from: number): Shown[] {
  const form = payoutFormOf(batch.rail);
  const of = (row: PayoutFields, name: string | undefined) => row[name ?? ''] ?? '';
  return rowsOf(batch)
    .slice(from, from + pageLength)
    .map((row, at) => {
      const [text, currency] = [row['amount'] ?? '', row['currency'] ?? ''];
      const minor = isCurrency(currency) ? parseAmount(text, currency) : undefined;
      const recipient = of(row, form?.recipient);
      return {
        n: from + at + 1,
        recipient: isCashier(visit) ? recipient : maskedPhone(recipient),
        amount: minor !== undefined && isCurrency(currency) ? money(minor, currency, visit.language) : text,
        reference: of(row, form?.reference),
        text: of(row, form?.message),
      };
    });
}

/** Sent payouts, with masked recipients as on all other pages. */
async function sentRows({ db, language }: MerchantVisit, batch: Batch, from: number): Promise<Shown[]> {
  const rows = await db('bulk_rows as r')
    .join('payments as p', 'p.payment_id', 'r.payment_id')
    .where('r.bulk_id', batch.bulk_id ?? '')
    .whereBetween('r.n', [from, from + pageLength - 1])
    .orderBy('r.n')
    .select<(PaymentRow & { n: number })[]>('p.*', 'r.n');
  return rows.map((payment) => ({
    n: payment.n + 1,
    recipient: maskedPhone(payment.phone_number ?? payment.details['recipient_email'] ?? null),
    amount: amountOf(payment, language),
    reference: payment.order_id ?? payment.account_reference ?? '',
    text: failureOf(payment).failure_message ?? '',
    id: payment.payment_id,
    state: shownStateOf(payment),
    tone: toneOf(payment.state),
  }));
}

// The decisions about a list: request approval, approve, or reject.

async function ofBatch(
  visit: MerchantVisit,
  then: (batch: Batch) => Promise<PageResponse> | PageResponse,
): Promise<PageResponse> {
  const { db, place, params, session } = visit;
  const found = await findBatch(db, place.merchant.merchant_id, params['batch'] ?? '');
  // Only its creator sees a draft.
  const isTheirs = found && (found.state !== 'draft' || found.made_by === session.person.userId);
  return isTheirs ? then(found) : notFound(visit);
}

const pageOf = ({ place }: MerchantVisit, { batch_id: id }: Batch) =>
  `/m/${place.merchant.merchant_id}/payouts/${id}`;

const askedOf = ({ place }: MerchantVisit, batch: Batch) => ({
  merchant: place.merchant,
  rail: batch.rail,
  orderId: orderIdOf(batch),
  rows: rowsOf(batch),
  requestId: currentRequest()?.requestId ?? '',
});

const record = (visit: MerchantVisit, trx: Transaction, action: string, batch: Batch, bulkId?: string) =>
  recordOf(visit, trx, action, {
    batch_id: batch.batch_id,
    count: batch.row_count,
    ...(bulkId !== undefined && { bulk_id: bulkId }),
  });

export function showBatch(visit: MerchantVisit): Promise<PageResponse> {
  return ofBatch(visit, (batch) => batchPage(visit, batch));
}

/** Runs the decision, or shows the reason against it on the page. */
function deciding(
  visit: MerchantVisit,
  done: string,
  work: (batch: Batch) => Promise<unknown>,
): Promise<PageResponse> {
  return ofBatch(visit, async (batch) => {
    const { acts, place, t } = visit;
    if (batch.state === 'sent' || batch.state === 'rejected') return go(pageOf(visit, batch));
    // Sending needs an active rail; rejecting does not.
    if (done !== 'rejected' && !acts.payoutRails.includes(batch.rail))
      return batchPage(visit, batch, t('payouts.not_now.unserved'));
    try {
      await work(batch);
      return go(`${pageOf(visit, batch)}?done=${done}`);
    } catch (error) {
      const fault = error instanceof NotNow ? t(`payouts.not_now.${error.why}`) : faultOf(visit, error);
      const now = (await findBatch(visit.db, place.merchant.merchant_id, batch.batch_id)) ?? batch;
      return batchPage(visit, now, fault);
    }
  });
}

/** The error text, with the line number for a fault of one row. */
function faultOf(visit: MerchantVisit, error: unknown): string {
  const sentence = sentenceOf(visit, error);
  const [first] = error instanceof PaymentError ? (error.options.details ?? []) : [];
  const n = /^payouts\.(\d+)/.exec(first?.field ?? '')?.[1];
  return n === undefined ? sentence : `${visit.t('payouts.at_row', { n: Number(n) + 1 })} ${sentence}`;
}

/** A dry run of the whole list comes first. So a list waits for approval only if it could be sent now. */
export function askFor(visit: MerchantVisit): Promise<PageResponse> {
  return deciding(visit, 'asked', async (batch) => {
    await visit.acts.tryPayOut(askedOf(visit, batch));
    await inTransaction(visit.db, async (trx) => {
      await ask(trx, batch.batch_id, actingUserOf(visit), visit.standingSeconds);
      await mailDecidersOfBatch(visit, trx, batch);
      await record(visit, trx, 'payouts.ask', batch);
    });
  });
}

async function mailDecidersOfBatch(visit: MerchantVisit, trx: Transaction, batch: Batch): Promise<void> {
  const { place, session, settings, sendsMail } = visit;
  if (!sendsMail) return;
  const { name: merchant } = place.merchant;
  const reported = {
    path: pageOf(visit, batch),
    who: session.person.email,
    ...{ merchant, count: batch.row_count, totals: totalsPlanned(batch), hours: waitsHours },
  };
  for (const one of await othersWithTheRight(trx, actingUserOf(visit)))
    await enqueueMail(trx, payoutsWaitMail(settings.url, one, reported));
}

/** One transaction writes the approver and the payouts. Repeated confirmation creates no more payouts. */
export function approveBatch(visit: MerchantVisit): Promise<PageResponse> {
  return deciding(visit, 'sent', (batch) =>
    visit.acts.payOut(askedOf(visit, batch), async (trx, bulkId) => {
      const { batch_id: batchId } = batch;
      await noteSent(trx, { batchId, userId: visit.session.person.userId, bulkId }, visit.standingSeconds);
      await record(visit, trx, 'payouts.approve', batch, bulkId);
    }),
  );
}

export function rejectBatch(visit: MerchantVisit): Promise<PageResponse> {
  return deciding(visit, 'rejected', (batch) =>
    inTransaction(visit.db, async (trx) => {
      const reason = cutText(visit.form('reason').trim(), 300);
      await reject(trx, batch.batch_id, visit.session.person.userId, reason);
      await record(visit, trx, 'payouts.reject', batch);
    }),
  );
}
