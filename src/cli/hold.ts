import type { Command } from 'commander';
import { formatAmount } from '../domain/money';
import { listWaiting } from '../controls/holds';
import { readWholeNumber, readWords } from '../operator-actions/read';
import type { Report, Running } from './report';
import type { Session } from './session';
import { table, clockOf } from './table';

export function holdCommands(program: Command, { run, act }: Running): void {
  const hold = program
    .command('hold')
    .description('payouts on hold, until a time or until an operator releases them');
  hold
    .command('list')
    .description('list payouts on hold, with the reason, oldest first')
    .option('--limit <n>', 'show at most this many', readWholeNumber, 100)
    .action(run(list));
  act(
    hold
      .command('release <payment_id>')
      .description('release a payout that is on hold, after you have checked its recipient')
      .requiredOption('--note <note>', 'how you know this, for later readers', readWords('The note')),
    {
      kind: 'hold.release',
      input: (_: Session, paymentId: string, { note }: { note: string }) => ({ payment_id: paymentId, note }),
      print: (_, { goes_on: when, ...released }) => ({
        json: released,
        text: `Payout ${released.payment_id} is released by ${released.released_by}: it continues by itself ${when}.`,
      }),
    },
  );
}

async function list({ context, config }: Session, { limit }: { limit: number }): Promise<Report> {
  const waiting = await listWaiting(context.db, limit);
  const clock = clockOf(config.timezone);
  const rows = waiting.map((hold) => [
    hold.payment_id,
    hold.merchant_id,
    hold.rail,
    `${formatAmount(BigInt(hold.requested_minor), hold.currency)} ${hold.currency}`,
    hold.reason,
    clock(hold.held_at),
    hold.until_at ? clock(hold.until_at) : 'released',
  ]);
  return {
    json: {
      holds: waiting.map(({ released_at: _, released_by: __, note: ___, requested_minor, ...hold }) => ({
        ...hold,
        amount: formatAmount(BigInt(requested_minor), hold.currency),
      })),
    },
    text:
      waiting.length === 0
        ? 'No payout is on hold.'
        : table(['payment', 'merchant', 'rail', 'amount', 'reason', 'since', 'until'], rows),
  };
}
