import type { Command } from 'commander';
import { formatAmount } from '../domain/money';
import { readWords } from '../operator-actions/read';
import { readMoment, restoreNow, type BegunRestore, type EndedRestore } from '../operator-actions/restore';
import { findStopped } from '../payments/submit/put-on-hold';
import { collect } from './parse';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count, table, clockOf } from './table';

export function restoreCommands(program: Command, { run, act }: Running): void {
  const restore = program
    .command('restore')
    .description('the database was restored to the past: it lacks the payments since the backup');
  act(
    restore
      .command('begin')
      .description(
        'pause all payouts, before any process runs, until statements show what was paid since the backup',
      )
      .requiredOption('--to <moment>', 'the time of the backup, in ISO 8601 with its zone', readMoment)
      .requiredOption('--reason <reason>', 'the reason, for later readers', readWords('The reason', 300)),
    {
      kind: 'restore.begin',
      input: (_: Session, { to, reason }: { to: Date; reason: string }) => ({ to: to.toISOString(), reason }),
      print: printBegun,
    },
  );
  restore
    .command('status')
    .description('show what is not known yet about the time since the backup')
    .action(run(status));
  act(
    restore
      .command('end')
      .description(
        'resume payouts; those that look like a payout since the backup stay on hold for an operator',
      )
      .requiredOption('--note <note>', 'how you know this, for later readers', readWords('The note', 300))
      .option('--checked <rail>', 'an operator has read the statements of this rail; repeatable', collect)
      .option('--with-unmatched', 'although unmatched receipts of payouts are not assigned yet'),
    {
      kind: 'restore.end',
      input: async (
        session: Session,
        { note, checked, withUnmatched }: { note: string; checked?: string[]; withUnmatched?: true },
      ) => ({
        pause_id: (await restoreNow(session)).restore.stop.pause_id,
        note,
        ...(checked && { checked }),
        ...(withUnmatched && { with_unmatched: true }),
      }),
      print: printEnded,
    },
  );
}

function printBegun(_: Session, begun: BegunRestore): Report {
  const { presumed_sent: presumed, open_workflows: running } = begun;
  return {
    json: begun,
    text: [
      'All payouts and refunds are paused: the API accepts new ones, and they wait.',
      `${count(presumed, 'payment')} may have been sent after the backup: the workers query the provider and do not send again.`,
      ...(running === 0
        ? []
        : [
            `Temporal still runs ${count(running, 'old workflow')}: first give it an empty store or another namespace.`,
          ]),
      'You can start the processes now. Then upload the statements of every rail up to now: malipo restore status.',
    ].join('\n'),
  };
}

async function status(session: Session): Promise<Report> {
  const { restore, stand } = await restoreNow(session);
  const clock = clockOf(session.config.timezone);
  const rails = stand.rails.map(({ rail, provider, isCovered }) => [
    rail,
    provider,
    isCovered ? 'complete' : `missing: malipo reconcile ${rail}`,
  ]);
  const unmatchedReceipts = stand.unmatchedReceipts.map((unmatched) => [
    unmatched.receipt_id,
    unmatched.provider,
    unmatched.provider_reference,
    unmatched.kind,
    `${formatAmount(BigInt(unmatched.amount_minor), unmatched.currency)} ${unmatched.currency}`,
    clock(unmatched.occurred_at),
  ]);
  const waiting = (await findStopped(session.context.db, {}, waitingMax)).length;
  return {
    json: {
      restored_to: restore.copiedAt.toISOString(),
      begun_at: restore.stop.begun_at.toISOString(),
      rails: stand.rails.map(({ rail, provider, isCovered }) => ({ rail, provider, covered: isCovered })),
      unmatched_receipts: stand.unmatchedReceipts.map(
        ({ receipt_id, provider, provider_reference, kind, currency, amount_minor }) => ({
          ...{ receipt_id, provider, provider_reference, kind, currency },
          amount: formatAmount(BigInt(amount_minor), currency),
        }),
      ),
      waiting,
    },
    text: [
      `Restored to ${clock(restore.copiedAt)}; payouts are paused since ${clock(restore.stop.begun_at)}.`,
      table(['rail', 'provider', `statements of the whole time between`], rails),
      stand.unmatchedReceipts.length === 0
        ? 'No statement shows a payout without a payment.'
        : table(['receipt', 'provider', 'reference', 'kind', 'amount', 'when'], unmatchedReceipts),
      `${waiting === waitingMax ? 'At least ' : ''}${count(waiting, 'payout')} waiting.`,
    ].join('\n\n'),
  };
}

/** The status counts at most this many waiting payouts. */
const waitingMax = 10_000;

function printEnded(_: Session, { goes_on: when, ...ended }: EndedRestore): Report {
  return {
    json: ended,
    text:
      `The restore is over: waiting payouts continue by themselves ${when}. Those that look like a payout since the backup ` +
      'stay on hold; malipo hold list shows them.',
  };
}
