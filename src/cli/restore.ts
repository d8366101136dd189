import type { Command } from 'commander';
import { formatAmount } from '../domain/money';
import { searchAttributes } from '../domain/search-attributes';
import {
  beginRestore,
  endRestore,
  findRestore,
  standOf,
  type Restore,
  type StandOfRestore,
} from '../payments/care/restore';
import { findStopped } from '../payments/instruction/held-back';
import { toldRunning } from '../store/processes';
import { nameOf, recordOf } from './acting';
import { collect, readWords } from './parse';
import { Refusal, UsageError } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { count, table } from './table';
import { hastenFew } from './wake';
import { clockOf } from './wall-clock';

export function restoreCommands(program: Command, run: Runner): void {
  const restore = program
    .command('restore')
    .description('the database was brought back as it was before: what went out since is not in it');
  restore
    .command('begin')
    .description('before any process runs: nothing goes out until the statements say what did')
    .requiredOption('--to <moment>', 'when the backup was taken, in ISO 8601 with its zone', readMoment)
    .requiredOption('--reason <reason>', 'why, for those who read it later', readWords('The reason', 300))
    .action(run(begin));
  restore.command('status').description('what of the lost time is not known yet').action(run(status));
  restore
    .command('end')
    .description('what waits goes out; what looks like a payout of the lost time still waits for a person')
    .requiredOption('--note <note>', 'how you know, for those who read it later', readWords('The note', 300))
    .option('--checked <rail>', 'its statements were read by a person; may be given several times', collect)
    .option('--with-orphans', 'although money went out of which nobody has said whose it is')
    .action(run(end));
}

function readMoment(text: string): Date {
  const moment = new Date(text);
  const isWhole = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}.*(?:Z|[+-]\d{2}:\d{2})$/.test(text);
  if (!isWhole || Number.isNaN(moment.getTime()))
    throw new UsageError(`"${text}" is no moment with its zone; write it like 2026-11-30T02:15:00Z.`);
  if (moment.getTime() > Date.now()) throw new UsageError('A backup was taken in the past.');
  return moment;
}

/** Temporal may not run yet, and is asked for no longer than this. */
const askTemporalMs = 2_000;

/**
 * @returns how many workflows of payments Temporal goes on with; undefined where it cannot be asked. One that is ahead of
 *   its payment does nothing wrong, and never what the payment waits for.
 */
function openWorkflows({ client }: Session): Promise<number | undefined> {
  return client
    .withDeadline(Date.now() + askTemporalMs, () =>
      client.workflow.count(`ExecutionStatus = 'Running' AND ${searchAttributes.merchant.name} IS NOT NULL`),
    )
    .then(
      ({ count: running }) => running,
      () => undefined,
    );
}

async function begin(session: Session, { to, reason }: { to: Date; reason: string }): Promise<Report> {
  const { context, acting } = session;
  const told = `restored to ${to.toISOString()}: ${reason}`;
  const begun = await beginRestore(context, to, { reason: told, record: recordOf(acting) });
  switch (begun.kind) {
    case 'in_use':
      throw new Refusal(
        `${toldRunning(begun.running)} used this database within the last minute: stop every process, wait a minute, ` +
          'and begin then.',
      );
    case 'begun_before':
      throw new Refusal('A restore has begun and is not over; see malipo restore status.');
    case 'begun': {
      const running = (await openWorkflows(session)) ?? 0;
      return {
        json: {
          stop_id: begun.stopId,
          restored_to: to.toISOString(),
          presumed_sent: begun.presumed,
          open_workflows: running,
        },
        text: [
          'All payouts and refunds are stopped: new ones are accepted, and wait.',
          `${count(begun.presumed, 'payment')} had not been sent then, and may have been since: looked for, and not sent again.`,
          ...(running === 0
            ? []
            : [
                `Temporal goes on with ${count(running, 'workflow')} of before: give it an empty store, or another namespace, first.`,
              ]),
          'Processes may run now. Then bring the statements of every rail up to this moment: malipo restore status.',
        ].join('\n'),
      };
    }
  }
}

async function restoreNow({ context }: Session): Promise<{ restore: Restore; stand: StandOfRestore }> {
  const restore = await findRestore(context.db);
  if (!restore) throw new Refusal('No restore has begun that is not over.');
  return { restore, stand: await standOf(context, restore) };
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

async function end(
  session: Session,
  { note, checked = [], withOrphans }: { note: string; checked?: string[]; withOrphans?: true },
): Promise<Report> {
  const { restore, stand } = await restoreNow(session);
  const stranger = checked.find((name) => !stand.rails.some(({ rail }) => rail === name));
  if (stranger !== undefined) throw new UsageError(`Nothing goes out over a rail called "${stranger}".`);
  const missing = stand.rails.filter(({ rail, isCovered }) => !isCovered && !checked.includes(rail));
  if (missing.length > 0) {
    const which = missing.map(({ rail }) => rail).join(', ');
    throw new Refusal(
      `No statement tells of all the time since the backup on ${which}: bring them with malipo reconcile, ` +
        'or say with --checked that a person has read them.',
    );
  }
  if (stand.orphans.length > 0 && withOrphans !== true) {
    throw new Refusal(
      `Of ${count(stand.orphans.length, 'payout')} nobody has said yet whose it is: malipo orphan claim, or --with-orphans.`,
    );
  }
  const { acting, context } = session;
  const by = nameOf(acting, undefined);
  const ended = await endRestore(context.db, {
    by,
    record: (trx, { subject, details }) =>
      acting.record(trx, {
        subject,
        details: { ...details, restored_to: restore.copiedAt.toISOString() },
        needs: { kind: 'money' },
      }),
  });
  if (ended.length === 0) throw new Refusal('Somebody else has ended it meanwhile.');
  const when = await hastenFew(session, (limit) => findStopped(context.db, {}, limit));
  return {
    json: { ended: ended.map(({ stop_id: id }) => id), ended_by: by, note },
    text:
      `The restore is over: what waited goes on by itself ${when}, but for what looks like a payout of the lost time; ` +
      'malipo hold list shows it.',
  };
}
