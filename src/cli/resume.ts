import type { Command } from 'commander';
import type { Running } from './report';
import { count } from './table';
import { sleepersIn } from './waking';

export function resumeCommand(program: Command, { act }: Running): void {
  act(
    program
      .command('resume')
      .description('begin or wake the workflow of every unfinished payment, such as after Temporal was lost'),
    {
      kind: 'resume',
      input: () => ({}),
      print(_, json) {
        const { unfinished, resumed, not_resumed: failed, not_tried: left } = json;
        return {
          json,
          text: [
            `${count(unfinished, 'payment')} unfinished, ${String(resumed)} taken up.`,
            sleepersIn({ done: resumed, failed }),
            left > 0 && `${count(left, 'payment')} not tried.`,
          ]
            .filter(Boolean)
            .join('\n'),
          ok: failed.length === 0 && left === 0,
        };
      },
    },
  );
}
