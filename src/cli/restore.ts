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
    .description('the database was brought back as it was before: what went out since is not in it');
  act(
    restore
      .command('begin')
      .description('before any process runs: nothing goes out until the statements say what did')
      .requiredOption('--to <moment>', 'when the backup was taken, in ISO 8601 with its zone', readMoment)
      .requiredOption('--reason <reason>', 'why, for those who read it later', readWords('The reason', 300)),
    {
      kind: 'restore.begin',
      input: (_: Session, { to, reason }: { to: Date; reason: string }) => ({ to: to.toISOString(), reason }),
      print: printBegun,
    },
  );
  restore.command('status').description('what of the lost time is not known yet').action(run(status));
  act(
    restore
      .command('end')
      .description('what waits goes out; what looks like a payout of the lost time still waits for a person')
      .requiredOption(
        '--note <note>',
        'how you know, for those who read it later',
        readWords('The note', 300),
      )
      .option('--checked <rail>', 'its statements were read by a person; may be given several times', collect)
      .option('--with-orphans', 'although money went out of which nobody has said whose it is'),
    {
      kind: 'restore.end',
      input: async (
        session: Session,
        { note, checked, withOrphans }: { note: string; checked?: string[]; withOrphans?: true },
      ) => ({
        stop_id: (await restoreNow(session)).restore.stop.stop_id,
        note,
        ...(checked && { checked }),
        ...(withOrphans && { with_orphans: true }),
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
      'All payouts and refunds are stopped: new ones are accepted, and wait.',
      `${count(presumed, 'payment')} had not been sent then, and may have been since: looked for, and not sent again.`,
      ...(running === 0
        ? []
        : [
            `Temporal goes on with ${count(running, 'workflow')} of before: give it an empty store, or another namespace, first.`,
          ]),
      'Processes may run now. Then bring the statements of every rail up to this moment: malipo restore status.',
    ].join('\n'),
  };
}

async function status(session: Session): Promise<Report> {
  const { restore, stand } = await restoreNow(session);
  const clock = clockOf(session.config.timezone);
  const rails = stand.rails.map(({ rail, provider, isCovered }) => [
    rail,
    provider,
    isCovered ? 'brought' : `missing: malipo reconcile ${rail}`,
  ]);
  const orphans = stand.orphans.map((orphan) => [
    orphan.orphan_id,
    orphan.provider,
    orphan.provider_reference,
    orphan.kind,
    `${formatAmount(BigInt(orphan.amount_minor), orphan.currency)} ${orphan.currency}`,
    clock(orphan.occurred_at),
  ]);
  const waiting = (await findStopped(session.context.db, {}, waitingMax)).length;
  return {
    json: {
      restored_to: restore.copiedAt.toISOString(),
      begun_at: restore.stop.begun_at.toISOString(),
      rails: stand.rails.map(({ rail, provider, isCovered }) => ({ rail, provider, covered: isCovered })),
      orphans: stand.orphans.map(
        ({ orphan_id, provider, provider_reference, kind, currency, amount_minor }) => ({
          ...{ orphan_id, provider, provider_reference, kind, currency },
          amount: formatAmount(BigInt(amount_minor), currency),
        }),
      ),
      waiting,
    },
    text: [
      `Restored to ${clock(restore.copiedAt)}; nothing goes out since ${clock(restore.stop.begun_at)}.`,
      table(['rail', 'provider', `statements of all the time between`], rails),
      stand.orphans.length === 0
        ? 'No money is known to have gone out without a payment of ours.'
        : table(['orphan', 'provider', 'reference', 'kind', 'amount', 'when'], orphans),
      `${waiting === waitingMax ? 'At least ' : ''}${count(waiting, 'payout')} waiting.`,
    ].join('\n\n'),
  };
}

/** As many of what waits as are counted. */
const waitingMax = 10_000;

function printEnded(_: Session, { goes_on: when, ...ended }: EndedRestore): Report {
  return {
    json: ended,
    text:
      `The restore is over: what waited goes on by itself ${when}, but for what looks like a payout of the lost time; ` +
      'malipo hold list shows it.',
  };
}
