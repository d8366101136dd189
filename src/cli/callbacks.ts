import type { Command } from 'commander';
import { callbackFigures } from '../payments/resolve/callbacks/health';
import { refusalsSince } from '../payments/resolve/callbacks/counts';
import { readSince } from './parse';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count, table } from './table';
import { clockOf } from './wall-clock';

export function callbacksCommand(program: Command, { run }: Running): void {
  program
    .command('callbacks')
    .description('whether the callbacks of each provider come, how many, and how late')
    .option('--since <age>', 'count from then, up to 30 days back', readSince, readSince('1d'))
    .action(run(tell));
}

async function tell({ context: { db }, config }: Session, { since }: { since: Date }): Promise<Report> {
  const [figures, refusals] = await Promise.all([callbackFigures(db, since), refusalsSince(db, since)]);
  const callbacks = figures.map((row) => ({
    ...{ rail: row.rail, account: row.account, kind: row.kind, state: row.verdict, since: row.since },
    ...{ expected: row.expected, come: row.come, told_first: row.toldFirst },
    lag_p50_seconds: row.lagP50Seconds ?? null,
    lag_p99_seconds: row.lagP99Seconds ?? null,
  }));
  const refused = [...refusals].map(([rail, n]) => ({ rail, refused: n }));
  const clock = clockOf(config.timezone);
  const rows = callbacks.map((row) => [
    ...[row.rail, row.account, row.kind, row.expected, row.come, row.told_first],
    ...[lagText(row.lag_p50_seconds), lagText(row.lag_p99_seconds), row.state, clock(row.since)],
  ]);
  const head = ['rail', 'account', 'kind', 'expected', 'come', 'told first', 'p50', 'p99', 'state', 'since'];
  const text = [
    callbacks.length === 0
      ? 'No payment that a callback was expected of ended longer than two minutes ago.'
      : table(head, rows),
    ...refused.map(
      ({ rail, refused: n }) => `${rail}: ${count(n, 'notification was', 'notifications were')} refused.`,
    ),
  ].join('\n');
  return { json: { counted_since: since, callbacks, refused }, text };
}

function lagText(seconds: number | null): string {
  if (seconds === null) return '-';
  return seconds === 0 ? 'at once' : `${String(seconds)} s`;
}
