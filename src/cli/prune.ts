import type { Command } from 'commander';
import type { Running } from './report';
import { facts } from './table';

export function pruneCommand(program: Command, { act }: Running): void {
  act(
    program
      .command('prune')
      .description('take away what is old and no longer needed, as a worker does each night'),
    {
      kind: 'prune',
      input: () => ({}),
      print: (_, json) => ({ json, text: printed('Gone:', Object.entries(json.pruned)) }),
      printPreview: ({ changes }) => {
        const counts = changes.map(({ of, from }): [string, number] => [of.id, Number(from)]);
        return {
          json: { would_prune: Object.fromEntries(counts) },
          text: printed('Would go now, and nothing was changed:', counts),
        };
      },
    },
  );
}

function printed(heading: string, counts: [string, number][]): string {
  return `${heading}\n${facts(counts.map(([what, n]) => [what, String(n)]))}`;
}
