/** A restore to the past: nothing goes out until the providers' statements say what went out meanwhile. */
import Joi from 'joi';
import { searchAttributes } from '../domain/search-attributes';
import {
  beginRestore,
  endRestore,
  findRestore,
  findRestores,
  standOf,
  type Restore,
  type RestoreTold,
  type StandOfRestore,
} from '../payments/recovery/restore';
import { findStopped } from '../payments/submit/put-on-hold';
import { toldRunning } from '../store/processes';
import { defineAction, type ActionScope, type Deployment, type Words } from './action';
import { ActionError, InputError } from './errors';
import { id, readBy } from './fields';
import { readWords } from './read';
import { hastenFew } from './workflows';

interface BeginInput {
  /** When the backup was taken, in ISO 8601 with its zone. */
  to: string;
  reason: string;
}

export interface BegunRestore {
  stop_id: string;
  restored_to: string;
  /** Payments that had not been sent then, and may have been since. */
  presumed_sent: number;
  open_workflows: number;
}

interface EndInput {
  /** Which one is to end, by its stop: an approval that comes late ends no later one. */
  stop_id: string;
  note: string;
  /** Rails whose statements were read by a person. */
  checked?: string[];
  /** Although money went out of which nobody has said whose it is. */
  with_orphans?: boolean;
}

export interface EndedRestore {
  ended: string[];
  ended_by: string;
  note: string;
  goes_on: 'at once' | 'within a minute';
}

export function readMoment(text: string): Date {
  const moment = new Date(text);
  const isWhole = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}.*(?:Z|[+-]\d{2}:\d{2})$/.test(text);
  if (!isWhole || Number.isNaN(moment.getTime()))
    throw new InputError(`"${text}" is no moment with its zone; write it like 2026-11-30T02:15:00Z.`);
  if (moment.getTime() > Date.now()) throw new InputError('A backup was taken in the past.');
  return moment;
}

export const restoreActions = {
  'restore.begin': defineAction<BeginInput, BegunRestore>({
    ...{ version: 1, right: 'act', approval: 'never', writes: 'database' },
    schema: Joi.object<BeginInput>({
      to: readBy(readMoment).required(),
      reason: readBy(readWords('The reason', 300)).required(),
    }),
    phrase: {
      en: 'say that the database was restored to {to}: payouts stop until it is checked',
      sw: 'kusema kwamba hifadhidata ilirejeshwa hadi {to}: malipo ya nje yanasimama hadi ihakikishwe',
    },
    async run(scope, { to, reason: why }) {
      const moment = readMoment(to);
      const { context, acting } = scope;
      const begun = await beginRestore(context, moment, {
        reason: `restored to ${moment.toISOString()}: ${why}`,
        record: acting.record,
      });
      switch (begun.kind) {
        case 'in_use':
          throw new ActionError(
            `${toldRunning(begun.running)} used this database within the last minute: stop every process, wait a minute, ` +
              'and begin then.',
          );
        case 'begun_before':
          throw new ActionError('A restore has begun and is not over; see malipo restore status.');
        case 'begun':
          return {
            stop_id: begun.stopId,
            restored_to: moment.toISOString(),
            presumed_sent: begun.presumed,
            open_workflows: (await openWorkflows(scope)) ?? 0,
          };
      }
    },
  }),

  'restore.end': defineAction<EndInput, EndedRestore>({
    ...{ version: 2, right: 'act', approval: 'money', writes: 'database' },
    schema: Joi.object<EndInput>({
      stop_id: id.required(),
      note: readBy(readWords('The note', 300)).required(),
      checked: Joi.array().items(id).max(50),
      with_orphans: Joi.boolean(),
    }),
    phrase: {
      en: 'end the stop of payouts after the restore{to}: everything on hold goes out',
      sw: 'kumaliza usimamishaji wa malipo ya nje baada ya kurejesha{to}: yote yaliyozuiwa yanatumwa',
    },
    names: async (db, { stop_id: stopId }) => ({ to: restoredTo(await findRestores(db), stopId) }),
    run: endOfRestore,
  }),
};

function restoredTo(restores: readonly RestoreTold[], stopId: string): Words | undefined {
  const told = restores.find((one) => one.stopId === stopId)?.restoredTo.toISOString();
  return { en: told ? ` to ${told}` : '', sw: told ? ` hadi ${told}` : '' };
}

/** Temporal may not run yet, and is asked for no longer than this. */
const askTemporalMs = 2_000;

/**
 * @returns how many workflows of payments Temporal goes on with; undefined where it cannot be asked. One that is ahead of
 *   its payment does nothing wrong, and never what the payment waits for.
 */
function openWorkflows({ client }: Deployment): Promise<number | undefined> {
  return client
    .withDeadline(Date.now() + askTemporalMs, () =>
      client.workflow.count(`ExecutionStatus = 'Running' AND ${searchAttributes.merchant.name} IS NOT NULL`),
    )
    .then(
      ({ count: running }) => running,
      () => undefined,
    );
}

/** @throws ActionError where no restore has begun that is not over. */
export async function restoreNow({
  context,
}: Pick<Deployment, 'context'>): Promise<{ restore: Restore; stand: StandOfRestore }> {
  const restore = await findRestore(context.db);
  if (!restore) throw new ActionError('No restore has begun that is not over.');
  return { restore, stand: await standOf(context, restore) };
}

async function endOfRestore(
  scope: ActionScope,
  { stop_id: stopId, note, checked = [], with_orphans: withOrphans = false }: EndInput,
): Promise<EndedRestore> {
  const { restore, stand } = await restoreNow(scope);
  if (restore.stop.stop_id !== stopId)
    throw new ActionError(
      'This was asked for in another restore, which is over: look at this one, and ask again.',
    );
  const unknown = checked.find((name) => !stand.rails.some(({ rail }) => rail === name));
  if (unknown !== undefined) throw new InputError(`Nothing goes out over a rail called "${unknown}".`);
  const missing = stand.rails.filter(({ rail, isCovered }) => !isCovered && !checked.includes(rail));
  if (missing.length > 0) {
    const which = missing.map(({ rail }) => rail).join(', ');
    throw new ActionError(
      `No statement tells of all the time since the backup on ${which}: bring them with malipo reconcile, ` +
        'or say with --checked that a person has read them.',
    );
  }
  if (stand.orphans.length > 0 && !withOrphans) {
    const payouts = stand.orphans.length === 1 ? '1 payout' : `${String(stand.orphans.length)} payouts`;
    throw new ActionError(
      `Of ${payouts} nobody has said yet whose it is: malipo orphan claim, or --with-orphans.`,
    );
  }
  const { acting, context } = scope;
  const ended = await endRestore(context.db, {
    stopId,
    by: acting.name,
    record: (trx, { subject, details }) =>
      acting.record(trx, {
        subject,
        details: { ...details, restored_to: restore.copiedAt.toISOString() },
      }),
  });
  if (ended.length === 0) throw new ActionError('Somebody else has ended it meanwhile.');
  const goesOn = await hastenFew(scope, (limit) => findStopped(context.db, {}, limit));
  return {
    ended: ended.map(({ stop_id: endedId }) => endedId),
    ...{ ended_by: acting.name, note, goes_on: goesOn },
  };
}
