import type { Command } from 'commander';
import { inOneLine } from '../domain/controls';
import { formatAmount } from '../domain/money';
import { ActionError } from '../operator-actions/errors';
import { findRestores, type RestoreStatus } from '../payments/recovery/restore';
import { sumUnexplained } from '../reconciliation/fetch-log';
import { verifyAll, verifyChanges, type VerifyRunReport } from '../verify/run-checks';
import { noteVerdict } from '../verify/verdict';
import { sleepersIn } from './parse';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count, table, facts } from './table';

/** The text shows at most this many violations of one check; `--json` has more. */
const shownMax = 20;

export function verifyCommand(program: Command, { run }: Running): void {
  program
    .command('verify')
    .description('check all invariants about money and payments, on one snapshot of the database')
    .option(
      '--changes',
      'check only what changed since the last clean run, and that the verified part of the ledger is unchanged',
    )
    .option('--with-simulator', 'also compare with the books of the simulated providers')
    .action(run(verifyBooks));
}

async function verifyBooks(
  { context, simulatorUrl }: Session,
  { changes, withSimulator }: { changes?: true; withSimulator?: true },
): Promise<Report> {
  if (withSimulator && simulatorUrl === undefined) {
    throw new ActionError(
      'The address of the simulator is unknown: set MALIPO_SIMULATOR_URL. Live has no simulator.',
    );
  }
  const prove = changes ? verifyChanges : verifyAll;
  const report = await prove(context.db, context.rails, withSimulator ? { simulatorUrl } : {});
  // An account that can only read still prints the result, but cannot store it for alerts.
  await noteVerdict(context.db, report).catch(() => undefined);
  const open = (await sumUnexplained(context.db)).map(({ amountMinor, currency, ...sum }) => ({
    ...sum,
    amount: formatAmount(amountMinor, currency),
    currency,
  }));
  const restores = await findRestores(context.db);
  return {
    json: { ...report, unexplained: open, ...(restores.length > 0 && { restores }) },
    text: [textOf(report), ...restores.map(restoreText), ...open.map(unexplainedText)].join('\n'),
    ok: report.clean,
  };
}

interface Unexplained {
  provider: string;
  day: string;
  count: number;
  amount: string;
  currency: string;
}

/** A restore cuts the verified history: the database does not have what was booked in between. */
function restoreText({ restoredTo, at, by }: RestoreStatus): string {
  return `Restored by ${by} on ${at.toISOString()} as it was at ${restoredTo.toISOString()}: bookings in between are lost.`;
}

/** Unexplained lines are not a violation: an operator must find out what happened at the provider. */
function unexplainedText({ provider, day, count: lines, amount, currency }: Unexplained): string {
  return `Unexplained at ${provider} on ${day}: ${count(lines, 'line')}, ${amount} ${currency} (malipo reconcile).`;
}

function textOf(report: VerifyRunReport): string {
  const { clean, checks, took_ms: tookMs } = report;
  const broken = checks.filter(({ violations }) => violations.length > 0);
  const rows = checks.map(({ id, promise, violations }) => [
    id,
    violations.length === 0 ? 'ok' : count(violations.length, 'violation'),
    promise,
  ]);
  const lists = broken.map(({ id, promise, violations }) =>
    [
      `${id}: ${promise}`,
      ...violations.slice(0, shownMax).map((violation) => inOneLine(`  ${violation.id} ${violation.detail}`)),
      ...(violations.length > shownMax
        ? [`  and ${String(violations.length - shownMax)} more; --json lists them`]
        : []),
    ].join('\n'),
  );
  const verdict = clean
    ? `All ${String(checks.length)} checks passed.`
    : `${String(broken.length)} of ${String(checks.length)} checks FAILED.`;
  return [
    table(['check', 'result', 'invariant'], rows),
    ...lists,
    [verdict, whatWasSeen(report), ...whatStands(report), `(${String(tookMs)} ms)`].join(' '),
  ].join('\n\n');
}

/** The part of the data that the run checked. */
function whatWasSeen({ changes, because }: VerifyRunReport): string {
  if (changes) {
    const checkedAt = count(
      changes.checked_at,
      'payment, voucher or transfer',
      'payments, vouchers and transfers',
    );
    return (
      `Checked ${checkedAt} that changed since ${changes.changed_since}; ` +
      `a run verified the rest at ${changes.verified_at}, and one run checked everything at ${changes.full_at}.`
    );
  }
  return `Checked everything${because === undefined ? '' : `, although --changes was used: ${because}`}.`;
}

/** Whether the next run with --changes can continue from this run, and whether it must not continue from an earlier one. */
function whatStands({
  not_kept_because: notKept,
  not_dropped_because: notDropped,
}: VerifyRunReport): string[] {
  return [
    ...(notKept === undefined ? [] : [`The next run cannot continue from this one: ${notKept}.`]),
    ...(notDropped === undefined
      ? []
      : [
          `THE STATE OF AN EARLIER CLEAN RUN IS STILL STORED, but it is wrong now and could not be removed (${notDropped}). ` +
            'Before you use --changes, run this command with a database account that can write.',
        ]),
  ];
}

export function pruneCommand(program: Command, { act }: Running): void {
  act(
    program
      .command('prune')
      .description('delete old data that is no longer needed, as a worker does each night'),
    {
      kind: 'prune',
      input: () => ({}),
      print: (_, json) => ({ json, text: printed('Deleted:', Object.entries(json.pruned)) }),
      printPreview: ({ changes }) => {
        const counts = changes.map(({ of, from }): [string, number] => [of.id, Number(from)]);
        return {
          json: { would_prune: Object.fromEntries(counts) },
          text: printed('This would be deleted; nothing was changed:', counts),
        };
      },
    },
  );
}

function printed(heading: string, counts: [string, number][]): string {
  return `${heading}\n${facts(counts.map(([what, n]) => [what, String(n)]))}`;
}

export function resumeCommand(program: Command, { act }: Running): void {
  act(
    program
      .command('resume')
      .description(
        'start or signal the workflow of every unfinished payment, such as after the loss of Temporal',
      ),
    {
      kind: 'resume',
      input: () => ({}),
      print(_, json) {
        const { unfinished, resumed, not_resumed: failed, not_tried: left } = json;
        return {
          json,
          text: [
            `${count(unfinished, 'payment')} unfinished, ${String(resumed)} resumed.`,
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
