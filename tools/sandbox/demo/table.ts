import Table from 'cli-table3';
import type { DemoResult } from '.';

/** For a file: it is wider than a terminal. */
export function demoTable({
  rows,
  merchant,
  moves,
}: Pick<DemoResult, 'rows' | 'merchant' | 'moves'>): string {
  const table = new Table({
    head: ['Rail', 'What', 'Outcome', 'Webhook', 'Workflow'],
    style: { head: [], border: [] },
  });
  table.push(...rows.map(({ rail, what, outcome, webhook, link }) => [rail, what, outcome, webhook, link]));
  return `${table.toString()}\n${merchant}: ${moves.join(', ')}.\n`;
}
