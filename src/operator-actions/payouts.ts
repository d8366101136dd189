/** Pauses and resumes payouts, and releases a payout on hold. */
import Joi from 'joi';
import { releasePayout } from '../controls/holds';
import {
  findPayoutPauses,
  restorerName,
  resumePayouts,
  pausePayouts,
  type PauseScope,
} from '../controls/pauses';
import { findStopped } from '../payments/submit/put-on-hold';
import type { PayoutPauseRow } from '../store/tables';
import { defineAction, type ActionScope, type Names } from './action';
import { ActionError, InputError } from './errors';
import { country, id, note, reason } from './fields';
import { paymentNames } from './names';
import { retryFew } from './workflows';

interface ScopeInput {
  merchant_id?: string;
  rail?: string;
  country?: string;
}

const scopeFields = { merchant_id: id, rail: id, country };

/** @throws ActionError for an unknown merchant: a pause without effect must not look like a pause. */
async function scopeOf(
  { context }: ActionScope,
  { merchant_id: merchantId, rail, country: to }: ScopeInput,
): Promise<PauseScope> {
  const rails = context.rails.all.map(({ name }) => name);
  if (rail !== undefined && !rails.includes(rail))
    throw new InputError(`The rail must be one of ${rails.join(', ')}, not "${rail}".`);
  if (merchantId !== undefined) {
    const known = await context.db('merchants').where({ merchant_id: merchantId }).first('merchant_id');
    if (!known) throw new ActionError(`There is no merchant ${merchantId}.`);
  }
  return { merchantId, rail, country: to };
}

const scopeNames = (_: unknown, { rail, country: to }: ScopeInput): Promise<Names> =>
  Promise.resolve({
    place: [rail, to].filter(Boolean).length > 0 ? ` (${[rail, to].filter(Boolean).join(' · ')})` : '',
  });

interface StopInput extends ScopeInput {
  reason: string;
  with_refunds: boolean;
}

export interface PauseResult {
  pause_id: string;
  merchant_id: string | null;
  rail: string | null;
  country: string | null;
  with_refunds: boolean;
  reason: string;
  begun_by: string;
}

export interface ResumeResult {
  ended: string[];
  ended_by: string;
  in_force: string[];
  /** The ended pauses, and those still in force, oldest first. */
  ended_stops: PayoutPauseRow[];
  left: PayoutPauseRow[];
  goes_on: 'at once' | 'within a minute';
}

export interface ReleaseResult {
  payment_id: string;
  released_by: string;
  reason: string;
  goes_on: 'at once' | 'within a minute';
}

/** One operator can do these alone: a pause loses no money. */
const alone = {
  version: 1,
  right: 'act',
  approval: 'never',
  writes: 'database',
  keepsTypedName: true,
} as const;

/** The options of the command for a pause, for a sentence that says what to type. */
export function pauseOptions({
  merchant_id: merchantId,
  rail,
  country: to,
  with_refunds: refunds,
}: Pick<PayoutPauseRow, 'merchant_id' | 'rail' | 'country' | 'with_refunds'>): string {
  const named = Object.entries({ merchant: merchantId, rail, country: to });
  const options = named.map(([name, value]) => (value === null ? '' : ` --${name} ${value}`));
  return `payouts${refunds === 1 ? ' with refunds' : ''}${options.join('')}`;
}

/** @throws ActionError that lists the pauses in force. */
function denyNothingStopped(inForce: readonly PayoutPauseRow[]): never {
  const which =
    inForce.length === 0 ? 'Nothing is paused.' : `Paused: ${inForce.map(pauseOptions).join('; ')}.`;
  const isRestored = inForce.some(({ begun_by: beginner }) => beginner === restorerName);
  const ofRestore = isRestored ? ' Payouts that a restore has paused are resumed by malipo restore end.' : '';
  throw new ActionError(`Exactly this scope is not paused. ${which}${ofRestore}`);
}

export const payoutActions = {
  'payouts.pause': defineAction<StopInput, PauseResult>({
    ...alone,
    schema: Joi.object<StopInput>({
      ...scopeFields,
      reason: reason.required(),
      with_refunds: Joi.boolean().required(),
    }),
    phrase: {
      en: 'pause payouts of {merchant}{place}',
      sw: 'kusimamisha malipo ya nje ya {merchant}{place}',
    },
    names: scopeNames,
    async run(scope, { reason: why, with_refunds: withRefunds, ...of }) {
      const { name: by, record } = scope.acting;
      const stops = await scopeOf(scope, of);
      const stopId = await pausePayouts(scope.context.db, stops, { by, reason: why, withRefunds, record });
      return {
        pause_id: stopId,
        ...{ merchant_id: of.merchant_id ?? null, rail: of.rail ?? null, country: of.country ?? null },
        ...{ with_refunds: withRefunds, reason: why, begun_by: by },
      };
    },
  }),

  'payouts.resume': defineAction<ScopeInput, ResumeResult>({
    ...alone,
    schema: Joi.object<ScopeInput>(scopeFields),
    phrase: {
      en: 'resume payouts of {merchant}{place}',
      sw: 'kuruhusu malipo ya nje ya {merchant}{place} yaendelee',
    },
    names: scopeNames,
    async run(scope, of) {
      const { db } = scope.context;
      const { name: by, record } = scope.acting;
      const stops = await scopeOf(scope, of);
      const ended = await resumePayouts(db, stops, { by, record });
      const left = await findPayoutPauses(db);
      if (ended.length === 0) denyNothingStopped(left);
      const goesOn = await retryFew(scope, (limit) => findStopped(db, stops, limit));
      return {
        ...{ ended: ended.map(({ pause_id: stopId }) => stopId), ended_by: by },
        in_force: left.map(({ pause_id: stopId }) => stopId),
        ...{ ended_stops: ended, left, goes_on: goesOn },
      };
    },
  }),

  'hold.release': defineAction<{ payment_id: string; note: string }, ReleaseResult>({
    ...alone,
    schema: Joi.object<{ payment_id: string; note: string }>({
      payment_id: id.required(),
      note: note.required(),
    }),
    phrase: {
      en: 'release a payout of {amount} by {merchant}',
      sw: 'kuruhusu malipo ya nje ya {amount} ya {merchant} yaendelee',
    },
    names: (db, { payment_id: paymentId }) => paymentNames(db, paymentId),
    async run(scope, { payment_id: paymentId, note: why }) {
      const { db } = scope.context;
      const { name: by, record } = scope.acting;
      const release = await releasePayout(db, paymentId, { by, note: why, record });
      switch (release.kind) {
        case 'not_held':
          throw new ActionError(
            `Payout ${paymentId} was never on hold; malipo hold list shows payouts on hold.`,
          );
        case 'ended':
          throw new ActionError(`Payout ${paymentId} is ${release.state}, and will not be sent.`);
        case 'released_before':
          throw new ActionError(
            `Payout ${paymentId} is already released, by ${release.hold.released_by ?? '-'}.`,
          );
        case 'released': {
          const goesOn = await retryFew(scope, () => db('payments').where({ payment_id: paymentId }));
          return { payment_id: paymentId, released_by: by, reason: release.hold.reason, goes_on: goesOn };
        }
      }
    },
  }),
};
