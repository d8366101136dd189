import type { Command } from 'commander';
import { verify, type VerifyReport } from '../verify/verify';
import { Refusal } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { count, table } from './table';

/** More rows of one check than this are for `--json`. */
const shownMax = 20;

export function verifyCommand(program: Command, run: Runner): void {
  program
    .command('verify')
    .description('check every promise about money and payments on one snapshot of the database')
    .option('--with-simulator', "compare with the simulated providers' own books, too")
    .action(run(verifyBooks));
}

async function verifyBooks(
  { context, simulatorUrl }: Session,
  { withSimulator }: { withSimulator?: true },
): Promise<Report> {
  if (withSimulator && simulatorUrl === undefined) {
    throw new Refusal('No simulator is known: set MALIPO_SIMULATOR_URL. Live providers have none.');
  }
  const report = await verify(context.db, context.rails, withSimulator ? { simulatorUrl } : {});
  return { json: report, text: textOf(report), ok: report.clean };
}

function textOf({ clean, checks, took_ms: tookMs }: VerifyReport): string {
  const broken = checks.filter(({ violations }) => violations.length > 0);
  const rows = checks.map(({ id, promise, violations }) => [
    id,
    violations.length === 0 ? 'kept' : count(violations.length, 'violation'),
    promise,
  ]);
  const lists = broken.map(({ id, promise, violations }) =>
    [
      `${id}: ${promise}`,
      ...violations.slice(0, shownMax).map((violation) => `  ${violation.id} ${violation.detail}`),
      ...(violations.length > shownMax
        ? [`  and ${String(violations.length - shownMax)} more; --json lists them`]
        : []),
    ].join('\n'),
  );
  const verdict = clean
    ? `All ${String(checks.length)} promises are kept.`
    : `${count(broken.length, 'promise')} of ${String(checks.length)} ${broken.length === 1 ? 'is' : 'are'} BROKEN.`;
  return [table(['check', 'result', 'promise'], rows), ...lists, `${verdict} (${String(tookMs)} ms)`].join(
    '\n\n',
  );
}
