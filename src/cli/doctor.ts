import type { Command } from 'commander';
import { ConfigError } from '../config';
import { InputError } from '../operator-actions/errors';
import type { CheckupResult } from './doctor/checkup';
import { examine } from './doctor/doctor';
import { findBackupStamp } from './settings';
import { examineProviders, nothingToExamine } from './doctor/live';
import { complain, printReport, type Report } from './report';
import type { Io, Session } from './session';
import { count, table } from './table';

const marks = { ok: 'ok', attention: 'LOOK', fault: 'FAULT' } as const;

/** Opens its session itself: it reports unusable settings as a fault. */
export function doctorCommand(program: Command, io: Io, exit: (code: number) => void): void {
  program
    .command('doctor')
    .description(
      'check the settings, the database, Temporal and the workers, and list what an operator must do',
    )
    .option(
      '--live <rail>',
      "check a rail's account at its configured provider instead; this moves no money and changes nothing there",
    )
    .action(async ({ json, live }: { json?: true; live?: string }) => {
      const wantsJson = json === true;
      const check =
        live === undefined
          ? (session: Session) => examineDeployment(session, io.env)
          : (session: Session) => examineLive(session, live);
      try {
        const report = await diagnose(io, check);
        printReport(io, wantsJson, report);
        exit(report.ok === true ? 0 : 1);
      } catch (error) {
        exit(complain(io, wantsJson, error));
      }
    });
}

async function diagnose(io: Io, check: (session: Session) => Promise<Report>): Promise<Report> {
  let session: Session;
  try {
    session = await io.openSession(io);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return reportOf([{ name: 'settings', level: 'fault', sentence: error.message }]);
  }
  try {
    return await check(session);
  } finally {
    await session.close();
  }
}

async function examineDeployment(
  { config, client, context, versions }: Session,
  env: NodeJS.ProcessEnv,
): Promise<Report> {
  const rails = context.rails.all.map(({ name }) => name).join(', ');
  const settings: CheckupResult = {
    name: 'settings',
    level: 'ok',
    sentence: `The settings of ${config.environment} are complete, with the rails ${rails}.`,
  };
  const results = await examine({
    config,
    env,
    client,
    db: context.db,
    outflowDefaults: context.outflowDefaults === true,
    backupStamp: findBackupStamp(env),
    versions,
  });
  return reportOf([settings, ...results]);
}

async function examineLive(session: Session, name: string): Promise<Report> {
  const { all } = session.context.rails;
  const rail = all.find((one) => one.name === name);
  if (!rail) {
    const names = all.map((one) => one.name).join(', ');
    throw new InputError(`There is no rail ${name}; this deployment has ${names}.`);
  }
  const providers = await examineProviders(rail, session);
  const results = providers.flatMap((provider) => provider.results);
  const { json, text, ok } = reportOf(
    results.length > 0 ? results : [{ name: 'provider', ...nothingToExamine }],
  );
  const titles = providers.map(({ title, isSimulated }) => (isSimulated ? `${title}, simulated` : title));
  return {
    json: {
      rail: name,
      providers: providers.map(({ title, isSimulated }) => ({ title, simulated: isSimulated })),
      ...json,
    },
    text: [`Rail ${name}: ${titles.join('; ')}`, '', text].join('\n'),
    ok,
  };
}

function reportOf(results: CheckupResult[]) {
  const faults = results.filter(({ level }) => level === 'fault').length;
  const checks = results.filter(({ level }) => level === 'attention').length;
  const verdict =
    faults > 0
      ? `${count(faults, 'fault')} found.`
      : checks > 0
        ? `Healthy; ${count(checks, 'finding')} to review.`
        : 'Healthy.';
  const rows = results.map(({ name, level, sentence, remedy }) => [
    marks[level],
    name,
    remedy === undefined ? sentence : `${sentence}\n  → ${remedy}`,
  ]);
  return {
    json: { healthy: faults === 0, findings: results },
    text: `${table(['', 'what', ''], rows)}\n\n${verdict}`,
    ok: faults === 0,
  };
}
