import { fault } from '../../domain/diagnosis';
import { isUnreachable, textOf } from '../../operator-actions/errors';
import { diskFullErrno, onRejection, type RejectionReason } from '../../store/database';
import { isDatabaseUnavailable } from '../../store/transaction';
import { count } from '../table';
import { attentionCheckups, limitCheckups, callbackCheckups } from './attention-checkups';
import type { Checkup, CheckupResult, Patient } from './checkup';
import {
  accountCheckups,
  backupCheckups,
  databaseCheckups,
  schemaCheckups,
  takesNoWrites,
} from './database-checkups';
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

/** Causes that many checks have in common: each is one fault, however many checks it stopped. */
const causes = [
  {
    name: 'database',
    sentence: "The database's disk is full: merchants get 503, and no payment is settled",
    isOf: (error: unknown) => diskFullErrno.has((error as { errno?: number }).errno ?? 0),
  },
  { name: 'database', sentence: 'The database does not answer', isOf: isDatabaseUnavailable },
  { name: 'temporal', sentence: 'Temporal does not answer', isOf: isUnreachable },
] as const;

/** Fewer than the pool has connections: a check that waits for one would report a database that does not answer. */
const together = 4;
/** A check waits for Temporal at most this long. */
const patienceMs = 5_000;

/** Runs all checks of a deployment. A check that throws becomes a fault, and the others still run. */
export async function examine(patient: Patient): Promise<CheckupResult[]> {
  const stopped = new Map<(typeof causes)[number], { by: unknown; checks: number }>();
  const rejections = new Set<RejectionReason>();
  // The pool has no connection to a read-only server, and would only report that it waited.
  const endNoting = onRejection((reason) => rejections.add(reason));
  const run = async ({ name, examine: check }: Checkup): Promise<CheckupResult[]> => {
    try {
      const diagnosis = await patient.client.withDeadline(Date.now() + patienceMs, () => check(patient));
      return [{ name, ...diagnosis }];
    } catch (error) {
      const cause = causes.find(({ isOf }) => isOf(error));
      if (cause === undefined) return [{ name, ...fault(`This check failed to run: ${textOf(error)}`) }];
      const { by = error, checks = 0 } = stopped.get(cause) ?? {};
      stopped.set(cause, { by, checks: checks + 1 });
      return [];
    }
  };
  const results: CheckupResult[] = [];
  for (let from = 0; from < checkups.length;) {
    // The first checks find what is silent: then the others end by their time limits, all at once.
    const next = checkups.slice(from, stopped.size > 0 ? undefined : from + together);
    results.push(...(await Promise.all(next.map(run))).flat());
    from += next.length;
  }
  endNoting();
  const common = [...stopped].map(([{ name, sentence }, { by, checks }]): CheckupResult => {
    const [what, why] =
      name === 'database' && rejections.has('read_only')
        ? [takesNoWrites, 'it is read-only']
        : [sentence, textOf(by)];
    return { name, ...fault(`${what}: ${why}. ${count(checks, 'check')} did not run.`, 'docs/runbooks.md') };
  });
  return [...common, ...results];
}
