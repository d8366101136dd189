/** What a person has to look at: the queue, by age or by money, and one case with what both sides say. */
import { isFinal } from '../../domain/payment';
import { listCases } from '../../payments/record/cases';
import type { CaseRow, PaymentRow } from '../../store/tables';
import { money } from '../format';
import { notFound } from '../pages/refusals';
import { amountOf, toneOf } from '../pages/payment-words';
import { draw, template } from '../render';
import type { Answer, PlatformVisit } from '../visit';
import { caseSentence } from '../words/cases';
import { carryOut, proveFirst, refusedBefore } from './outcome';

const listTemplate = template(`
<h1><%= it.t('ops.cases') %></h1>
<nav class="tabs" aria-label="<%= it.t('ops.cases.order') %>">
<% for (const one of it.orders) { %><a href="/ops/cases?by=<%= one %>"<% if (it.by === one) { %> aria-current="page"<% } %>><%= it.t('ops.cases.by.' + one) %></a><% } %>
</nav>
<% if (it.cases.length > 0) { %>
<table class="stack"><caption class="unseen"><%= it.t('ops.cases') %></caption>
<thead><tr><th scope="col"><%= it.t('ops.case') %></th><th scope="col"><%= it.t('ops.case.since') %></th><th scope="col"><%= it.t('ops.case.why') %></th><th scope="col" class="number"><%= it.t('payments.amount') %></th></tr></thead>
<tbody><% for (const one of it.cases) { %><tr>
<th scope="row"><a href="/ops/cases/<%= one.case_id %>"><%= one.case_id %></a></th>
<td data-label="<%= it.t('ops.case.since') %>"><%~ it.time(one.opened_at) %></td>
<td data-label="<%= it.t('ops.case.why') %>"><%= one.sentence %></td>
<td class="number" data-label="<%= it.t('payments.amount') %>"><%= one.amount %></td></tr><% } %></tbody></table>
<% } else { %><div class="empty"><h2><%= it.t('ops.cases.none.title') %></h2><p><%= it.t('ops.cases.none.text') %></p></div><% } %>
`);

const caseTemplate = template(`
<p><a href="/ops/cases"><%= it.t('ops.cases.all') %></a></p>
<h1><%= it.t('ops.case') %> <%= it.case.case_id %> <span class="state <%= it.case.closed_at ? 'good' : 'bad' %>"><%= it.t(it.case.closed_at ? 'ops.case.closed' : 'ops.case.open') %></span></h1>
<p class="sentence"><strong><%= it.sentence %></strong></p>
<section class="card" aria-labelledby="seen"><h2 id="seen"><%= it.t('ops.case.evidence') %></h2>
<p lang="en"><%= it.case.detail %></p>
<dl class="facts">
<div><dt><%= it.t('ops.case.since') %></dt><dd><%~ it.time(it.case.opened_at, true) %></dd></div>
<% if (it.case.stops) { %><div><dt><%= it.t('ops.case.stops') %></dt><dd><%= it.case.stops %></dd></div><% } %>
<% if (it.case.closed_at) { %><div><dt><%= it.t('ops.case.closed_by') %></dt><dd><%= it.case.closed_by %> · <%~ it.time(it.case.closed_at) %></dd></div><div><dt><%= it.t('ops.case.resolution') %></dt><dd><%= it.case.resolution %></dd></div><% } %>
</dl></section>
<% if (it.payment) { %>
<section class="card" aria-labelledby="payment"><h2 id="payment"><a href="/m/<%= it.payment.merchant_id %>/payments/<%= it.payment.payment_id %>"><%= it.amount %></a> <span class="state <%= it.tone %>"><%= it.t('state.' + it.payment.state) %></span></h2>
<dl class="facts"><% for (const [name, value] of it.facts) { %><div><dt><%= name %></dt><dd><%= value %></dd></div><% } %></dl></section>
<% } %>
<% if (!it.case.closed_at) { %>
<section class="card" aria-labelledby="decide"><h2 id="decide"><%= it.t('ops.case.decide') %></h2>
<p><%= it.t('ops.case.decide.text') %></p>
<%~ it.prove %>
<% if (it.mayAct && it.session.isFresh) { %>
<form method="post" action="/ops/cases/<%= it.case.case_id %>/resolve"><%~ it.token %>
<fieldset><legend><%= it.t('ops.case.outcome') %></legend>
<% for (const one of it.outcomes) { %><label class="choice"><input type="radio" name="outcome" value="<%= one %>"<% if (one === '') { %> checked<% } %>> <span><%= it.t('ops.case.outcome.' + (one || 'none')) %></span></label><% } %>
</fieldset>
<% if (it.payment) { %>
<label for="amount"><%= it.t('ops.case.amount', { currency: it.payment.instructed_currency }) %></label><input id="amount" name="amount" inputmode="decimal" maxlength="20" autocomplete="off">
<label for="reference"><%= it.t('ops.case.reference') %></label><input id="reference" name="reference" maxlength="100" autocomplete="off">
<% } %>
<label for="note"><%= it.t('ops.case.note') %></label><p class="hint" id="note-hint"><%= it.t('ops.case.note.hint') %></p>
<textarea id="note" name="note" rows="3" required maxlength="500" aria-describedby="note-hint"></textarea>
<button type="submit"><%= it.t('ops.case.submit') %></button></form>
<% } else if (!it.mayAct) { %><p class="hint"><%= it.t('ops.not_yours') %></p><% } %>
</section><% } %>
`);

const orders = ['age', 'money'] as const;
const listedMax = 300;
const outcomes = ['paid', 'failed', 'returned'] as const;

export async function cases(visit: PlatformVisit): Promise<Answer> {
  const { db, query, language, t } = visit;
  const by = orders.find((one) => one === query.get('by')) ?? 'age';
  const open = await listCases(db, { open: true, limit: listedMax });
  const payments = await paymentsOf(visit, open);
  const minorOf = ({ payment_id: id }: CaseRow) => BigInt(payments.get(id ?? '')?.instructed_minor ?? 0);
  // Of several currencies this is no order of value; within one it is.
  const sorted = by === 'age' ? open : [...open].sort((a, b) => (minorOf(b) > minorOf(a) ? 1 : -1));
  const body = draw(visit, listTemplate, {
    by,
    orders,
    cases: sorted.map((one) => {
      const payment = payments.get(one.payment_id ?? '');
      return {
        ...one,
        sentence: caseSentence(one.reason, language),
        amount: payment ? money(payment.instructed_minor, payment.instructed_currency, language) : '',
      };
    }),
  });
  return { kind: 'page', title: t('ops.cases'), body };
}

async function paymentsOf({ db }: PlatformVisit, open: CaseRow[]): Promise<Map<string, PaymentRow>> {
  const ids = open.flatMap(({ payment_id: id }) => id ?? []);
  const rows = await db('payments').whereIn('payment_id', ids);
  return new Map(rows.map((row) => [row.payment_id, row]));
}

async function findCase({ db, params }: PlatformVisit): Promise<CaseRow | undefined> {
  const id = params['case'] ?? '';
  return /^\d{1,15}$/.test(id) ? db('cases').where({ case_id: id }).first() : undefined;
}

export async function showCase(visit: PlatformVisit): Promise<Answer> {
  const { operator, language, t } = visit;
  const found = await findCase(visit);
  if (!found) return notFound(visit);
  const payment = (await paymentsOf(visit, [found])).get(found.payment_id ?? '');
  const mayAct = operator.role === 'operator';
  const body = draw(visit, caseTemplate, {
    case: found,
    sentence: caseSentence(found.reason, language),
    payment,
    amount: payment ? amountOf(payment, language) : '',
    tone: payment ? toneOf(payment.state) : '',
    facts: payment ? bothSides(visit, payment) : [],
    mayAct,
    prove: proveFirst(visit, mayAct),
    outcomes: payment ? ['', ...outcomes] : [''],
  });
  return { kind: 'page', title: `${t('ops.case')} ${found.case_id}`, body };
}

/** What we have asked for and booked, and what the provider says. */
function bothSides({ language, t }: PlatformVisit, payment: PaymentRow): string[][] {
  const { instructed_currency: currency, instructed_minor: instructed, confirmed_minor: confirmed } = payment;
  return [
    [t('payments.kind'), `${t(`kind.${payment.kind}`)} · ${payment.rail} · ${payment.provider}`],
    [t('ops.case.ours'), money(instructed, currency, language)],
    [t('ops.case.theirs'), confirmed === null ? '' : money(confirmed, currency, language)],
    [t('payment.provider_reference'), payment.provider_reference ?? ''],
    [t('payment.receipt'), payment.provider_receipt ?? ''],
    [t('payment.reason'), payment.result_text ?? ''],
    [t('ops.case.final'), t(isFinal(payment.state) ? 'team.yes' : 'team.no')],
    [t('payment.id'), payment.payment_id],
  ].filter(([, value]) => value !== '');
}

export async function resolveCase(visit: PlatformVisit): Promise<Answer> {
  const { form, t } = visit;
  const found = await findCase(visit);
  if (!found) return notFound(visit);
  const back = `/ops/cases/${found.case_id}`;
  const [note, amount, reference] = [form('note').trim(), form('amount').trim(), form('reference').trim()];
  if (note === '') return refusedBefore(visit, t('ops.case.note.needed'), back);
  const outcome = outcomes.find((one) => one === form('outcome'));
  return carryOut(
    visit,
    [
      ...['case', 'resolve', found.case_id, `--note=${note}`],
      ...(outcome ? [`--outcome=${outcome}`] : []),
      ...(amount === '' ? [] : [`--amount=${amount}`]),
      ...(reference === '' ? [] : [`--reference=${reference}`]),
    ],
    back,
  );
}
