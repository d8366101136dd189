/** Moves time forward in the sandbox. */
import { WorkflowNotFoundError } from '@temporalio/client';
import Joi from 'joi';
import { request } from 'undici';
import { settledStates } from '../domain/payment';
import { findByAnyId } from '../payments/read/payments';
import { inPages, unfinishedIds } from '../payments/recovery/sweeper';
import type { PaymentRow } from '../store/tables';
import { inTransaction } from '../store/transaction';
import { defineAction, type ActionScope, type Deployment } from './action';
import { ActionError, textOf } from './errors';
import { forEachWorkflow, type Signalled } from './workflows';

/** The simulator's clock moves at most this far in one step. */
const advanceMaxMs = 366 * 86_400_000;
/** Without a worker the call to a workflow would never return. */
const patienceMs = 10_000;

interface AdvanceInput {
  ms: number;
  /** Only for this payment, by any of its ids. */
  payment?: string;
}

export interface Advanced {
  advanced_ms: number;
  payment_id?: string;
  payments: number;
  vouchers: number;
  webhooks: number;
  simulator: boolean;
  not_advanced: Signalled['failed'];
}

export const sandboxActions = {
  'sandbox.advance': defineAction<AdvanceInput, Advanced>({
    ...{ version: 1, right: 'act', approval: 'never', writes: 'elsewhere' },
    schema: Joi.object<AdvanceInput>({
      ms: Joi.number()
        .integer()
        .min(1)
        .max(advanceMaxMs)
        .required()
        .messages({ 'number.max': 'Time moves forward by at most 366d at once.' }),
      // Also the provider's or the merchant's id.
      payment: Joi.string().max(160),
    }),
    phrase: { en: 'move time forward in the sandbox', sw: 'kusogeza muda katika mazingira ya majaribio' },
    subject: ({ payment = '' }) => ({ kind: 'sandbox', id: payment }),
    preview: (_, { ms }) =>
      Promise.resolve([{ of: { kind: 'sandbox', id: '' }, field: 'ahead_ms', from: null, to: ms }]),
    run: advance,
  }),
};

async function advance(scope: ActionScope, { ms, payment: id }: AdvanceInput): Promise<Advanced> {
  const { client, context, config } = scope;
  if (config.environment === 'live') throw new ActionError('Time cannot be moved in live.');

  // When a workflow advances, it reads webhooks, payments and the provider. So those are advanced first.
  const only = id === undefined ? undefined : await paymentOf(scope, id);
  const payments: PaymentRow[] = [];
  for await (const page of inPages(context.db, await unfinishedIds(context)))
    payments.push(...page.filter(({ payment_id }) => only === undefined || payment_id === only.payment_id));
  const webhooks = await bringForward(scope, ms, only?.payment_id);
  const simulator = await advanceSimulator(scope, ms, only);
  let ended = 0;
  const inTime = async (moveTime: () => Promise<void>) => {
    try {
      await client.withDeadline(Date.now() + patienceMs, moveTime);
    } catch (error) {
      // The workflow has ended since the list was read, so it has no timer.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      ended += 1;
    }
  };
  const moved = await forEachWorkflow(payments, (payment) => inTime(() => scope.engine.advance(payment, ms)));
  const vouchers = only ? [] : await context.db('vouchers').where({ state: 'active' });
  for (const voucher of vouchers) await inTime(() => scope.vouchers.advance(voucher, ms));
  return {
    advanced_ms: ms,
    ...(only && { payment_id: only.payment_id }),
    ...{ payments: moved.done - ended, vouchers: vouchers.length, webhooks, simulator },
    not_advanced: moved.failed,
  };
}

async function paymentOf({ context }: Deployment, id: string): Promise<PaymentRow> {
  const rails = context.rails.all.map(({ name }) => name);
  const [payment, ...others] = await findByAnyId(context.db, rails, id);
  if (!payment || others.length > 0)
    throw new ActionError(
      payment ? `Several payments have the id "${id}".` : `No payment has the id "${id}".`,
    );
  return payment;
}

/**
 * Moves time forward in the database: payments become older, and due times come nearer, at most to now. Times that say when
 * something happened do not change. @returns how many webhooks come nearer.
 * @param paymentId only for this payment
 */
function bringForward({ context: { db } }: Deployment, ms: number, paymentId?: string): Promise<number> {
  const onlyIt = paymentId === undefined ? {} : { payment_id: paymentId };
  const nearer = (column: string) =>
    db.raw<Date>('GREATEST(?? - INTERVAL ? MICROSECOND, LEAST(??, UTC_TIMESTAMP(3)))', [
      column,
      ms * 1_000,
      column,
    ]);
  return inTransaction(db, async (trx) => {
    if (paymentId === undefined) {
      await trx('sandbox_clock').where({ id: 1 }).increment('ahead_ms', ms);
      await trx('vouchers')
        .where({ state: 'active' })
        .update({ expires_at: nearer('expires_at'), next_check_at: nearer('next_check_at') });
      await trx('webhook_endpoints')
        .whereNull('ended_at')
        .update({ next_at: nearer('next_at') });
      await trx('endpoint_resends').update({ next_at: nearer('next_at') });
    }
    await trx('payments')
      .where(onlyIt)
      .update({
        // For a minute, a payment that becomes due is left to its workflow. A settled payment has no waiting workflow, so it
        // is checked soon after the simulator's clock has moved.
        next_check_at: db.raw(
          `GREATEST(next_check_at - INTERVAL ? MICROSECOND,
                    LEAST(next_check_at, UTC_TIMESTAMP(3) + INTERVAL IF(state IN (${settledStates.map(() => '?').join(', ')}), 3, 60) SECOND))`,
          [ms * 1_000, ...settledStates],
        ),
      })
      .increment('clock_ahead_ms', ms);
    await trx('payout_holds')
      .where({ ...onlyIt, released_at: null })
      .update({ until_at: nearer('until_at') });
    await trx('inbox')
      .where(onlyIt)
      .whereIn('state', ['new', 'parked'])
      .update({ follow_at: nearer('follow_at') });
    await trx('duplicate_guards')
      .where(onlyIt)
      .update({ until_at: nearer('until_at') });
    await trx('payments')
      .where(onlyIt)
      .whereRaw('guarded_until > UTC_TIMESTAMP(3)')
      .update({ guarded_until: db.raw('GREATEST(guarded_from, ?)', [nearer('guarded_until')]) });
    return trx('outbox')
      .where({ ...onlyIt, state: 'pending' })
      .update({ next_at: nearer('next_at') });
  });
}

/** @param only the only payment that time moves for; without a provider reference, nothing is due at the simulator. */
async function advanceSimulator(
  { simulatorUrl }: Deployment,
  ms: number,
  only: PaymentRow | undefined,
): Promise<boolean> {
  if (simulatorUrl === undefined || only?.provider_reference === null) return false;
  const { statusCode, body } = await request(`${simulatorUrl}/control/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advance_ms: ms, ...(only && { of: only.provider_reference }) }),
  }).catch((error: unknown) => {
    throw new ActionError(`The simulator at ${simulatorUrl} cannot be reached (${textOf(error)}).`);
  });
  const answer = await body.text();
  if (statusCode !== 200)
    throw new ActionError(`The simulator did not move its clock: HTTP ${String(statusCode)} ${answer}`);
  return true;
}
