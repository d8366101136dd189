import { fault } from '../../domain/diagnosis';
import { textOf } from '../../operator-actions/errors';
import { attentionCheckups, limitCheckups, callbackCheckups } from './attention-checkups';
import type { Checkup, Finding, Patient } from './checkup';
import { accountCheckups, backupCheckups, databaseCheckups, schemaCheckups } from './database-checkups';
import { floatCheckups, statementCheckups } from './statement-checkups';
import { lineCheckups, temporalCheckups, versionCheckups } from './temporal-checkups';
import { tracingCheckups } from './tracing-checkups';

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
