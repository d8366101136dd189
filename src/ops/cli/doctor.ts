import type { Command } from 'commander';
import { ConfigError } from '../../config';
import type { Finding } from '../doctor/checkup';
import { examine } from '../doctor/doctor';
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
    .action(async (options: { json?: true }) => {
      const wantsJson = options.json === true;
      try {
        const report = reportOf(await diagnose(io));
        tell(io, wantsJson, report);
        exit(report.ok === true ? 0 : 1);
      } catch (error) {
        exit(complain(io, wantsJson, error));
      }
    });
}

async function diagnose(io: Io): Promise<Finding[]> {
  let session: Session;
  try {
    session = await io.openSession(io);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [{ name: 'settings', level: 'fault', sentence: error.message }];
  }
  try {
    const { config, client, context } = session;
    const rails = context.rails.all.map(({ name }) => name).join(', ');
    const settings: Finding = {
      name: 'settings',
      level: 'ok',
      sentence: `The settings of ${config.environment} are complete, with the rails ${rails}.`,
    };
    const findings = await client.withDeadline(Date.now() + patienceMs, () =>
      examine({ config, client, db: context.db }),
    );
    return [settings, ...findings];
  } finally {
    await session.close();
  }
}

function reportOf(findings: Finding[]): Report {
  const faults = findings.filter(({ level }) => level === 'fault').length;
  const looks = findings.filter(({ level }) => level === 'attention').length;
  const verdict =
    faults > 0
      ? `${count(faults, 'fault')} found.`
      : looks > 0
        ? `Healthy; ${count(looks, 'thing')} to look at.`
        : 'Healthy.';
  return {
    json: { healthy: faults === 0, findings },
    text: `${table(
      ['', 'what', ''],
      findings.map(({ name, level, sentence }) => [marks[level], name, sentence]),
    )}\n\n${verdict}`,
    ok: faults === 0,
  };
}
