import Table from 'cli-table3';
import type { DemoRow } from '../../../src/rail-kit/demo';

export function demoTable(rows: DemoRow[]): string {
  const table = new Table({
    head: ['Rail', 'What', 'Outcome', 'Webhook', 'Workflow'],
    style: { head: [], border: [] },
  });
  table.push(...rows.map(({ rail, what, outcome, webhook, link }) => [rail, what, outcome, webhook, link]));
  return table.toString();
}
