import { attention, fault, ok } from '../../domain/diagnosis';
import { misfitOf, standingOf } from '../../store/migrating/standing';
import { newestMigration } from '../../store/migrations';
import { findRunningProcesses, toldRunning } from '../../store/processes';
import type { Checkup } from './checkup';

/** Whether database, this version and the processes that run are of one age. */
export const schemaCheckups: Checkup[] = [
  {
    name: 'schema',
    async examine({ db }) {
      const standing = await standingOf(db);
      const misfit = misfitOf(standing);
      if (misfit !== undefined) return fault(`${capital(misfit)}.`);
      const { pending, unknown } = standing;
      if (unknown.length > 0)
        return attention(
          `The database is newer than this version, which goes on: it has ${namesOf(unknown)}.`,
        );
      if (pending.length > 0)
        return attention(`To be applied, while all goes on: ${namesOf(pending)}.`, 'malipo migrate up');
      return ok('The schema is current.');
    },
  },
  {
    name: 'processes',
    async examine({ db }) {
      const running = await findRunningProcesses(db);
      const others = running.filter(({ knows }) => knows !== newestMigration);
      if (others.length > 0)
        return attention(
          `Processes of another version run: ${toldRunning(others)}. This one is at ${newestMigration}.`,
        );
      return ok(
        running.length > 0 ? `Running: ${toldRunning(running)}.` : 'No process has said that it runs.',
      );
    },
  },
];

function namesOf(migrations: { name: string }[]): string {
  return migrations.map(({ name }) => name).join(', ');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
