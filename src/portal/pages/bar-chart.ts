/** Small charts, drawn here: browsers get shapes and no script. What they show stands beside them as a table. */
import { draw, template } from '../render';
import type { Visit } from '../visit';

const size = { width: 600, height: 100 };
/** Of a day's width, what its bars fill. */
const filled = 0.7;

const chartTemplate = template(`
<svg class="chart" viewBox="0 0 <%= it.size.width %> <%= it.size.height %>" role="img" aria-label="<%= it.label %>" preserveAspectRatio="none">
<% for (const bar of it.bars) { %><rect class="<%= bar.tone %>" x="<%= bar.x %>" y="<%= bar.y %>" width="<%= bar.width %>" height="<%= bar.height %>"><title><%= bar.title %></title></rect><% } %>
</svg>
`);

export interface Series {
  /** The class of its colour. */
  tone: string;
  name: string;
  /** One for each day. */
  values: readonly bigint[];
  shown: readonly string[];
}

interface Chart {
  label: string;
  days: readonly string[];
  series: readonly Series[];
  /** On top of one another, where they are parts of a whole. */
  isStacked?: boolean;
}

/** Exact as far as anybody sees: money may be larger than a float counts. */
const shareOf = (value: bigint, most: bigint) => Number((value * 10_000n) / most) / 10_000;

/** The most that there is on one day: what the height of a chart stands for. */
export function peakOf({ series, isStacked = false }: Pick<Chart, 'series' | 'isStacked'>): bigint {
  const sums = series[0]?.values.map((_, day) =>
    series.reduce((sum, { values }) => sum + (values[day] ?? 0n), 0n),
  );
  const peaks = isStacked ? (sums ?? []) : series.flatMap(({ values }) => values);
  return peaks.reduce((most, peak) => (peak > most ? peak : most), 0n);
}

export function barChart(visit: Visit, { label, days, series, isStacked = false }: Chart): string {
  const most = peakOf({ series, isStacked }) || 1n;
  const step = size.width / days.length;
  const width = (step * filled) / (isStacked ? 1 : series.length);
  const bars = days.flatMap((name, day) => {
    let below = 0;
    return series.map(({ tone, name: what, values, shown }, n) => {
      const value = values[day] ?? 0n;
      // A line at least of what is there at all.
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
