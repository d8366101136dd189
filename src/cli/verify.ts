import type { Command } from 'commander';
import { inOneLine } from '../domain/controls';
import { formatAmount } from '../domain/money';
import { ActionError } from '../operator-actions/errors';
import { findRestores, type RestoreTold } from '../payments/recovery/restore';
import { sumUnexplained } from '../reconciliation/fetch-log';
import { proveAll, proveNews, type ProofReport } from '../verify/run-checks';
import { noteVerdict } from '../verify/verdict';
import { sleepersIn } from './parse';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count, table, facts } from './table';

/** More rows of one check than this are for `--json`. */
const shownMax = 20;

export function verifyCommand(program: Command, { run }: Running): void {
  program
    .command('verify')
    .description('check every promise about money and payments on one snapshot of the database')
    .option(
      '--news',
      'check what changed after the last proof, and that what was proved of the ledger is there',
    )
    .option('--with-simulator', "compare with the simulated providers' own books, too")
    .action(run(verifyBooks));
}

async function verifyBooks(
  { context, simulatorUrl }: Session,
  { news, withSimulator }: { news?: true; withSimulator?: true },
): Promise<Report> {
  if (withSimulator && simulatorUrl === undefined) {
    throw new ActionError('No simulator is known: set MALIPO_SIMULATOR_URL. Live providers have none.');
  }
  const prove = news ? proveNews : proveAll;
  const report = await prove(context.db, context.rails, withSimulator ? { simulatorUrl } : {});
  // Whoever may only read is told what was found, and nobody else is.
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

/** Where what is proved was cut: what was booked in between is proved by nothing here. */
function restoreText({ restoredTo, at, by }: RestoreTold): string {
  return `Restored by ${by} on ${at.toISOString()} as it was at ${restoredTo.toISOString()}: what was booked in between is lost.`;
}

/** No promise of ours is broken by it: a person has to look what happened at the provider. */
function unexplainedText({ provider, day, count: lines, amount, currency }: Unexplained): string {
  return `Unexplained at ${provider} on ${day}: ${count(lines, 'line')}, ${amount} ${currency} (malipo reconcile).`;
}

function textOf(report: ProofReport): string {
  const { clean, checks, took_ms: tookMs } = report;
  const broken = checks.filter(({ violations }) => violations.length > 0);
  const rows = checks.map(({ id, promise, violations }) => [
    id,
    violations.length === 0 ? 'kept' : count(violations.length, 'violation'),
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
    ? `All ${String(checks.length)} promises are kept.`
    : `${count(broken.length, 'promise')} of ${String(checks.length)} ${broken.length === 1 ? 'is' : 'are'} BROKEN.`;
  return [
    table(['check', 'result', 'promise'], rows),
    ...lists,
    [verdict, whatWasSeen(report), ...whatStands(report), `(${String(tookMs)} ms)`].join(' '),
  ].join('\n\n');
}

/** What the verdict is about. */
function whatWasSeen({ news, because }: ProofReport): string {
  if (news) {
    const lookedAt = count(
      news.looked_at,
      'payment, voucher or transfer',
      'payments, vouchers and transfers',
    );
    return (
      `Looked at ${lookedAt} with news since ${news.changed_since}; ` +
      `everything before was proved at ${news.proved_at}, all of it at once at ${news.full_at}.`
    );
  }
  return `Looked at everything${because === undefined ? '' : ` although only the news were asked for: ${because}`}.`;
}

/** What the next look at the news cannot begin from, and what it must not. */
function whatStands({ not_kept_because: notKept, not_dropped_because: notDropped }: ProofReport): string[] {
  return [
    ...(notKept === undefined ? [] : [`No proof was kept of it: ${notKept}.`]),
    ...(notDropped === undefined
      ? []
      : [
          `THE PROOF OF BEFORE STANDS, and is none any more: it could not be taken away (${notDropped}). ` +
            'Do not use --news before this command has run as an account that may write.',
        ]),
  ];
}

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
