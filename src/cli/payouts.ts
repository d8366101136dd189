import type { Command } from 'commander';
import { findPayoutPauses, listPayoutPauses, type PauseScope } from '../controls/pauses';
import { readCountry, readWholeNumber, readWords } from '../operator-actions/read';
import { pauseOptions, type ResumeResult, type PauseResult } from '../operator-actions/payouts';
import { proverName } from '../floats/act';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count, table, clockOf } from './table';

export function payoutsCommands(program: Command, { run, act }: Running): void {
  const payouts = program.command('payouts').description('the kill switch: pause and resume payouts');
  act(
    withScope(payouts.command('pause').description('pause payouts: none is sent, and they wait'))
      .requiredOption(
        '--reason <reason>',
        'the reason, for everyone who sees the pause',
        readWords('The reason'),
      )
      .option('--with-refunds', 'also pause refunds'),
    {
      kind: 'payouts.pause',
      input: (
        _: Session,
        { reason, withRefunds, ...given }: Scoped & { reason: string; withRefunds?: true },
      ) => ({
        ...inputOf(given),
        reason,
        with_refunds: withRefunds === true,
      }),
      print: printStopped,
    },
  );
  payouts
    .command('list')
    .description('list the paused payouts: by whom, since when and why')
    .option('--all', 'also show ended pauses, newest first')
    .option('--limit <n>', 'with --all: show at most this many', readWholeNumber, 100)
    .action(run(list));
  act(
    withScope(payouts.command('resume').description('resume payouts; waiting ones continue by themselves')),
    {
      kind: 'payouts.resume',
      input: (_: Session, given: Scoped) => inputOf(given),
      print: (_: Session, result: ResumeResult, given: Scoped) => printStarted(result, scopeOf(given)),
    },
  );
}

function withScope(command: Command): Command {
  return command
    .option('--merchant <merchant_id>', 'only payouts of this merchant')
    .option('--rail <rail>', 'only payouts of this rail, such as momo')
    .option('--country <country>', 'only payouts to this country, such as KEN', readCountry);
}

interface Scoped {
  merchant?: string;
  rail?: string;
  country?: string;
}

const inputOf = ({ merchant, rail, country }: Scoped) => ({
  ...(merchant !== undefined && { merchant_id: merchant }),
  ...(rail !== undefined && { rail }),
  ...(country !== undefined && { country }),
});

const scopeOf = ({ merchant, rail, country }: Scoped): PauseScope => ({
  merchantId: merchant,
  rail,
  country,
});

function printStopped(_: Session, stopped: PauseResult, given: Scoped): Report {
  const scope = scopeOf(given);
  const text = [
    `${capital(whatOf(scope, stopped.with_refunds))} are paused by ${stopped.begun_by}: from now on none is sent, and new ones wait.`,
    'Payouts that were sent before continue at their provider.',
    `To resume them: malipo payouts resume${pauseOptions({ ...stopped, with_refunds: 0 }).replace(/^payouts/, '')}`,
  ].join('\n');
  return { json: stopped, text };
}

function printStarted(
  { ended_stops: ended, left, goes_on: when, ...json }: ResumeResult,
  scope: PauseScope,
): Report {
  const isProvers = ended.some(({ begun_by: beginner }) => beginner === proverName);
  const still = left.length === 0 ? '' : `Still paused: ${left.map(pauseOptions).join('; ')}.`;
  return {
    json,
    text: [
      `${count(ended.length, 'pause')} of ${whatOf(scope, false)} ended by ${json.ended_by}: waiting payouts continue by themselves ${when}.`,
      isProvers
        ? 'The float check pauses them again only if a wallet lacks more than it does now. Record the cause with malipo float-check adjust or transfer.'
        : '',
      still,
    ]
      .filter(Boolean)
      .join('\n'),
  };
}

async function list(
  { context, config }: Session,
  { all, limit }: { all?: true; limit: number },
): Promise<Report> {
  const stops = all === true ? await listPayoutPauses(context.db, limit) : await findPayoutPauses(context.db);
  const clock = clockOf(config.timezone);
  const rows = stops.map((stop) => [
    stop.pause_id,
    clock(stop.begun_at),
    stop.begun_by,
    pauseOptions(stop),
    stop.reason,
    stop.ended_at ? `ended ${clock(stop.ended_at)} by ${stop.ended_by ?? '-'}` : 'in force',
  ]);
  return {
    json: {
      stops: stops.map(({ begun_log_id: _, ended_log_id: __, with_refunds, ...stop }) => ({
        ...stop,
        with_refunds: with_refunds === 1,
      })),
    },
    text:
      stops.length === 0
        ? 'Nothing is paused.'
        : table(['pause', 'since', 'by', 'what', 'reason', 'state'], rows),
  };
}

function whatOf({ merchantId, rail, country }: PauseScope, withRefunds: boolean): string {
  const parts = [
    withRefunds ? 'payouts and refunds' : 'payouts',
    rail !== undefined && `over ${rail}`,
    country !== undefined && `to ${country}`,
    merchantId !== undefined && `of merchant ${merchantId}`,
  ];
  return merchantId === undefined && rail === undefined && country === undefined
    ? `all ${String(parts[0])}`
    : parts.filter((part) => part !== false).join(' ');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
