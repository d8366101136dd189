/** What providers say against what our books say: comparing days, and money that no payment of ours explains. */
import { DateTime } from 'luxon';
import { validate as isUuid } from 'uuid';
import { parseAmount, type Currency } from '../../domain/money';
import { takeToken } from '../../merchants/rate-limit';
import { money } from '../format';
import { pager } from '../pages/parts';
import { listCursorOf, listPlaceAt, placeAfter } from '../../store/list-place';
import { draw, template } from '../render';
import type { Answer, PlatformVisit } from '../visit';
import { isWord } from '../words';
import { notFound } from '../pages/refusals';
import { carryOut, outcomeOf, proveFirst, refusedBefore } from './outcome';

const reconciliationTemplate = template(`
<h1><%= it.t('ops.recon') %></h1>
<p><%= it.t('ops.recon.text') %></p>
<%~ it.prove %>
<% if (it.canAct) { %>
<form method="post" action="/ops/reconciliation" class="card"><%~ it.token %>
<div class="filters">
<div class="field"><label for="rail"><%= it.t('payments.rail') %></label><select id="rail" name="rail"><% for (const rail of it.rails) { %><option value="<%= rail %>"><%= it.railName(rail) %></option><% } %></select></div>
<div class="field"><label for="from"><%= it.t('payments.from') %></label><input id="from" name="from" type="date" required value="<%= it.yesterday %>"></div>
<div class="field"><label for="to"><%= it.t('payments.until') %></label><input id="to" name="to" type="date" required value="<%= it.yesterday %>"></div></div>
<label class="choice"><input type="checkbox" name="kept" value="1"> <span><%= it.t('ops.recon.kept') %></span></label>
<button type="submit"><%= it.t('ops.recon.compare') %></button></form>
<details class="card"><summary><%= it.t('ops.recon.file') %></summary>
<form method="post" action="/ops/reconciliation/file" enctype="multipart/form-data"><%~ it.token %>
<p><%= it.t('ops.recon.file.text') %></p>
<div class="filters">
<div class="field"><label for="file-rail"><%= it.t('payments.rail') %></label><select id="file-rail" name="rail"><% for (const rail of it.readable) { %><option value="<%= rail %>"><%= it.railName(rail) %></option><% } %></select></div>
<div class="field"><label for="file-from"><%= it.t('payments.from') %></label><input id="file-from" name="from" type="date" required value="<%= it.yesterday %>"></div>
<div class="field"><label for="file-to"><%= it.t('payments.until') %></label><input id="file-to" name="to" type="date" required value="<%= it.yesterday %>"></div>
<div class="field"><label for="order"><%= it.t('ops.recon.order') %></label><select id="order" name="order"><option value=""><%= it.t('ops.recon.order.clear') %></option><option value="dmy">31/12/2026</option><option value="mdy">12/31/2026</option></select></div></div>
<label for="file"><%= it.t('ops.recon.file.which') %></label><input id="file" name="file" type="file" required>
<button type="submit"><%= it.t('ops.recon.file.bring') %></button></form></details>
<% } %>
<section aria-labelledby="orphans"><h2 id="orphans"><%= it.t('ops.orphans') %></h2>
<% if (it.orphans.length > 0) { %>
<table class="stack"><caption class="unseen"><%= it.t('ops.orphans') %></caption>
<thead><tr><th scope="col"><%= it.t('ops.orphan') %></th><th scope="col"><%= it.t('payments.when') %></th><th scope="col"><%= it.t('ops.provider') %></th><th scope="col"><%= it.t('payment.provider_reference') %></th><th scope="col" class="number"><%= it.t('payments.amount') %></th></tr></thead>
<tbody><% for (const one of it.orphans) { %><tr>
<th scope="row"><a href="/ops/orphans/<%= one.orphan_id %>"><%= one.orphan_id %></a></th>
<td data-label="<%= it.t('payments.when') %>"><%~ it.time(one.occurred_at) %></td>
<td data-label="<%= it.t('ops.provider') %>"><%= one.provider %></td>
<td data-label="<%= it.t('payment.provider_reference') %>"><span class="whole"><%= one.provider_reference %></span></td>
<td class="number" data-label="<%= it.t('payments.amount') %>"><%= one.amount %></td></tr><% } %></tbody></table>
<%~ it.pager %>
<% } else { %><div class="empty"><h3><%= it.t('ops.orphans.none.title') %></h3><p><%= it.t('ops.orphans.none.text') %></p></div><% } %>
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
<details><summary><%= it.t('ops.statement.withdraw') %></summary><form method="post" action="/ops/reconciliation/statements/<%= one.statement_id %>/withdraw"><%~ it.token %>
<p class="hint"><%= it.t('ops.statement.withdraw.text') %></p>
<label for="why-<%= one.statement_id %>"><%= it.t('ops.case.note') %></label><input id="why-<%= one.statement_id %>" name="reason" required maxlength="300" autocomplete="off">
<button class="quiet" type="submit"><%= it.t('ops.statement.withdraw') %></button></form></details><% } else { %><span><%= it.t('ops.statement.stands') %></span><% } %></td></tr><% } %></tbody></table>
<% } else { %><p><%= it.t('ops.statements.none') %></p><% } %></section>
`);

const orphansMax = 50;
const statementsMax = 20;
const here = '/ops/reconciliation';

export async function reconciliation(visit: PlatformVisit): Promise<Answer> {
  const { db, operator, session, config, rails, language, t } = visit;
  const mayAct = operator.role === 'operator';
  const after = listPlaceAt((visit.query.get('after') ?? '').slice(0, 100));
  const open = db('orphans')
    .where({ state: 'open' })
    .orderBy(['occurred_at', 'orphan_id'])
    .limit(orphansMax + 1);
  if (after) placeAfter(open, 'orphan_id', after, 'occurred_at');
  const [found, statements, fetches] = await Promise.all([
    open,
    // Their ids grow with time.
    db('provider_statements').orderBy('statement_id', 'desc').limit(statementsMax),
    db('statement_fetches').orderBy('rail'),
  ]);
  const orphans = found.slice(0, orphansMax);
  const last = found.length > orphansMax ? orphans.at(-1) : undefined;
  const body = draw(visit, reconciliationTemplate, {
    pager: pager(visit, {
      path: here,
      from: after ? listCursorOf(after) : '',
      next: last ? listCursorOf({ at: last.occurred_at, id: last.orphan_id }) : '',
    }),
    prove: proveFirst(visit, mayAct),
    canAct: mayAct && session.isFresh,
    yesterday: DateTime.now().setZone(config.timezone).minus({ days: 1 }).toISODate(),
    ...{ rails, readable: visit.statementRails, statements, fetches },
    orphans: orphans.map((one) => ({ ...one, amount: money(one.amount_minor, one.currency, language) })),
  });
  return { kind: 'page', title: t('ops.recon'), body };
}

interface Days {
  rail: string;
  /** Of the command line. */
  period: string[];
}

function daysOf({ form, rails }: PlatformVisit): Days | undefined {
  const [rail, from, to] = [form('rail'), form('from'), form('to')];
  const isDay = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text);
  if (!rails.includes(rail) || !isDay(from) || !isDay(to)) return undefined;
  return { rail, period: [`--from=${from}`, `--to=${to}`] };
}

const unclear = (visit: PlatformVisit) => refusedBefore(visit, visit.t('ops.recon.fault'), here);

/** Waits for a second operator, as what moves money does. */
export async function withdrawStatement(visit: PlatformVisit): Promise<Answer> {
  const { db, params, form, t } = visit;
  const id = params['statement'] ?? '';
  const statement = isUuid(id)
    ? await db('provider_statements').where({ statement_id: id }).first('statement_id')
    : undefined;
  if (!statement) return notFound(visit);
  const reason = form('reason').trim();
  if (reason === '') return refusedBefore(visit, t('ops.case.note.needed'), here);
  return carryOut(
    visit,
    ['provider-statement', 'withdraw', statement.statement_id, `--reason=${reason}`],
    here,
  );
}

export async function compareDays(visit: PlatformVisit): Promise<Answer> {
  const days = daysOf(visit);
  if (!days) return unclear(visit);
  const kept = visit.form('kept') === '1' ? ['--kept'] : [];
  return compared(visit, ['reconcile', days.rail, ...days.period, ...kept]);
}

const resultTemplate = template(`
<p><a href="/ops/reconciliation"><%= it.t('ops.recon') %></a></p>
<h1><%= it.heading %></h1>
<p class="<%= it.isExplained ? 'done' : 'note' %>" role="status"><%= it.summary %></p>
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
<td class="number" data-label="<%= it.t('payments.amount') %>"><%= one.amount %></td></tr><% } %></tbody></table></section><% } %>
<% if (it.left.length > 0) { %>
<section aria-labelledby="left"><h2 id="left"><%= it.t('ops.recon.left') %></h2>
<table class="stack"><caption class="unseen"><%= it.t('ops.recon.left') %></caption>
<thead><tr><th scope="col"><%= it.t('payments.when') %></th><th scope="col"><%= it.t('ops.recon.outcome') %></th><th scope="col" class="number"><%= it.t('payments.amount') %></th><th scope="col"><%= it.t('ops.recon.what') %></th><th scope="col"><%= it.t('payment.reason') %></th></tr></thead>
<tbody><% for (const one of it.left) { %><tr>
<th scope="row"><%~ it.time(one.at) %></th>
<td data-label="<%= it.t('ops.recon.outcome') %>"><%= one.outcome %></td>
<td class="number" data-label="<%= it.t('payments.amount') %>"><%= one.amount %></td>
<td data-label="<%= it.t('ops.recon.what') %>"><% if (one.href) { %><a class="whole" href="<%= one.href %>"><%= one.name %></a><% } else { %><span class="whole"><%= one.name %></span><% } %></td>
<td data-label="<%= it.t('payment.reason') %>"><span lang="en"><%= one.note %></span></td></tr><% } %></tbody></table></section><% } %>
<details class="card"><summary><%= it.t('ops.recon.text_of') %></summary><pre tabindex="0" lang="en"><code><%= it.text %></code></pre></details>
`);

/** More than these are for the command line. */
const leftMax = 100;
const rulesMax = 100;

interface Result {
  explained: boolean;
  unexplained: number;
  sums: { outcome: string; lines: number; amount: string; currency: Currency }[];
  rules: { rule: string; day: string; lines: number; amount: string; currency: Currency }[];
  items: {
    occurred_at: string;
    outcome: string;
    amount: string;
    currency: Currency;
    provider_reference: string | null;
    payment_id: string | null;
    note: string;
    explained: boolean;
    orphan_id: string | null;
  }[];
}

/** What came of it, headed by whether anything is left for a person. */
async function compared(
  visit: PlatformVisit,
  argv: string[],
  sent?: { name: string; content: Buffer },
): Promise<Answer> {
  const operated = await visit.operate(visit.operator.name, argv, sent);
  if (operated.kind !== 'done') return outcomeOf(visit, operated, here);
  const { t, language } = visit;
  const { explained, unexplained, sums, rules, items } = operated.json as Result;
  const shown = (amount: string, currency: Currency) =>
    money(parseSigned(amount, currency), currency, language);
  const outcomeWord = (name: string) => {
    const word = `ops.outcome.${name}`;
    return isWord(word) ? t(word) : name;
  };
  const left = items.filter((item) => !item.explained);
  const amounts = [...new Set(left.map(({ currency }) => currency))].map((currency) => {
    const of = left.filter((item) => item.currency === currency);
    return money(
      of.reduce((sum, one) => sum + parseSigned(one.amount, currency), 0n),
      currency,
      language,
    );
  });
  const heading = t(explained ? 'ops.recon.explained' : 'ops.recon.not_explained');
  const body = draw(visit, resultTemplate, {
    heading,
    isExplained: explained,
    summary: explained
      ? t('ops.recon.explained.text')
      : t('ops.recon.not_explained.text', { n: String(unexplained), amounts: amounts.join(', ') }),
    sums: sums.map(({ outcome, lines, amount, currency }) => ({
      ...{ outcome: outcomeWord(outcome), lines, amount: shown(amount, currency) },
    })),
    // More of them than that are in what the command line says.
    rules: rules.slice(0, rulesMax).map((one) => ({ ...one, amount: shown(one.amount, one.currency) })),
    left: left.slice(0, leftMax).map((one) => ({
      at: new Date(one.occurred_at),
      outcome: outcomeWord(one.outcome),
      amount: shown(one.amount, one.currency),
      name: one.provider_reference ?? one.payment_id ?? '',
      href:
        one.orphan_id !== null
          ? `/ops/orphans/${one.orphan_id}`
          : one.payment_id === null
            ? ''
            : `/ops/payments?q=${one.payment_id}`,
      note: one.note,
    })),
    text: operated.text,
  });
  return { kind: 'page', title: heading, body };
}

const parseSigned = (amount: string, currency: Currency): bigint =>
  amount.startsWith('-')
    ? -(parseAmount(amount.slice(1), currency) ?? 0n)
    : (parseAmount(amount, currency) ?? 0n);

/** What a browser calls a file may be anything; what is kept of it is a name, and no path. */
const nameOf = (text: string) =>
  text
    .replace(/^.*[\\/]/, '')
    .replace(/[^\w.() -]/g, '_')
    .slice(-100);

/** Each may cost some seconds of the processor. */
const filesPerMinute = 10;

export async function bringFile(visit: PlatformVisit): Promise<Answer> {
  const { db, form, file, session, t } = visit;
  const days = daysOf(visit);
  const content = file('file');
  if (!days || !content || content.length === 0) return unclear(visit);
  const bucket = `portal:statements:${session.person.userId}`;
  const token = await takeToken(db, { bucket, ratePerMinute: filesPerMinute, burst: filesPerMinute });
  if (!token.allowed)
    return refusedBefore(visit, t('sign_in.slow', { seconds: token.retryAfterSeconds }), here);
  const order = ['dmy', 'mdy'].includes(form('order')) ? [`--date-order=${form('order')}`] : [];
  const name = nameOf(form('file.name')) || 'statement';
  const argv = ['reconcile', days.rail, ...days.period, `--statement=${name}`, ...order];
  return compared(visit, argv, { name, content });
}
