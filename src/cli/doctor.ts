import type { Command } from 'commander';
import { ConfigError } from '../config';
import { InputError } from '../operator-actions/errors';
import type { Finding } from './doctor/checkup';
import { examine } from './doctor/doctor';
import { findBackupStamp } from './settings';
import { examineProviders, nothingToExamine } from './doctor/live';
import { complain, tell, type Report } from './report';
import type { Io, Session } from './session';
import { count, table } from './table';

const marks = { ok: 'ok', attention: 'LOOK', fault: 'FAULT' } as const;
/** Temporal is waited for as long as an operator has patience. */
const patienceMs = 5_000;

/** Opens its session itself: settings that are not usable are its first diagnosis. */
export function doctorCommand(program: Command, io: Io, exit: (code: number) => void): void {
  program
    .command('doctor')
    .description('examine settings, database, Temporal and worker, and say what waits for a person')
    .option(
      '--live <rail>',
      "examine a rail's account at its configured provider instead; nothing is moved or changed there",
    )
    .action(async ({ json, live }: { json?: true; live?: string }) => {
      const wantsJson = json === true;
      const look =
        live === undefined
          ? (session: Session) => examineDeployment(session, io.env)
          : (session: Session) => examineLive(session, live);
      try {
        const report = await diagnose(io, look);
        tell(io, wantsJson, report);
        exit(report.ok === true ? 0 : 1);
      } catch (error) {
        exit(complain(io, wantsJson, error));
      }
    });
}

async function diagnose(io: Io, look: (session: Session) => Promise<Report>): Promise<Report> {
  let session: Session;
  try {
    session = await io.openSession(io);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return reportOf([{ name: 'settings', level: 'fault', sentence: error.message }]);
  }
  try {
    return await look(session);
  } finally {
    await session.close();
  }
}

async function examineDeployment(
  { config, client, context, versions }: Session,
  env: NodeJS.ProcessEnv,
): Promise<Report> {
  const rails = context.rails.all.map(({ name }) => name).join(', ');
  const settings: Finding = {
    name: 'settings',
    level: 'ok',
    sentence: `The settings of ${config.environment} are complete, with the rails ${rails}.`,
  };
  const findings = await client.withDeadline(Date.now() + patienceMs, () =>
    examine({
      config,
      env,
      client,
      db: context.db,
      outflowDefaults: context.outflowDefaults === true,
      backupStamp: findBackupStamp(env),
      versions,
    }),
  );
  return reportOf([settings, ...findings]);
}

async function examineLive(session: Session, name: string): Promise<Report> {
  const { all } = session.context.rails;
  const rail = all.find((one) => one.name === name);
  if (!rail) {
    const names = all.map((one) => one.name).join(', ');
    throw new InputError(`No rail is called ${name}; this deployment has ${names}.`);
  }
  const providers = await examineProviders(rail, session);
  const findings = providers.flatMap((provider) => provider.findings);
  const { json, text, ok } = reportOf(
    findings.length > 0 ? findings : [{ name: 'provider', ...nothingToExamine }],
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

function reportOf(findings: Finding[]) {
  const faults = findings.filter(({ level }) => level === 'fault').length;
  const looks = findings.filter(({ level }) => level === 'attention').length;
  const verdict =
    faults > 0
      ? `${count(faults, 'fault')} found.`
      : looks > 0
        ? `Healthy; ${count(looks, 'thing')} to look at.`
        : 'Healthy.';
  const rows = findings.map(({ name, level, sentence, mend }) => [
    marks[level],
    name,
    mend === undefined ? sentence : `${sentence}\n  → ${mend}`,
  ]);
  return {
    json: { healthy: faults === 0, findings },
    text: `${table(['', 'what', ''], rows)}\n\n${verdict}`,
    ok: faults === 0,
  };
}
