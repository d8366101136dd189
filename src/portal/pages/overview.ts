import { DateTime } from 'luxon';
import { listDuplicates } from '../../payments/read/duplicates';
import { waitingKeys } from '../../users/key-confirmations';
import { movesMoney } from '../../users/roles';
import { money } from '../format';
import { areMany, readBalances, readFigures, type Figure, type OwnBalance } from '../merchant-figures';
import { countWaiting } from '../payouts/batches';
import { draw, template } from '../render';
import { zoneOf, type Answer, type MerchantVisit } from '../visit';
import { railWord } from '../words';
import { figureCharts, rateOf } from './figure-charts';

const overviewTemplate = template(`
<h1><%= it.t('overview.title') %></h1>
<% for (const note of it.notes) { %><p class="note"><a href="<%= it.base %><%= note.path %>"><%= note.text %></a></p><% } %>
<nav class="tabs" aria-label="<%= it.t('overview.period') %>">
<% for (const one of it.periods) { %><a href="<%= it.base %>?days=<%= one %>"<% if (one === it.days) { %> aria-current="page"<% } %>><%= it.t('overview.days.' + one) %></a><% } %>
</nav>
<section aria-labelledby="balances">
<h2 id="balances"><%= it.t('overview.balances') %></h2>
<% if (it.balances.length > 0) { %>
<ul class="tiles">
<% for (const one of it.balances) { %><li class="card"><span class="hint"><%= one.name %></span><strong><%= one.amount %></strong></li><% } %>
</ul>
<% } else { %><p class="hint"><%= it.t('overview.balances.none') %></p><% } %>
</section>
<section id="sums" aria-labelledby="figures"<% if (it.summed) { %> hx-get="<%= it.summed %>" hx-trigger="load" hx-select="#sums" hx-swap="outerHTML"<% } %>>
<h2 id="figures"><%= it.t('overview.figures') %></h2>
<% if (it.summed) { %><p><a href="<%= it.summed %>"><%= it.t('overview.sum') %></a></p>
<% } else if (it.figures.length > 0) { %>
<table class="stack"><caption class="unseen"><%= it.t('overview.figures') %></caption>
<thead><tr><th scope="col"><%= it.t('payments.rail') %></th><th scope="col" class="number"><%= it.t('overview.collected') %></th><th scope="col" class="number"><%= it.t('overview.went_back') %></th><th scope="col" class="number"><%= it.t('overview.fees') %></th><th scope="col" class="number"><%= it.t('overview.net') %></th><th scope="col" class="number"><%= it.t('overview.paid_out') %></th><th scope="col" class="number"><%= it.t('overview.rate') %></th><th scope="col" class="number"><%= it.t('overview.waiting') %></th></tr></thead>
<tbody>
<% for (const one of it.figures) { %><tr><th scope="row"><%= it.railName(one.rail) %> · <%= one.currency %></th>
<td class="number" data-label="<%= it.t('overview.collected') %>"><%= one.collected %></td><td class="number" data-label="<%= it.t('overview.went_back') %>"><%= one.wentBack %></td><td class="number" data-label="<%= it.t('overview.fees') %>"><%= one.fees %></td><td class="number" data-label="<%= it.t('overview.net') %>"><%= one.net %></td>
<td class="number" data-label="<%= it.t('overview.paid_out') %>"><%= one.paidOut %></td>
<td class="number" data-label="<%= it.t('overview.rate') %>"><%= one.rate %></td><td class="number" data-label="<%= it.t('overview.waiting') %>"><% if (one.waiting > 0) { %><a href="<%= it.base %>/payments?state=waiting&amp;rail=<%= one.rail %>"><%= it.count(one.waiting) %></a><% } else { %>0<% } %></td></tr><% } %>
</tbody></table>
<% for (const chart of it.charts) { %><%~ chart %><% } %>
<% } else { %>
<div class="empty"><h3><%= it.t('overview.empty.title') %></h3><p><%= it.t('overview.empty.text') %></p></div>
<% } %>
</section>
`);

const periods = ['1', '7', '30'] as const;

export async function overview(visit: MerchantVisit): Promise<Answer> {
  const { db, place, query, t } = visit;
  const days = periods.find((one) => one === query.get('days')) ?? '1';
  const today = DateTime.now().setZone(zoneOf(visit)).startOf('day');
  const from = today.minus({ days: Number(days) - 1 });
  const { merchant_id: merchantId } = place.merchant;
  // So many are summed when the page is there already.
  const isLater = query.get('sums') !== '1' && (await areMany(db, merchantId, from.toJSDate()));
  const begins = Array.from({ length: Number(days) }, (_, n) => from.plus({ days: n }));
  const dates = begins.map((day) => day.toJSDate());
  const figures = isLater ? [] : await readFigures(db, merchantId, dates);
  const body = draw(visit, overviewTemplate, {
    days,
    periods,
    notes: await notesOf(visit),
    summed: isLater ? `/m/${merchantId}?days=${days}&sums=1` : '',
    // Where nothing is set aside, it is not told.
    balances: (await readBalances(db, merchantId))
      .filter(({ kind, minor }) => minor !== 0n || !kind.endsWith('_reserved'))
      .map((one) => balanceTile(visit, one)),
    figures: figures.map((one) => row(visit, one)),
    charts: days === '1' ? [] : figures.map((one) => figureCharts(visit, one, begins)),
  });
  return { kind: 'page', title: t('overview.title'), body };
}

/** More is told as so many. */
const countedMax = 100;

/** What waits for whoever looks. */
async function notesOf({ db, place, session, t }: MerchantVisit) {
  const { merchant_id: merchantId } = place.merchant;
  if (!movesMoney(place.as)) return [];
  const [keys, waiting, twice] = await Promise.all([
    waitingKeys(db, merchantId),
    countWaiting(db, merchantId, session.person.userId),
    listDuplicates(db, { merchantId, limit: countedMax }),
  ]);
  const forMe = keys.filter(({ asked_by: asker }) => asker !== session.person.userId).length;
  return [
    { path: '/keys', n: forMe, text: t('overview.keys_wait', { n: forMe }) },
    { path: '/payouts', n: waiting, text: t('overview.payouts_wait', { n: waiting }) },
    { path: '/duplicates', n: twice.length, text: t('overview.twice', { n: twice.length }) },
  ].filter(({ n }) => n > 0);
}

function row(visit: MerchantVisit, figure: Figure) {
  const { language } = visit;
  const { rail, currency, collected, paidOut, wentBack, fees, feesElsewhere, waiting } = figure;
  // A sum of fees in two currencies would be a wrong one.
  const all = (minor: bigint) => (feesElsewhere > 0 ? '–' : money(minor, currency, language));
  return {
    ...{ rail, currency },
    collected: money(collected, currency, language),
    wentBack: money(wentBack, currency, language),
    fees: all(fees),
    net: all(collected - wentBack - fees),
    paidOut: money(paidOut, currency, language),
    rate: rateOf(visit, figure),
    waiting,
  };
}

function balanceTile({ language, t }: MerchantVisit, { kind, rail, country, currency, minor }: OwnBalance) {
  const parts = [t(`account.${kind}`), rail === null ? '' : railWord(t, rail), country];
  return { name: parts.filter(Boolean).join(' · '), amount: money(minor, currency, language) };
}
