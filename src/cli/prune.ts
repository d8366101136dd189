import type { Command } from 'commander';
import { choresOf, countPrunable, notePruned, prune, type Counts } from '../ops/prune/prune';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { facts } from './table';

export function pruneCommand(program: Command, run: Runner): void {
  program
    .command('prune')
    .description('take away what is old and no longer needed, as a worker does each night')
    .option('--dry-run', 'only tell how much it would be')
    .action(run(pruneNow));
}

async function pruneNow(
  { context: { db }, config }: Session,
  { dryRun }: { dryRun?: true },
): Promise<Report> {
  const chores = choresOf(config);
  if (dryRun) {
    const counts = await countPrunable(db, chores);
    return { json: { would_prune: counts }, text: told('Would go now, and nothing was changed:', counts) };
  }
  const counts = await prune(db, chores);
  await notePruned(db);
  return { json: { pruned: counts }, text: told('Gone:', counts) };
}

function told(heading: string, counts: Counts): string {
  return `${heading}\n${facts(Object.entries(counts).map(([what, n]) => [what, String(n)]))}`;
}
