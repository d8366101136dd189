/** What providers say against what our books say: comparing days, and money that no payment of ours explains. */
import { DateTime } from 'luxon';
import { money } from '../format';
import { pager } from '../pages/parts';
import { listCursorOf, listPlaceAt, placeAfter } from '../../store/list-place';
import { draw, template } from '../render';
import type { Answer, PlatformVisit } from '../visit';
import { carryOut, proveFirst, refusedBefore } from './outcome';

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
<thead><tr><th scope="col"><%= it.t('ops.statement') %></th><th scope="col"><%= it.t('ops.provider') %></th><th scope="col"><%= it.t('ops.statement.covers') %></th><th scope="col" class="number"><%= it.t('ops.statement.lines') %></th><th scope="col"><%= it.t('ops.statement.stored') %></th></tr></thead>
<tbody><% for (const one of it.statements) { %><tr>
<th scope="row"><%= one.file_name %></th><td data-label="<%= it.t('ops.provider') %>"><%= one.provider %></td>
<td data-label="<%= it.t('ops.statement.covers') %>"><span><%~ it.time(one.covers_from) %> – <%~ it.time(one.covers_to) %></span></td>
<td class="number" data-label="<%= it.t('ops.statement.lines') %>"><%= it.count(one.line_count) %></td>
<td data-label="<%= it.t('ops.statement.stored') %>"><%~ it.time(one.stored_at) %></td></tr><% } %></tbody></table>
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

export async function compareDays(visit: PlatformVisit): Promise<Answer> {
  const days = daysOf(visit);
  if (!days) return unclear(visit);
  const kept = visit.form('kept') === '1' ? ['--kept'] : [];
  return carryOut(visit, ['reconcile', days.rail, ...days.period, ...kept], here);
}

/** What a browser calls a file may be anything; what is kept of it is a name, and no path. */
const nameOf = (text: string) =>
  text
    .replace(/^.*[\\/]/, '')
    .replace(/[^\w.() -]/g, '_')
    .slice(-100);

export async function bringFile(visit: PlatformVisit): Promise<Answer> {
  const { form, file } = visit;
  const days = daysOf(visit);
  const content = file('file');
  if (!days || !content || content.length === 0) return unclear(visit);
  const order = ['dmy', 'mdy'].includes(form('order')) ? [`--date-order=${form('order')}`] : [];
  const name = nameOf(form('file.name')) || 'statement';
  const argv = ['reconcile', days.rail, ...days.period, `--statement=${name}`, ...order];
  return carryOut(visit, argv, here, { name, content });
}
