import type { Command } from 'commander';
import type { Advanced } from '../operator-actions/sandbox';
import { readDuration } from './parse';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count } from './table';

export function sandboxCommands(program: Command, { act }: Running): void {
  act(
    program
      .command('sandbox')
      .description('what only the sandbox can do')
      .command('advance <duration>')
      .description(
        'let time pass, such as 30d, 2h or 61s: what is open becomes older, what is due by then is due now; dates stay real',
      )
      .option('--payment <id>', 'for one payment alone, by any of its ids'),
    {
      kind: 'sandbox.advance',
      input: (_: Session, duration: string, { payment }: { payment?: string }) => ({
        ms: readDuration(duration),
        ...(payment !== undefined && { payment }),
      }),
      print: (_: Session, advanced: Advanced, duration: string) => printAdvanced(advanced, duration),
    },
  );
}

function printAdvanced(advanced: Advanced, duration: string): Report {
  const { payment_id: only, webhooks, simulator, not_advanced: failed } = advanced;
  const [failure] = failed;
  const parts = [
    count(advanced.payments, 'open payment'),
    ...(only === undefined ? [count(advanced.vouchers, 'voucher')] : []),
    `${count(webhooks, 'pending webhook')}${simulator ? ' and the simulated providers' : ''} moved forward.`,
  ];
  const sentences = [
    `${duration} later: ${parts.slice(0, -1).join(', ')}, ${parts.at(-1) ?? ''}`,
    failure &&
      `${count(failed.length, 'payment')} could not be moved: ${failure.payment_id} ${failure.error}. Is a worker running? malipo doctor tells.`,
  ];
  return { json: advanced, text: sentences.filter(Boolean).join('\n'), ok: failed.length === 0 };
}
