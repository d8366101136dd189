/** A small chart, drawn here: browsers get lines and no script. */
import { draw, template } from '../render';
import type { Visit } from '../visit';

const size = { width: 600, height: 120, foot: 2 };

const chartTemplate = template(`
<svg class="chart" viewBox="0 0 <%= it.size.width %> <%= it.size.height %>" role="img" aria-label="<%= it.label %>" preserveAspectRatio="none">
<% for (const bar of it.bars) { %><rect x="<%= bar.x %>" y="<%= bar.y %>" width="<%= bar.width %>" height="<%= bar.height %>" rx="2"><title><%= bar.title %></title></rect><% } %>
</svg>
`);

export function barChart(visit: Visit, values: { name: string; value: number }[], label: string): string {
  const most = Math.max(1, ...values.map(({ value }) => value));
  const step = size.width / values.length;
  const bars = values.map(({ name, value }, n) => {
    const height = size.foot + ((size.height - size.foot) * value) / most;
    return {
      ...{ x: (n * step + step * 0.1).toFixed(1), y: (size.height - height).toFixed(1) },
      ...{ width: (step * 0.8).toFixed(1), height: height.toFixed(1), title: `${name}: ${String(value)}` },
    };
  });
  return draw(visit, chartTemplate, { size, bars, label });
}
