/** The overview: pending decisions, balances, and the figures of payments per day. */
import { DateTime } from 'luxon';
import { listDuplicates } from '../../payments/read/duplicates';
import { waitingKeys } from '../../users/key-confirmations';
import { handlesMoney } from '../../users/roles';
import { money, percent, shortDay, wholeNumber } from '../format';
import {
  areMany,
  readBalances,
  readFigures,
  type Figure,
  type OwnBalance,
  type Sums,
} from '../merchant-figures';
import { countWaiting } from '../payouts/batches';
import { draw, template } from '../render';
import { zoneOf, type PageResponse, type MerchantVisit, type Visit } from '../visit';
import { railWord, type Word } from '../words';

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
<thead><tr><th scope="col"><%= it.t('payments.rail') %></th><th scope="col" class="number"><%= it.t('overview.collected') %></th><th scope="col" class="number"><%= it.t('overview.returned_money') %></th><th scope="col" class="number"><%= it.t('overview.fees') %></th><th scope="col" class="number"><%= it.t('overview.net') %></th><th scope="col" class="number"><%= it.t('overview.paid_out') %></th><th scope="col" class="number"><%= it.t('overview.rate') %></th><th scope="col" class="number"><%= it.t('overview.waiting') %></th></tr></thead>
<tbody>
<% for (const one of it.figures) { %><tr><th scope="row"><%= it.railName(one.rail) %> · <%= one.currency %></th>
<td class="number" data-label="<%= it.t('overview.collected') %>"><%= one.collected %></td><td class="number" data-label="<%= it.t('overview.returned_money') %>"><%= one.wentBack %></td><td class="number" data-label="<%= it.t('overview.fees') %>"><%= one.fees %></td><td class="number" data-label="<%= it.t('overview.net') %>"><%= one.net %></td>
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

export async function overview(visit: MerchantVisit): Promise<PageResponse> {
  const { db, place, query, t } = visit;
  const days = periods.find((one) => one === query.get('days')) ?? '1';
  const today = DateTime.now().setZone(zoneOf(visit)).startOf('day');
  const from = today.minus({ days: Number(days) - 1 });
  const { merchant_id: merchantId } = place.merchant;
  // If there are too many payments, the page loads first and the sums later.
  const isLater = query.get('sums') !== '1' && (await areMany(db, merchantId, from.toJSDate()));
  const begins = Array.from({ length: Number(days) }, (_, n) => from.plus({ days: n }));
  const dates = begins.map((day) => day.toJSDate());
  const figures = isLater ? [] : await readFigures(db, merchantId, dates);
  const body = draw(visit, overviewTemplate, {
    days,
    periods,
    notes: await notesOf(visit),
    summed: isLater ? `/m/${merchantId}?days=${days}&sums=1` : '',
    // An empty reserve account is not shown.
    balances: (await readBalances(db, merchantId))
      .filter(({ kind, minor }) => minor !== 0n || !kind.endsWith('_reserved'))
      .map((one) => balanceTile(visit, one)),
    figures: figures.map((one) => row(visit, one)),
    charts: days === '1' ? [] : figures.map((one) => figureCharts(visit, one, begins)),
  });
  return { kind: 'page', title: t('overview.title'), body };
}

/** A higher number is shown as this number. */
const countedMax = 100;

/** The pending decisions of this user. */
async function notesOf({ db, place, session, t }: MerchantVisit) {
  const { merchant_id: merchantId } = place.merchant;
  if (!handlesMoney(place.as)) return [];
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
  // Fees in two currencies have no sum.
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

// Figures per day, for one rail and currency: two charts, and the same numbers as a table.

const chartsTemplate = template(`
<section class="card" aria-labelledby="<%= it.id %>">
<h3 id="<%= it.id %>"><%= it.title %></h3>
<div class="charts">
<% for (const one of it.charts) { %><figure><figcaption class="hint"><%= one.label %> <span class="legend"><% for (const part of one.series) { %><span class="key-<%= part.tone %>"><%= part.name %></span> <% } %></span></figcaption><%~ one.drawing %><p class="axis hint" aria-hidden="true"><span><%= it.days[0].name %></span><span><%= it.t('figures.most', { most: one.most }) %></span><span><%= it.days.at(-1).name %></span></p></figure><% } %>
</div>
<details><summary><%= it.t('figures.table') %></summary>
<table class="stack"><caption class="unseen"><%= it.title %></caption>
<thead><tr><th scope="col"><%= it.t('figures.day') %></th><% for (const name of it.columns) { %><th scope="col" class="number"><%= name %></th><% } %></tr></thead>
<tbody><% for (const day of it.days) { %><tr><th scope="row"><%= day.name %></th><% day.cells.forEach((cell, n) => { %><td class="number" data-label="<%= it.columns[n] %>"><%= cell %></td><% }) %></tr><% } %></tbody></table></details>
</section>
`);

const columns = ['overview.collected', 'overview.paid_out', 'overview.rate', 'overview.waiting'] as const;

/** @param days the beginning of each day in the merchant's time zone. */
function figureCharts(visit: MerchantVisit, figure: Figure, days: readonly DateTime[]): string {
  const { language, t } = visit;
  const { rail, currency } = figure;
  const names = days.map((day) => shortDay(day.toJSDate(), day.zoneName ?? 'UTC', language));
  const ofMoney = (tone: string, word: Word, minorOf: (day: Sums) => bigint): Series => ({
    ...{ tone, name: t(word), values: figure.days.map(minorOf) },
    shown: figure.days.map((day) => money(minorOf(day), currency, language)),
  });
  const ofCount = (tone: string, word: Word, countOf: (day: Sums) => number): Series => ({
    ...{ tone, name: t(word), values: figure.days.map((day) => BigInt(countOf(day))) },
    shown: figure.days.map((day) => wholeNumber(countOf(day), language)),
  });
  const charts = [
    {
      label: t('figures.money', { currency }),
      series: [
        ofMoney('in', 'overview.collected', ({ collected }) => collected),
        ofMoney('out', 'overview.paid_out', ({ paidOut }) => paidOut),
      ],
      isStacked: false,
    },
    {
      label: t('figures.count'),
      series: [
        ofCount('good', 'overview.rate', ({ succeeded }) => succeeded),
        ofCount('bad', 'figures.unsuccessful', ({ ended, succeeded }) => ended - succeeded),
        ofCount('open', 'overview.waiting', ({ waiting }) => waiting),
      ],
      isStacked: true,
    },
  ];
  return draw(visit, chartsTemplate, {
    id: `figure-${rail}-${currency}`,
    title: `${railWord(t, rail)} · ${currency}`,
    charts: charts.map((chart) => {
      const most = peakOf(chart);
      const reported = chart.isStacked
        ? wholeNumber(Number(most), language)
        : money(most, currency, language);
      return { ...chart, most: reported, drawing: barChart(visit, { ...chart, days: names }) };
    }),
    columns: columns.map((word) => t(word)),
    days: figure.days.map((day, n) => ({ name: names[n], cells: cellsOf(visit, day, currency) })),
  });
}

function rateOf({ language }: MerchantVisit, { succeeded, ended }: Sums): string {
  return ended === 0 ? '–' : percent(succeeded / ended, language);
}

function cellsOf(visit: MerchantVisit, day: Sums, currency: Figure['currency']): string[] {
  const { language } = visit;
  return [
    money(day.collected, currency, language),
    money(day.paidOut, currency, language),
    rateOf(visit, day),
    wholeNumber(day.waiting, language),
  ];
}

// Small SVG charts without script. A table beside them shows the same numbers.

const size = { width: 600, height: 100 };
/** The share of a day's width that its bars fill. */
const filled = 0.7;

const chartTemplate = template(`
<svg class="chart" viewBox="0 0 <%= it.size.width %> <%= it.size.height %>" role="img" aria-label="<%= it.label %>" preserveAspectRatio="none">
<% for (const bar of it.bars) { %><rect class="<%= bar.tone %>" x="<%= bar.x %>" y="<%= bar.y %>" width="<%= bar.width %>" height="<%= bar.height %>"><title><%= bar.title %></title></rect><% } %>
</svg>
`);

interface Series {
  /** The CSS class of its colour. */
  tone: string;
  name: string;
  /** One value per day. */
  values: readonly bigint[];
  shown: readonly string[];
}

interface Chart {
  label: string;
  days: readonly string[];
  series: readonly Series[];
  /** Stacked bars, for parts of a whole. */
  isStacked?: boolean;
}

/** Divides with bigint first, because amounts may be too large for a float. */
const shareOf = (value: bigint, most: bigint) => Number((value * 10_000n) / most) / 10_000;

/** The highest value of a day, which is the height of the chart. */
function peakOf({ series, isStacked = false }: Pick<Chart, 'series' | 'isStacked'>): bigint {
  const sums = series[0]?.values.map((_, day) =>
    series.reduce((sum, { values }) => sum + (values[day] ?? 0n), 0n),
  );
  const peaks = isStacked ? (sums ?? []) : series.flatMap(({ values }) => values);
  return peaks.reduce((most, peak) => (peak > most ? peak : most), 0n);
}

function barChart(visit: Visit, { label, days, series, isStacked = false }: Chart): string {
  const most = peakOf({ series, isStacked }) || 1n;
  const step = size.width / days.length;
  const width = (step * filled) / (isStacked ? 1 : series.length);
  const bars = days.flatMap((name, day) => {
    let below = 0;
    return series.map(({ tone, name: what, values, shown }, n) => {
      const value = values[day] ?? 0n;
      // A small value still gets a visible line.
      const height = value === 0n ? 0 : Math.max(1.5, size.height * shareOf(value, most));
      const x = day * step + (step * (1 - filled)) / 2 + (isStacked ? 0 : n * width);
      const y = size.height - height - below;
      if (isStacked) below += height;
      return {
        tone,
        ...{
          x: x.toFixed(1),
          y: Math.max(0, y).toFixed(1),
          width: width.toFixed(1),
          height: height.toFixed(1),
        },
        title: `${name}, ${what}: ${shown[day] ?? ''}`,
      };
    });
  });
  return draw(visit, chartTemplate, { size, bars, label });
}
