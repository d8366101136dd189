import type { Command } from 'commander';
import { findPayoutStops, listPayoutStops, type StopScope } from '../controls/stops';
import { readCountry, readWholeNumber, readWords } from '../operator-actions/read';
import { stopOptions, type StartResult, type StopResult } from '../operator-actions/payouts';
import { proverName } from '../floats/act';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count, table, clockOf } from './table';

export function stopCommands(program: Command, { run, act }: Running): void {
  const stop = program.command('stop').description('the kill switch: hold back what is to go out');
  act(
    withScope(stop.command('payouts').description('nothing more of them is sent: they wait'))
      .requiredOption('--reason <reason>', 'why, for those who find it stopped', readWords('The reason'))
      .option('--with-refunds', 'refunds wait as well'),
    {
      kind: 'stop.payouts',
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
  stop
    .command('list')
    .description('what is stopped, by whom, since when and why')
    .option('--all', 'what was started again, too, newest first')
    .option('--limit <n>', 'with --all: at most so many', readWholeNumber, 100)
    .action(run(list));
  const start = program.command('start').description('let go on what was stopped');
  act(withScope(start.command('payouts').description('those that waited go on by themselves')), {
    kind: 'start.payouts',
    input: (_: Session, given: Scoped) => inputOf(given),
    print: (_: Session, result: StartResult, given: Scoped) => printStarted(result, scopeOf(given)),
  });
}

function withScope(command: Command): Command {
  return command
    .option('--merchant <merchant_id>', 'of one merchant')
    .option('--rail <rail>', 'of one rail, such as momo')
    .option('--country <country>', 'to one country, such as KEN', readCountry);
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

const scopeOf = ({ merchant, rail, country }: Scoped): StopScope => ({ merchantId: merchant, rail, country });

function printStopped(_: Session, stopped: StopResult, given: Scoped): Report {
  const scope = scopeOf(given);
  const text = [
    `${capital(whatOf(scope, stopped.with_refunds))} are stopped by ${stopped.begun_by}: from now on none is sent, and new ones wait.`,
    'What was sent before goes on at its provider.',
    `malipo start ${stopOptions({ ...stopped, with_refunds: 0 })} lets them go on.`,
  ].join('\n');
  return { json: stopped, text };
}

function printStarted(
  { ended_stops: ended, left, goes_on: when, ...json }: StartResult,
  scope: StopScope,
): Report {
  const isProvers = ended.some(({ begun_by: beginner }) => beginner === proverName);
  const still = left.length === 0 ? '' : `Still stopped: ${left.map(stopOptions).join('; ')}.`;
  return {
    json,
    text: [
      `${count(ended.length, 'stop')} of ${whatOf(scope, false)} ended by ${json.ended_by}: what waited goes on by itself ${when}.`,
      isProvers
        ? 'They stop again only where a wallet lacks more than it did: say what it lacks now, with malipo float-proof baseline or moved.'
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
  const stops = all === true ? await listPayoutStops(context.db, limit) : await findPayoutStops(context.db);
  const clock = clockOf(config.timezone);
  const rows = stops.map((stop) => [
    stop.stop_id,
    clock(stop.begun_at),
    stop.begun_by,
    stopOptions(stop),
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
        ? 'Nothing is stopped.'
        : table(['stop', 'since', 'by', 'what', 'why', 'state'], rows),
  };
}

function whatOf({ merchantId, rail, country }: StopScope, withRefunds: boolean): string {
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
