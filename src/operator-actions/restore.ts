/** A restore to the past: payouts are paused until the providers' statements show what was paid in the meantime. */
import Joi from 'joi';
import { searchAttributes } from '../domain/search-attributes';
import { isDay } from '../ledger/utc-days';
import {
  beginRestore,
  endRestore,
  findRestore,
  findRestores,
  restoreProgress,
  type Restore,
  type RestoreStatus,
  type RestoreProgress,
} from '../payments/recovery/restore';
import { findStopped } from '../payments/submit/put-on-hold';
import { runningText } from '../store/processes';
import { defineAction, type ActionScope, type Deployment, type Words } from './action';
import { ActionError, InputError } from './errors';
import { id, readBy } from './fields';
import { readWords } from './read';
import { retryFew } from './workflows';

interface BeginInput {
  /** The time of the backup, in ISO 8601 with its zone. */
  to: string;
  reason: string;
}

export interface BegunRestore {
  pause_id: string;
  restored_to: string;
  /** Payments that were not sent at the time of the backup, but may have been sent since. */
  presumed_sent: number;
  open_workflows: number;
}

interface EndInput {
  /** The pause of the restore to end: a late approval must not end a later restore. */
  pause_id: string;
  note: string;
  /** Rails whose statements an operator has read. */
  checked?: string[];
  /** Ends the restore although unmatched receipts of payouts are open. */
  with_unmatched?: boolean;
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
  if (!isWhole || !isDay(text.slice(0, 10)) || Number.isNaN(moment.getTime()))
    throw new InputError(`"${text}" is not a time with its zone; write it like 2026-11-30T02:15:00Z.`);
  if (moment.getTime() > Date.now()) throw new InputError('The time of the backup must be in the past.');
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
      en: 'record that the database was restored to {to}: payouts are paused until it is checked',
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
            `${runningText(begun.running)} used this database within the last minute: stop every process, wait a minute, ` +
              'and try again.',
          );
        case 'begun_before':
          throw new ActionError('A restore is already in progress; see malipo restore status.');
        case 'begun':
          return {
            pause_id: begun.stopId,
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
      pause_id: id.required(),
      note: readBy(readWords('The note', 300)).required(),
      checked: Joi.array().items(id).max(50),
      with_unmatched: Joi.boolean(),
    }),
    phrase: {
      en: 'resume payouts after the restore{to}: waiting payouts are sent',
      sw: 'kumaliza usimamishaji wa malipo ya nje baada ya kurejesha{to}: yote yaliyozuiwa yanatumwa',
    },
    names: async (db, { pause_id: stopId }) => ({ to: restoredTo(await findRestores(db), stopId) }),
    run: endOfRestore,
  }),
};

function restoredTo(restores: readonly RestoreStatus[], stopId: string): Words | undefined {
  const reported = restores.find((one) => one.stopId === stopId)?.restoredTo.toISOString();
  return { en: reported ? ` to ${reported}` : '', sw: reported ? ` hadi ${reported}` : '' };
}

/** The time limit of the query: Temporal may not run yet. */
const askTemporalMs = 2_000;

/**
 * @returns how many payment workflows Temporal still runs; undefined if it does not answer. A workflow that is ahead of its
 *   payment's row does no harm, but it never does what the row still needs.
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

/** @throws ActionError if no restore is in progress. */
export async function restoreNow({
  context,
}: Pick<Deployment, 'context'>): Promise<{ restore: Restore; stand: RestoreProgress }> {
  const restore = await findRestore(context.db);
  if (!restore) throw new ActionError('No restore is in progress.');
  return { restore, stand: await restoreProgress(context, restore) };
}

async function endOfRestore(
  scope: ActionScope,
  { pause_id: stopId, note, checked = [], with_unmatched: withUnmatched = false }: EndInput,
): Promise<EndedRestore> {
  const { restore, stand } = await restoreNow(scope);
  if (restore.stop.pause_id !== stopId)
    throw new ActionError(
      'This request belongs to an earlier restore. Check the current restore, and request it again.',
    );
  const unknown = checked.find((name) => !stand.rails.some(({ rail }) => rail === name));
  if (unknown !== undefined) throw new InputError(`There is no rail "${unknown}" with payouts or refunds.`);
  const missing = stand.rails.filter(({ rail, isCovered }) => !isCovered && !checked.includes(rail));
  if (missing.length > 0) {
    const which = missing.map(({ rail }) => rail).join(', ');
    throw new ActionError(
      `The statements of ${which} do not cover the whole time since the backup: upload them with malipo reconcile, ` +
        'or use --checked if an operator has read them.',
    );
  }
  if (stand.unmatchedReceipts.length > 0 && !withUnmatched) {
    const payouts =
      stand.unmatchedReceipts.length === 1 ? '1 payout' : `${String(stand.unmatchedReceipts.length)} payouts`;
    throw new ActionError(
      `Unmatched receipts of ${payouts} are open: assign them with malipo unmatched assign, or use --with-unmatched.`,
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
  if (ended.length === 0) throw new ActionError('Another operator has ended it in the meantime.');
  const goesOn = await retryFew(scope, (limit) => findStopped(context.db, {}, limit));
  return {
    ended: ended.map(({ pause_id: endedId }) => endedId),
    ...{ ended_by: acting.name, note, goes_on: goesOn },
  };
}
