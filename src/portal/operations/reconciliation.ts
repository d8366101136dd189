/** Reconciliation: compares provider statements with our ledger, and lists unmatched receipts. */
import { DateTime } from 'luxon';
import { validate as isUuid } from 'uuid';
import type { InputOf } from '../../operator-actions/actions';
import type { Brought, Reconciled } from '../../operator-actions/statements';
import type { Currency } from '../../domain/money';
import { isDay } from '../../ledger/utc-days';
import { takeToken } from '../../merchants/rate-limit';
import { money, wholeNumber } from '../format';
import { pager } from '../pages/parts';
import { listCursorOf, listCursorAt, afterCursor } from '../../store/list-cursor';
import { draw, template } from '../render';
import type { PageResponse, PlatformVisit } from '../visit';
import { isWord } from '../words';
import { notFound } from '../pages/error-pages';
import { act, previewButton, authenticateFirst, refusedBefore, showOutcome, tryingOf } from './outcome';

const reconciliationTemplate = template(`
<h1><%= it.t('ops.recon') %></h1>
<p><%= it.t('ops.recon.text') %></p>
<%~ it.prove %>
<% if (it.canAct) { %>
<form method="post" action="/ops/reconciliation" class="card"><%~ it.token %><%~ it.once %>
<div class="filters">
<div class="field"><label for="rail"><%= it.t('payments.rail') %></label><select id="rail" name="rail"><% for (const rail of it.rails) { %><option value="<%= rail %>"><%= it.railName(rail) %></option><% } %></select></div>
<div class="field"><label for="from"><%= it.t('payments.from') %></label><input id="from" name="from" type="date" required value="<%= it.yesterday %>"></div>
<div class="field"><label for="to"><%= it.t('payments.until') %></label><input id="to" name="to" type="date" required value="<%= it.yesterday %>"></div></div>
<label class="choice"><input type="checkbox" name="kept" value="1"> <span><%= it.t('ops.recon.kept') %></span></label>
<div class="actions"><button type="submit"><%= it.t('ops.recon.compare') %></button>${previewButton()}</div></form>
<details class="card"><summary><%= it.t('ops.recon.file') %></summary>
<form method="post" action="/ops/reconciliation/file" enctype="multipart/form-data"><%~ it.token %><%~ it.once %>
<p><%= it.t('ops.recon.file.text') %></p>
<div class="filters">
<div class="field"><label for="file-rail"><%= it.t('payments.rail') %></label><select id="file-rail" name="rail"><% for (const rail of it.readable) { %><option value="<%= rail %>"><%= it.railName(rail) %></option><% } %></select></div>
<div class="field"><label for="file-from"><%= it.t('payments.from') %></label><input id="file-from" name="from" type="date" required value="<%= it.yesterday %>"></div>
<div class="field"><label for="file-to"><%= it.t('payments.until') %></label><input id="file-to" name="to" type="date" required value="<%= it.yesterday %>"></div>
<div class="field"><label for="order"><%= it.t('ops.recon.order') %></label><select id="order" name="order"><option value=""><%= it.t('ops.recon.order.clear') %></option><option value="dmy">31/12/2026</option><option value="mdy">12/31/2026</option></select></div></div>
<label for="file"><%= it.t('ops.recon.file.which') %></label><input id="file" name="file" type="file" required>
<div class="actions"><button type="submit"><%= it.t('ops.recon.file.bring') %></button>${previewButton(`it.t('ops.recon.file.bring')`)}</div></form></details>
<% } %>
<section aria-labelledby="unmatched"><h2 id="unmatched"><%= it.t('ops.unmatched') %></h2>
<% if (it.unmatchedReceipts.length > 0) { %>
<table class="stack"><caption class="unseen"><%= it.t('ops.unmatched') %></caption>
<thead><tr><th scope="col"><%= it.t('ops.unmatched.number') %></th><th scope="col"><%= it.t('payments.when') %></th><th scope="col"><%= it.t('ops.provider') %></th><th scope="col"><%= it.t('payment.provider_reference') %></th><th scope="col" class="number"><%= it.t('payments.amount') %></th></tr></thead>
<tbody><% for (const one of it.unmatchedReceipts) { %><tr>
<th scope="row"><a href="/ops/unmatched/<%= one.receipt_id %>"><%= one.receipt_id %></a></th>
<td data-label="<%= it.t('payments.when') %>"><%~ it.time(one.occurred_at) %></td>
<td data-label="<%= it.t('ops.provider') %>"><%= one.provider %></td>
<td data-label="<%= it.t('payment.provider_reference') %>"><span class="whole"><%= one.provider_reference %></span></td>
<td class="number" data-label="<%= it.t('payments.amount') %>"><%= one.amount %></td></tr><% } %></tbody></table>
<%~ it.pager %>
<% } else { %><div class="empty"><h3><%= it.t('ops.unmatched.none.title') %></h3><p><%= it.t('ops.unmatched.none.text') %></p></div><% } %>
</section>
<section aria-labelledby="statements"><h2 id="statements"><%= it.t('ops.statements') %></h2>
<% for (const one of it.fetches) { %><p class="<%= one.failure ? 'problem' : 'hint' %>"><%= it.railName(one.rail) %>: <% if (one.failure) { %><span lang="en"><%= one.failure %></span><% } else { %><%= it.t('ops.statements.fetched') %><% } %> <%~ it.time(one.tried_at) %></p><% } %>
<% if (it.statements.length > 0) { %>
<table class="stack"><caption class="unseen"><%= it.t('ops.statements') %></caption>
<thead><tr><th scope="col"><%= it.t('ops.statement') %></th><th scope="col"><%= it.t('ops.provider') %></th><th scope="col"><%= it.t('ops.statement.covers') %></th><th scope="col" class="number"><%= it.t('ops.statement.lines') %></th><th scope="col"><%= it.t('ops.statement.stored') %></th><th scope="col"><%= it.t('ops.statement.withdraw') %></th></tr></thead>
<tbody><% for (const one of it.statements) { %><tr>
<th scope="row"><%= one.file_name %></th><td data-label="<%= it.t('ops.provider') %>"><%= one.provider %></td>
<td data-label="<%= it.t('ops.statement.covers') %>"><span><%~ it.time(one.covers_from) %> – <%~ it.time(one.covers_to) %></span></td>
<td class="number" data-label="<%= it.t('ops.statement.lines') %>"><%= it.count(one.line_count) %></td>
<td data-label="<%= it.t('ops.statement.stored') %>"><%~ it.time(one.stored_at) %></td>
<td data-label="<%= it.t('ops.statement.withdraw') %>"><% if (one.withdrawn_at) { %><span><%= it.t('ops.statement.withdrawn', { who: [one.withdrawn_by, one.approved_by].filter(Boolean).join(' · ') }) %> <%~ it.time(one.withdrawn_at) %></span><% } else if (it.canAct) { %>
<details><summary><%= it.t('ops.statement.withdraw') %></summary><form method="post" action="/ops/reconciliation/statements/<%= one.statement_id %>/withdraw"><%~ it.token %><%~ it.once %>
<p class="hint"><%= it.t('ops.statement.withdraw.text') %></p>
<label for="why-<%= one.statement_id %>"><%= it.t('ops.case.note') %></label><input id="why-<%= one.statement_id %>" name="reason" required maxlength="300" autocomplete="off">
<div class="actions"><button class="quiet" type="submit"><%= it.t('ops.statement.withdraw') %></button>${previewButton(`it.t('ops.statement.withdraw') + ' ' + one.file_name`)}</div></form></details><% } else { %><span><%= it.t('ops.statement.stands') %></span><% } %></td></tr><% } %></tbody></table>
<% } else { %><p><%= it.t('ops.statements.none') %></p><% } %></section>
`);

const unmatchedMax = 50;
const statementsMax = 20;
const here = '/ops/reconciliation';

export async function reconciliation(visit: PlatformVisit): Promise<PageResponse> {
  const { db, operator, session, config, rails, language, t } = visit;
  const mayAct = operator.role === 'operator';
  const after = listCursorAt((visit.query.get('after') ?? '').slice(0, 100));
  const open = db('unmatched_receipts')
    .where({ state: 'open' })
    .orderBy(['occurred_at', 'receipt_id'])
    .limit(unmatchedMax + 1);
  if (after) afterCursor(open, 'receipt_id', after, 'occurred_at');
  const [found, statements, fetches] = await Promise.all([
    open,
    // The ids grow with time.
    db('provider_statements').orderBy('statement_id', 'desc').limit(statementsMax),
    db('statement_fetches').orderBy('rail'),
  ]);
  const unmatchedReceipts = found.slice(0, unmatchedMax);
  const last = found.length > unmatchedMax ? unmatchedReceipts.at(-1) : undefined;
  const body = draw(visit, reconciliationTemplate, {
    pager: pager(visit, {
      path: here,
      from: after ? listCursorOf(after) : '',
      next: last ? listCursorOf({ at: last.occurred_at, id: last.receipt_id }) : '',
    }),
    prove: authenticateFirst(visit, mayAct),
    canAct: mayAct && session.isFresh,
    yesterday: DateTime.now().setZone(config.timezone).minus({ days: 1 }).toISODate(),
    ...{ rails, readable: visit.statementRails, statements, fetches },
    unmatchedReceipts: unmatchedReceipts.map((one) => ({
      ...one,
      amount: money(one.amount_minor, one.currency, language),
    })),
  });
  return { kind: 'page', title: t('ops.recon'), body };
}

type Days = Pick<InputOf<'reconcile'>, 'rail' | 'from' | 'to'>;

function daysOf({ form, rails }: PlatformVisit): Days | undefined {
  const [rail, from, to] = [form('rail'), form('from'), form('to')];
  if (!rails.includes(rail) || !isDay(from) || !isDay(to)) return undefined;
  return { rail, from, to };
}

const unclear = (visit: PlatformVisit) => refusedBefore(visit, visit.t('ops.recon.fault'), here);

/** Needs a second operator, as every action that moves money. */
export async function withdrawStatement(visit: PlatformVisit): Promise<PageResponse> {
  const { db, params, form, t } = visit;
  const id = params['statement'] ?? '';
  const statement = isUuid(id)
    ? await db('provider_statements').where({ statement_id: id }).first('statement_id')
    : undefined;
  if (!statement) return notFound(visit);
  const reason = form('reason').trim();
  if (reason === '') return refusedBefore(visit, t('ops.case.note.needed'), here);
  const input = { statement_id: statement.statement_id, reason };
  return act(visit, { kind: 'provider-statement.withdraw', input }, here);
}

export async function compareDays(visit: PlatformVisit): Promise<PageResponse> {
  const days = daysOf(visit);
  if (!days) return unclear(visit);
  return compared(visit, { ...days, ...(visit.form('kept') === '1' && { kept: true }) });
}

const resultTemplate = template(`
<p><a href="/ops/reconciliation"><%= it.t('ops.recon') %></a></p>
<h1><%= it.heading %></h1>
<p class="<%= it.isExplained ? 'done' : 'note' %>" role="status"><%= it.summary %></p>
<% for (const sentence of it.brought) { %><p><%= sentence %></p><% } %>
<% if (it.begins) { %><p class="note"><%= it.t('ops.recon.begins') %> <%~ it.time(it.begins) %></p><% } %>
<% if (it.sums.length > 0) { %>
<table class="stack"><caption class="unseen"><%= it.t('ops.recon.sums') %></caption>
<thead><tr><th scope="col"><%= it.t('ops.recon.outcome') %></th><th scope="col" class="number"><%= it.t('ops.recon.lines') %></th><th scope="col" class="number"><%= it.t('payments.amount') %></th></tr></thead>
<tbody><% for (const one of it.sums) { %><tr><th scope="row"><%= one.outcome %></th>
<td class="number" data-label="<%= it.t('ops.recon.lines') %>"><%= it.count(one.lines) %></td>
<td class="number" data-label="<%= it.t('payments.amount') %>"><%= one.amount %></td></tr><% } %></tbody></table><% } %>
<% if (it.rules.length > 0) { %>
<section aria-labelledby="rules"><h2 id="rules"><%= it.t('ops.recon.rules') %></h2><p class="hint"><%= it.t('ops.recon.rules.text') %></p>
<table class="stack"><caption class="unseen"><%= it.t('ops.recon.rules') %></caption>
<thead><tr><th scope="col"><%= it.t('ops.recon.rule') %></th><th scope="col"><%= it.t('ops.recon.day') %></th><th scope="col" class="number"><%= it.t('ops.recon.lines') %></th><th scope="col" class="number"><%= it.t('payments.amount') %></th></tr></thead>
<tbody><% for (const one of it.rules) { %><tr><th scope="row"><span class="whole" lang="en"><%= one.rule %></span></th>
<td data-label="<%= it.t('ops.recon.day') %>"><%= one.day %></td>
<td class="number" data-label="<%= it.t('ops.recon.lines') %>"><%= it.count(one.lines) %></td>
<td class="number" data-label="<%= it.t('payments.amount') %>"><%= one.amount %></td></tr><% } %></tbody></table>
<% if (it.rulesOf > it.rules.length) { %><p class="hint"><%= it.t('ops.recon.first', { n: it.count(it.rules.length), all: it.count(it.rulesOf) }) %></p><% } %></section><% } %>
<% if (it.left.length > 0) { %>
<section aria-labelledby="left"><h2 id="left"><%= it.t('ops.recon.left') %></h2>
<table class="stack"><caption class="unseen"><%= it.t('ops.recon.left') %></caption>
<thead><tr><th scope="col"><%= it.t('payments.when') %></th><th scope="col"><%= it.t('ops.recon.outcome') %></th><th scope="col" class="number"><%= it.t('payments.amount') %></th><th scope="col"><%= it.t('ops.recon.what') %></th><th scope="col"><%= it.t('payment.reason') %></th></tr></thead>
<tbody><% for (const one of it.left) { %><tr>
<th scope="row"><%~ it.time(one.at) %></th>
<td data-label="<%= it.t('ops.recon.outcome') %>"><%= one.outcome %></td>
<td class="number" data-label="<%= it.t('payments.amount') %>"><%= one.amount %></td>
<td data-label="<%= it.t('ops.recon.what') %>"><% if (one.href) { %><a class="whole" href="<%= one.href %>"><%= one.name %></a><% } else { %><span class="whole"><%= one.name %></span><% } %></td>
<td data-label="<%= it.t('payment.reason') %>"><span lang="en"><%= one.note %></span></td></tr><% } %></tbody></table>
<% if (it.leftOf > it.left.length) { %><p class="hint"><%= it.t('ops.recon.first', { n: it.count(it.left.length), all: it.count(it.leftOf) }) %></p><% } %></section><% } %>
`);

/** The maximum number of rows on the page. */
const leftMax = 100;
const rulesMax = 100;

/** Runs the comparison and shows its report. The heading says whether open items remain. */
async function compared(visit: PlatformVisit, input: InputOf<'reconcile'>): Promise<PageResponse> {
  const { operations, operator } = visit;
  const outcome = await operations.execute(operator.name, { kind: 'reconcile', input }, tryingOf(visit));
  if (outcome.kind !== 'done') return showOutcome(visit, outcome, here);
  return showReport(visit, outcome.result);
}

function showReport(visit: PlatformVisit, { report, brought }: Reconciled): PageResponse {
  const { t, language } = visit;
  const { isExplained, unexplained, sums, rules, items, feesMinor } = report;
  const shown = (minor: bigint | string, currency: Currency) => money(minor, currency, language);
  const outcomeWord = (name: string) => {
    const word = `ops.outcome.${name}`;
    return isWord(word) ? t(word) : name;
  };
  const left = items.filter((item) => !item.isExplained);
  const amounts = sumsOf(left.map(({ result: { currency, amount_minor } }) => [currency, amount_minor]));
  const fees = feesMinor.filter(({ amountMinor }) => amountMinor !== 0n);
  const heading = t(isExplained ? 'ops.recon.explained' : 'ops.recon.not_explained');
  const body = draw(visit, resultTemplate, {
    ...{ heading, isExplained, begins: brought.begins, leftOf: left.length, rulesOf: rules.length },
    summary: isExplained
      ? t('ops.recon.explained.text')
      : t('ops.recon.not_explained.text', {
          n: String(unexplained),
          amounts: amounts.map(([currency, minor]) => shown(minor, currency)).join(', '),
        }),
    brought: [
      ...broughtWords(visit, brought),
      ...(fees.length === 0
        ? []
        : [
            t('ops.recon.fees', {
              amounts: fees.map((one) => shown(one.amountMinor, one.currency)).join(', '),
            }),
          ]),
    ],
    sums: sums.map(({ outcome, count: lines, amountMinor, currency }) => ({
      ...{ outcome: outcomeWord(outcome), lines, amount: shown(amountMinor, currency) },
    })),
    rules: rules.slice(0, rulesMax).map(({ rule, day, count: lines, amountMinor, currency }) => ({
      ...{ rule, day, lines, amount: shown(amountMinor, currency) },
    })),
    left: left.slice(0, leftMax).map(({ result, line, unmatched }) => ({
      at: result.occurred_at,
      outcome: outcomeWord(result.outcome),
      amount: shown(result.amount_minor, result.currency),
      name: line?.provider_reference ?? result.payment_id ?? '',
      href: unmatched
        ? `/ops/unmatched/${unmatched.receipt_id}`
        : result.payment_id === null
          ? ''
          : `/ops/payments?q=${result.payment_id}`,
      note: result.note,
    })),
  });
  return { kind: 'page', title: heading, body };
}

function broughtWords({ t, language }: PlatformVisit, { kept, missing }: Brought): string[] {
  if (missing !== undefined) return [t('ops.recon.not_fetched')];
  if (!kept) return [];
  return [
    kept.isKnown ? t('ops.recon.known') : t('ops.recon.kept_lines', { n: wholeNumber(kept.lines, language) }),
  ];
}

function sumsOf(amounts: readonly (readonly [Currency, string])[]): [Currency, bigint][] {
  const sums = new Map<Currency, bigint>();
  for (const [currency, minor] of amounts) sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(minor));
  return [...sums];
}

/** The file name from the browser may contain anything. This keeps only a safe name without a path. */
const nameOf = (text: string) =>
  text
    .replace(/^.*[\\/]/, '')
    .replace(/[^\w.() -]/g, '_')
    .slice(-100);

/** One file may need several seconds of processor time. */
const filesPerMinute = 10;

export async function bringFile(visit: PlatformVisit): Promise<PageResponse> {
  const { db, form, file, session, t } = visit;
  const days = daysOf(visit);
  const content = file('file');
  if (!days || !content || content.length === 0) return unclear(visit);
  const bucket = `portal:statements:${session.person.userId}`;
  const token = await takeToken(db, { bucket, ratePerMinute: filesPerMinute, burst: filesPerMinute });
  if (!token.allowed)
    return refusedBefore(visit, t('sign_in.slow', { seconds: token.retryAfterSeconds }), here);
  const order = (['dmy', 'mdy'] as const).find((one) => one === form('order'));
  const statement = { name: nameOf(form('file.name')) || 'statement', content };
  return compared(visit, { ...days, statement, ...(order && { date_order: order }) });
}
