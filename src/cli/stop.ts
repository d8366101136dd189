import type { Command } from 'commander';
import {
  findPayoutStops,
  listPayoutStops,
  restorerName,
  startPayouts,
  stopPayouts,
  type StopScope,
} from '../controls/stops';
import { proverName } from '../payments/care/float-proof/act';
import { findStopped } from '../payments/instruction/held-back';
import type { PayoutStopRow } from '../store/tables';
import { nameOf, recordOf, whoActs } from './acting';
import { readCountry, readName, readWholeNumber, readWords } from './parse';
import { Refusal, UsageError } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { count, table } from './table';
import { hastenFew } from './wake';
import { clockOf } from './wall-clock';

export function stopCommands(program: Command, run: Runner): void {
  const stop = program.command('stop').description('the kill switch: hold back what is to go out');
  withScope(stop.command('payouts').description('nothing more of them is sent: they wait'))
    .requiredOption('--reason <reason>', 'why, for those who find it stopped', readWords('The reason'))
    .option('--with-refunds', 'refunds wait as well')
    .action(run(stopped));
  stop
    .command('list')
    .description('what is stopped, by whom, since when and why')
    .option('--all', 'what was started again, too, newest first')
    .option('--limit <n>', 'with --all: at most so many', readWholeNumber, 100)
    .action(run(list));
  const start = program.command('start').description('let go on what was stopped');
  withScope(start.command('payouts').description('those that waited go on by themselves')).action(
    run(started),
  );
}

function withScope(command: Command): Command {
  return command
    .option('--merchant <merchant_id>', 'of one merchant')
    .option('--rail <rail>', 'of one rail, such as momo')
    .option('--country <country>', 'to one country, such as KEN', readCountry)
    .option('--as <name>', whoActs, readName);
}

interface Scoped {
  merchant?: string;
  rail?: string;
  country?: string;
  as?: string;
}

/** @throws UsageError, or Refusal for a merchant that there is not: a stop that holds nothing back must not look like one. */
async function scopeOf({ context }: Session, { merchant, rail, country }: Scoped): Promise<StopScope> {
  const rails = context.rails.all.map(({ name }) => name);
  if (rail !== undefined && !rails.includes(rail))
    throw new UsageError(`--rail must be one of ${rails.join(', ')}, not "${rail}".`);
  if (merchant !== undefined) {
    // The column is ASCII, and the database refuses to compare it with more.
    const isId = /^[\x21-\x7e]+$/.test(merchant);
    const known =
      isId && (await context.db('merchants').where({ merchant_id: merchant }).first('merchant_id'));
    if (!known) throw new Refusal(`There is no merchant ${merchant}.`);
  }
  return { merchantId: merchant, rail, country };
}

async function stopped(
  session: Session,
  { reason, as: typed, ...given }: Scoped & { reason: string; withRefunds?: true },
): Promise<Report> {
  const by = nameOf(session.acting, typed);
  const scope = await scopeOf(session, given);
  const withRefunds = given.withRefunds === true;
  const record = recordOf(session.acting);
  const stopId = await stopPayouts(session.context.db, scope, { by, reason, withRefunds, record });
  const text = [
    `${capital(whatOf(scope, withRefunds))} are stopped by ${by}: from now on none is sent, and new ones wait.`,
    'What was sent before goes on at its provider.',
    `malipo start payouts${optionsOf(scope)} lets them go on.`,
  ].join('\n');
  return {
    json: { stop_id: stopId, ...namesOf(scope), with_refunds: withRefunds, reason, begun_by: by },
    text,
  };
}

async function started(session: Session, { as: typed, ...given }: Scoped): Promise<Report> {
  const by = nameOf(session.acting, typed);
  const { db } = session.context;
  const scope = await scopeOf(session, given);
  const ended = await startPayouts(db, scope, { by, record: recordOf(session.acting) });
  const left = await findPayoutStops(db);
  if (ended.length === 0) {
    const which =
      left.length === 0 ? 'Nothing is stopped.' : `What is stopped: ${left.map(optionsOfRow).join('; ')}.`;
    const isRestored = left.some(({ begun_by: beginner }) => beginner === restorerName);
    const ofRestore = isRestored ? ' What a restore has stopped, malipo restore end starts.' : '';
    throw new Refusal(`Exactly this is not stopped. ${which}${ofRestore}`);
  }
  const when = await hastenFew(session, (limit) => findStopped(db, scope, limit));
  const isProvers = ended.some(({ begun_by: beginner }) => beginner === proverName);
  const still = left.length === 0 ? '' : `Still stopped: ${left.map(optionsOfRow).join('; ')}.`;
  return {
    json: {
      ended: ended.map(({ stop_id: id }) => id),
      ended_by: by,
      in_force: left.map(({ stop_id: id }) => id),
    },
    text: [
      `${count(ended.length, 'stop')} of ${whatOf(scope, false)} ended by ${by}: what waited goes on by itself ${when}.`,
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
    optionsOfRow(stop),
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

const namesOf = ({ merchantId, rail, country }: StopScope) => ({
  merchant_id: merchantId ?? null,
  rail: rail ?? null,
  country: country ?? null,
});

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

/** As they are given to the command. */
function optionsOf({ merchantId, rail, country }: StopScope): string {
  const given = { merchant: merchantId, rail, country };
  return Object.entries(given)
    .map(([name, value]) => (value === undefined ? '' : ` --${name} ${value}`))
    .join('');
}

function optionsOfRow({
  merchant_id: merchantId,
  rail,
  country,
  with_refunds: refunds,
}: PayoutStopRow): string {
  const scope = {
    merchantId: merchantId ?? undefined,
    rail: rail ?? undefined,
    country: country ?? undefined,
  };
  return `payouts${refunds === 1 ? ' with refunds' : ''}${optionsOf(scope)}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
