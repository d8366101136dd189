/**
 * `node scripts/dashboards.mjs [folder]`: writes Grafana's dashboards from the tables in scripts/dashboards. The folder is
 * deploy/grafana by default. A test checks that the committed dashboards are the output of this script.
 *
 * A panel is a title, a unit by Grafana's name, and queries: each a legend and an expression.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { payments } from './dashboards/payments.mjs';
import { processes } from './dashboards/processes.mjs';
import { workers } from './dashboards/workers.mjs';

const datasource = { type: 'prometheus', uid: '$datasource' };
/** Grafana's query for the values of the variable `environment`: those with a process, in alphabetical order. */
const environments = 'label_values(malipo_ready, environment)';
const columns = 24;
const sizes = { stat: { w: 4, h: 4 }, timeseries: { w: 8, h: 8 } };
const options = {
  stat: { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'value', graphMode: 'none' },
  timeseries: {
    legend: { displayMode: 'list', placement: 'bottom' },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
};

function panelOf([title, unit, ...asked], id, place) {
  const type = asked.at(-1) === 'stat' ? 'stat' : 'timeseries';
  const queries = asked.filter((one) => Array.isArray(one));
  return {
    id,
    type,
    title,
    datasource,
    gridPos: { ...place(sizes[type]), ...sizes[type] },
    fieldConfig: {
      defaults: { unit, min: unit === 's' && title.includes('ifference') ? null : 0 },
      overrides: [],
    },
    options: options[type],
    targets: queries.map(([legendFormat, expr], n) => ({
      refId: String.fromCharCode(65 + n),
      datasource,
      expr,
      legendFormat: legendFormat === '' ? title : legendFormat,
    })),
  };
}

function panelsOf(rows) {
  const panels = [];
  let y = 0;
  for (const [title, listed] of Object.entries(rows)) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: columns, h: 1 },
      panels: [],
    });
    y += 1;
    let [x, height] = [0, 0];
    for (const one of listed) {
      panels.push(
        panelOf(one, panels.length + 1, ({ w, h }) => {
          if (x + w > columns) [x, y, height] = [0, y + height, 0];
          const at = { x, y };
          x += w;
          height = Math.max(height, h);
          return at;
        }),
      );
    }
    y += height;
  }
  return panels;
}

function dashboardOf({ uid, title, rows }) {
  return {
    uid,
    title,
    tags: ['malipo'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    templating: {
      list: [
        { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
        {
          name: 'environment',
          label: 'Environment',
          type: 'query',
          datasource,
          query: { query: environments, refId: 'environments' },
          definition: environments,
          refresh: 2,
          sort: 1,
        },
      ],
    },
    annotations: {
      list: [
        {
          name: 'Alerts',
          datasource,
          enable: true,
          iconColor: 'red',
          expr: 'ALERTS{environment="$environment", alertname=~"Malipo.*", alertstate="firing"}',
          titleFormat: '{{alertname}}',
        },
      ],
    },
    panels: panelsOf(rows),
  };
}

const [folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'deploy', 'grafana')] =
  process.argv.slice(2);
mkdirSync(folder, { recursive: true });
for (const dashboard of [payments, workers, processes])
  writeFileSync(
    join(folder, `${dashboard.uid}.json`),
    `${JSON.stringify(dashboardOf(dashboard), null, 2)}\n`,
  );
