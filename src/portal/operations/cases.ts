/** Cases: the queue, by age or by amount, and the page of one case with our data and the provider's. */
import { caseReasons, listCases, type CaseReason } from '../../controls/cases';
import { isFinal, OUTCOME_UNKNOWN } from '../../domain/payment';
import { failureOf } from '../../payments/read/merchant-view';
import { readTimeline } from '../../payments/read/timeline';
import type { CaseRow, PaymentRow } from '../../store/tables';
import { money, type Language } from '../format';
import { numberAfter, pager } from '../pages/parts';
import { amountOf, toneOf } from '../pages/payment-words';
import { notFound } from '../pages/error-pages';
import { draw, template } from '../render';
import type { PageResponse, PlatformVisit } from '../visit';
import { railWord } from '../words';
import { caseAdviceEn, type CaseAdvice } from '../words/en/cases';
import { caseAdviceSw, caseSentencesSw } from '../words/sw/cases';
import { act, previewButton, authenticateFirst, refusedBefore } from './outcome';

const listTemplate = template(`
<h1><%= it.t('ops.cases') %></h1>
<nav class="tabs" aria-label="<%= it.t('ops.cases.order') %>">
<% for (const one of it.orders) { %><a href="/ops/cases?by=<%= one %>"<% if (it.by === one) { %> aria-current="page"<% } %>><%= it.t('ops.cases.by.' + one) %></a><% } %>
</nav>
<% if (it.by === 'money' && it.currencies.length > 1) { %><nav class="tabs" aria-label="<%= it.t('case.currency') %>">
<% for (const one of it.currencies) { %><a href="/ops/cases?by=money&amp;currency=<%= one %>"<% if (it.currency === one) { %> aria-current="page"<% } %>><%= one %></a><% } %></nav><% } %>
<% if (it.cases.length > 0) { %>
<table class="stack"><caption class="unseen"><%= it.t('ops.cases') %></caption>
<thead><tr><th scope="col"><%= it.t('ops.case') %></th><th scope="col"><%= it.t('ops.case.since') %></th><th scope="col"><%= it.t('ops.case.why') %></th><th scope="col" class="number"><%= it.t('payments.amount') %></th></tr></thead>
<tbody><% for (const one of it.cases) { %><tr>
<th scope="row"><a href="/ops/cases/<%= one.case_id %>"><%= one.case_id %></a></th>
<td data-label="<%= it.t('ops.case.since') %>"><%~ it.time(one.opened_at) %></td>
<td class="long" data-label="<%= it.t('ops.case.why') %>"><%= one.sentence %></td>
<td class="number" data-label="<%= it.t('payments.amount') %>"><%= one.amount %></td></tr><% } %></tbody></table>
<% if (it.among) { %><p class="note"><%= it.t('ops.cases.among', { n: it.count(it.among) }) %></p><% } %>
<%~ it.pager %>
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
<% if (it.advice) { %><section class="card" aria-labelledby="advice"><h2 id="advice"><%= it.t('case.likely') %></h2><p><%= it.advice.likely %></p>
<h3><%= it.t('case.safe') %></h3><p><%= it.advice.safe %></p></section><% } %>
<% if (it.payment) { %>
<section class="card" aria-labelledby="payment"><h2 id="payment"><a href="/m/<%= it.payment.merchant_id %>/payments/<%= it.payment.payment_id %>"><%= it.amount %></a> <span class="state <%= it.tone %>"><%= it.t('state.' + it.payment.state) %></span></h2>
<dl class="facts"><% for (const [name, value] of it.facts) { %><div><dt><%= name %></dt><dd><%= value %></dd></div><% } %></dl></section>
<%~ it.evidence %>
<% } %>
<% if (!it.case.closed_at) { %>
<section class="card" aria-labelledby="decide"><h2 id="decide"><%= it.t('ops.case.decide') %></h2>
<p><%= it.t('ops.case.decide.text') %></p>
<%~ it.prove %>
<% if (it.mayAct && it.session.isFresh) { %>
<form method="post" action="/ops/cases/<%= it.case.case_id %>/resolve"><%~ it.token %><%~ it.once %>
<fieldset><legend><%= it.t('ops.case.outcome') %></legend>
<% for (const one of it.outcomes) { %><label class="choice"><input type="radio" name="outcome" value="<%= one %>"<% if (one === '') { %> checked<% } %>> <span><%= it.t('ops.case.outcome.' + (one || 'none')) %></span></label><% } %>
</fieldset>
<% if (it.payment) { %>
<label for="amount"><%= it.t('ops.case.amount', { currency: it.payment.instructed_currency }) %></label><input id="amount" name="amount" inputmode="decimal" maxlength="20" autocomplete="off">
<label for="reference"><%= it.t('ops.case.reference') %></label><input id="reference" name="reference" maxlength="100" autocomplete="off">
<% } %>
<label for="note"><%= it.t('ops.case.note') %></label><p class="hint" id="note-hint"><%= it.t('ops.case.note.hint') %></p>
<textarea id="note" name="note" rows="3" required maxlength="500" aria-describedby="note-hint"></textarea>
<div class="actions"><button type="submit"><%= it.t('ops.case.submit') %></button>${previewButton()}</div></form>
<% } else if (!it.mayAct) { %><p class="hint"><%= it.t('ops.not_yours') %></p><% } %>
</section><% } %>
`);

const orders = ['age', 'money'] as const;
const listedMax = 50;
/** The list by amount sorts this many of the oldest cases. */
const weighedMax = 2_000;
const outcomes = ['paid', 'failed', 'returned'] as const;

export async function cases(visit: PlatformVisit): Promise<PageResponse> {
  const { query, language, t } = visit;
  const by = orders.find((one) => one === query.get('by')) ?? 'age';
  const from = numberAfter(visit);
  const {
    open,
    next,
    among,
    currencies = [],
    currency,
  } = await (by === 'age' ? oldest : heaviest)(visit, from);
  const payments = await paymentsOf(visit, open);
  const body = draw(visit, listTemplate, {
    ...{ by, orders, among, currencies, currency },
    pager: pager(visit, { path: '/ops/cases', wishes: { by, ...(currency && { currency }) }, from, next }),
    cases: open.map((one) => {
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

interface PageOfCases {
  open: CaseRow[];
  /** The beginning of the next page; empty on the last page. */
  next: string;
  /** How many cases were sorted, if there are more. */
  among?: number;
  /** Amounts in different currencies cannot be compared. These are the currencies of the cases, and the listed one. */
  currencies?: string[];
  currency?: string | undefined;
}

async function oldest({ db }: PlatformVisit, from: string): Promise<PageOfCases> {
  const found = await listCases(db, { open: true, after: Number(from), limit: listedMax + 1 });
  const open = found.slice(0, listedMax);
  return { open, next: found.length > listedMax ? (open.at(-1)?.case_id ?? '') : '' };
}

/** A case without a payment has neither amount nor currency. */
interface Weighed {
  case_id: string;
  minor: string | null;
  currency: string | null;
}

/** @param from the number of cases before this page. */
async function heaviest({ db, query }: PlatformVisit, from: string): Promise<PageOfCases> {
  const weighed = await db('cases as c')
    .leftJoin('payments as p', 'p.payment_id', 'c.payment_id')
    .whereNull('c.closed_at')
    .orderBy('c.case_id')
    .limit(weighedMax)
    .select<Weighed[]>('c.case_id', { minor: 'p.instructed_minor', currency: 'p.instructed_currency' });
  const currencies = [...new Set(weighed.flatMap(({ currency }) => currency ?? []))].sort();
  const currency = currencies.find((one) => one === query.get('currency')) ?? currencies[0];
  const sorted = weighed
    .filter((one) => one.currency === currency)
    .sort((a, b) => (BigInt(b.minor ?? 0) > BigInt(a.minor ?? 0) ? 1 : -1));
  const begin = Number(from);
  const ids = sorted.slice(begin, begin + listedMax).map(({ case_id: id }) => id);
  const rows = new Map((await db('cases').whereIn('case_id', ids)).map((row) => [row.case_id, row]));
  return {
    ...{ currencies, currency },
    open: ids.flatMap((id) => rows.get(id) ?? []),
    next: begin + listedMax < sorted.length ? String(begin + listedMax) : '',
    ...(weighed.length === weighedMax && { among: weighedMax }),
  };
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

export async function showCase(visit: PlatformVisit): Promise<PageResponse> {
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
    evidence: payment ? await caseEvidence(visit, payment.payment_id) : '',
    advice: found.closed_at ? undefined : caseAdvice(found.reason, language),
    mayAct,
    prove: authenticateFirst(visit, mayAct),
    outcomes: payment ? ['', ...outcomes] : [''],
  });
  return { kind: 'page', title: `${t('ops.case')} ${found.case_id}`, body };
}

/** Our data of the payment beside the provider's. */
function bothSides({ language, t }: PlatformVisit, payment: PaymentRow): string[][] {
  const { instructed_currency: currency, instructed_minor: instructed, confirmed_minor: confirmed } = payment;
  return [
    [t('payments.kind'), `${t(`kind.${payment.kind}`)} · ${railWord(t, payment.rail)} · ${payment.provider}`],
    [t('ops.case.ours'), money(instructed, currency, language)],
    [t('ops.case.theirs'), confirmed === null ? '' : money(confirmed, currency, language)],
    [t('payment.provider_reference'), payment.provider_reference ?? ''],
    [t('payment.receipt'), payment.provider_receipt ?? ''],
    [t('payment.reason'), failureOf(payment).failure_message ?? ''],
    [
      t('ops.case.final'),
      t(isFinal(payment.state) && payment.failure_code !== OUTCOME_UNKNOWN ? 'team.yes' : 'team.no'),
    ],
    [t('payment.id'), payment.payment_id],
  ].filter(([, value]) => value !== '');
}

export async function resolveCase(visit: PlatformVisit): Promise<PageResponse> {
  const { form, t } = visit;
  const found = await findCase(visit);
  if (!found) return notFound(visit);
  const back = `/ops/cases/${found.case_id}`;
  const [note, amount, reference] = [form('note').trim(), form('amount').trim(), form('reference').trim()];
  if (note === '') return refusedBefore(visit, t('ops.case.note.needed'), back);
  const outcome = outcomes.find((one) => one === form('outcome'));
  if (outcome === 'paid' && amount === '') return refusedBefore(visit, t('ops.case.amount.needed'), back);
  if (outcome !== 'paid' && amount + reference !== '')
    return refusedBefore(visit, t('ops.case.amount.alone'), back);
  const input = {
    ...{ case_id: found.case_id, note },
    ...(outcome && { outcome }),
    ...(amount !== '' && { amount }),
    ...(reference !== '' && { reference }),
  };
  return act(visit, { kind: 'case.resolve', input }, back);
}

/**
 * The reason of a case, in the language of the page.
 * @param reason a reason of a newer version is shown by its name.
 */
function caseSentence(reason: string, language: Language): string {
  if (!Object.hasOwn(caseReasons, reason)) return reason;
  const known = reason as CaseReason;
  // The commands in brackets are for the command line. The pages have buttons instead.
  return language === 'sw' ? caseSentencesSw[known] : caseReasons[known].replace(/ \(malipo [^()]*\)/g, '');
}

/** The likely cause and the safe next step; undefined for a reason of a newer version. */
function caseAdvice(reason: string, language: Language): CaseAdvice | undefined {
  const joined: Readonly<Record<string, CaseAdvice>> = language === 'sw' ? caseAdviceSw : caseAdviceEn;
  return Object.hasOwn(joined, reason) ? joined[reason] : undefined;
}

// The evidence of a case: our actions, and what the provider reported.

const evidenceTemplate = template(`
<div class="sides">
<section class="card" aria-labelledby="ours"><h2 id="ours"><%= it.t('case.ours') %></h2>
<ol class="story"><% for (const one of it.ours) { %><li class="<%= one.tone %>"><span class="when"><%~ it.time(one.at, true) %></span> <span class="what"><%= one.what %></span><% if (one.evidence) { %><span class="evidence" lang="en"><%= one.evidence %></span><% } %></li><% } %></ol></section>
<section class="card" aria-labelledby="theirs"><h2 id="theirs"><%= it.t('case.theirs') %></h2>
<% if (it.theirs.length === 0) { %><p><%= it.t('case.theirs.none') %></p><% } else { %>
<ol class="story"><% for (const one of it.theirs) { %><li class="<%= one.tone %>"><span class="when"><%~ it.time(one.at, true) %></span> <span class="what"><%= one.what %></span><% if (one.evidence) { %><span class="evidence" lang="en"><%= one.evidence %></span><% } %>
<% if (one.body) { %><details><summary><%= it.t('case.body') %></summary><pre tabindex="0" lang="en"><code><%= one.body %></code></pre></details><% } %></li><% } %></ol>
<p class="hint"><%= it.t('case.redacted') %></p><% } %></section>
</div>
`);

/** A payment may have very many notifications. The page shows the bodies of the first ones. */
const bodiesMax = 20;

/** The words for transitions caused by a notification or by a status check. */
const theirWords = { callback: 'case.reported', query: 'case.answer' } as const;

interface StatusLine {
  at: Date;
  what: string;
  evidence: string;
  tone: string;
  body?: string;
}

async function caseEvidence(visit: PlatformVisit, paymentId: string): Promise<string> {
  const { db, redact, t } = visit;
  const [timeline, bodies] = await Promise.all([
    readTimeline(db, paymentId),
    db('inbox')
      .where({ payment_id: paymentId })
      .orderBy('inbox_id')
      .limit(bodiesMax)
      .select('inbox_id', 'body', 'body_pruned_at'),
  ]);
  const bodyOf = new Map(
    bodies.map(({ inbox_id: id, body, body_pruned_at: pruned }) => [id, pruned === null ? redact(body) : '']),
  );
  const ours: StatusLine[] = [
    ...timeline.attempts.map(({ sent_at: at, state, operation, code, detail, answered_at: answered }) => ({
      at,
      what: t(`story.attempt.${state}`),
      evidence: reported(
        operation,
        code,
        detail,
        answered && `${String(answered.getTime() - at.getTime())} ms`,
      ),
      tone: state === 'accepted' ? 'good' : state === 'refused' ? 'bad' : 'open',
    })),
    ...timeline.log
      .filter(({ cause }) => !Object.hasOwn(theirWords, cause))
      .map(({ at, to_state: state, cause, evidence }) => ({
        at,
        what: t('story.state', { state: t(`state.${state}`) }),
        evidence: reported(cause, evidence),
        tone: 'open',
      })),
  ];
  const theirs: StatusLine[] = [
    ...timeline.notifications.map(
      ({ inbox_id: id, received_at: at, state, reason, source_address: from }) => ({
        at,
        what: t(`case.notice.${state}`),
        evidence: reported(reason, from),
        tone: state === 'applied' ? 'good' : 'open',
        body: bodyOf.get(id) ?? '',
      }),
    ),
    ...timeline.log
      .filter(({ cause }) => Object.hasOwn(theirWords, cause))
      .map(({ at, to_state: state, cause, evidence }) => ({
        at,
        what: t(theirWords[cause as keyof typeof theirWords], { state: t(`state.${state}`) }),
        evidence: reported(evidence),
        tone: 'open',
      })),
  ];
  return draw(visit, evidenceTemplate, { ours: inOrder(ours), theirs: inOrder(theirs) });
}

const reported = (...parts: (string | null)[]) => parts.filter(Boolean).join(' · ');
const inOrder = (lines: StatusLine[]) => lines.sort((a, b) => a.at.getTime() - b.at.getTime());
