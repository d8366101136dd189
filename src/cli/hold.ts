import type { Command } from 'commander';
import { listWaiting, releasePayout } from '../controls/holds';
import { formatAmount } from '../domain/money';
import { nameOf, recordOf, whoActs } from './acting';
import { readName, readWholeNumber, readWords } from './parse';
import { Refusal } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { table } from './table';
import { hastenFew } from './wake';
import { clockOf } from './wall-clock';

export function holdCommands(program: Command, run: Runner): void {
  program
    .command('hold')
    .description('payouts that wait for a while, or for an operator')
    .command('list')
    .description('what waits now and why, oldest first')
    .option('--limit <n>', 'at most so many', readWholeNumber, 100)
    .action(run(list));
  program
    .command('release <payment_id>')
    .description('let a payout go on that waits: its recipient is who it should be')
    .requiredOption('--note <note>', 'how you know, for those who read it later', readWords('The note'))
    .option('--as <name>', whoActs, readName)
    .action(run(release));
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
        ? 'No payout waits by itself.'
        : table(['payment', 'merchant', 'rail', 'amount', 'why', 'since', 'until'], rows),
  };
}

async function release(
  session: Session,
  paymentId: string,
  { note, as: typed }: { note: string; as?: string },
): Promise<Report> {
  const { context, acting } = session;
  const by = nameOf(acting, typed);
  // The column is ASCII, and the database refuses to compare it with more.
  const isId = /^[\x21-\x7e]+$/.test(paymentId);
  const release = isId
    ? await releasePayout(context.db, paymentId, { by, note, record: recordOf(acting) })
    : { kind: 'not_held' as const };
  switch (release.kind) {
    case 'not_held':
      throw new Refusal(`No payout ${paymentId} was ever held by itself; malipo hold list shows what is.`);
    case 'ended':
      throw new Refusal(`Payout ${paymentId} is ${release.state}, and will not be sent.`);
    case 'released_before':
      throw new Refusal(`Payout ${paymentId} was released before, by ${release.hold.released_by ?? '-'}.`);
    case 'released': {
      const when = await hastenFew(session, () => context.db('payments').where({ payment_id: paymentId }));
      return {
        json: { payment_id: paymentId, released_by: by, reason: release.hold.reason },
        text: `Payout ${paymentId} is released by ${by}: it goes on by itself ${when}.`,
      };
    }
  }
}
