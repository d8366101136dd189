/** How a merchant's payments went day by day, of one way of paying and currency: two charts, and the same as a table. */
import type { DateTime } from 'luxon';
import { money, percent, shortDay, wholeNumber } from '../format';
import type { Figure, Sums } from '../merchant-figures';
import { draw, template } from '../render';
import type { MerchantVisit } from '../visit';
import { railWord, type Word } from '../words';
import { barChart, peakOf, type Series } from './bar-chart';

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

/** @param days as they begin where the merchant is. */
export function figureCharts(visit: MerchantVisit, figure: Figure, days: readonly DateTime[]): string {
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
      const told = chart.isStacked ? wholeNumber(Number(most), language) : money(most, currency, language);
      return { ...chart, most: told, drawing: barChart(visit, { ...chart, days: names }) };
    }),
    columns: columns.map((word) => t(word)),
    days: figure.days.map((day, n) => ({ name: names[n], cells: cellsOf(visit, day, currency) })),
  });
}

export function rateOf({ language }: MerchantVisit, { succeeded, ended }: Sums): string {
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
