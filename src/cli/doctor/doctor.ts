import { fault } from '../../domain/diagnosis';
import { textOf } from '../../operator-actions/errors';
import { accountCheckups } from './account-checkups';
import { attentionCheckups } from './attention-checkups';
import { backupCheckups } from './backup-checkups';
import { callbackCheckups } from './callback-checkups';
import { floatCheckups } from './float-checkups';
import { lineCheckups } from './line-checkups';
import { limitCheckups } from './limit-checkups';
import type { Checkup, Finding, Patient } from './checkup';
import { databaseCheckups } from './database-checkups';
import { schemaCheckups } from './schema-checkups';
import { statementCheckups } from './statement-checkups';
import { temporalCheckups } from './temporal-checkups';
import { tracingCheckups } from './tracing-checkups';
import { versionCheckups } from './version-checkups';

const checkups: readonly Checkup[] = [
  ...databaseCheckups,
  ...schemaCheckups,
  ...backupCheckups,
  ...accountCheckups,
  ...lineCheckups,
  ...temporalCheckups,
  ...versionCheckups,
  ...attentionCheckups,
  ...limitCheckups,
  ...callbackCheckups,
  ...floatCheckups,
  ...statementCheckups,
  ...tracingCheckups,
];

/** Examines a deployment. What cannot be examined is a fault of its own, and the rest is examined all the same. */
export function examine(patient: Patient): Promise<Finding[]> {
  return Promise.all(
    checkups.map(async ({ name, examine: look }) => {
      const diagnosis = await look(patient).catch((error: unknown) =>
        fault(`Could not be examined: ${textOf(error)}`),
      );
      return { name, ...diagnosis };
    }),
  );
}
