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
      .description('commands for the sandbox only')
      .command('advance <duration>')
      .description(
        'move time forward, such as 30d, 2h or 61s: open payments become older, and timers due by then fire now; dates stay real',
      )
      .option('--payment <id>', 'only for this payment, by any of its ids'),
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
      `${count(failed.length, 'payment')} could not be moved: ${failure.payment_id} ${failure.error}. Is a worker running? Run malipo doctor.`,
  ];
  return { json: advanced, text: sentences.filter(Boolean).join('\n'), ok: failed.length === 0 };
}
