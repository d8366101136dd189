/** Payments as the engine writes them, without its providers. */
import { randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { PaymentKind, PaymentState } from '../../../src/domain/payment';
import { openAccount, type AccountKey } from '../../../src/ledger/accounts';
import { placeHold } from '../../../src/ledger/holds';
import { secretBox } from '../../../src/merchants/secrets';
import { openCase } from '../../../src/controls/cases';
import {
  disputedAccounts,
  reserveDisputed,
  lockDisputed,
} from '../../../src/payments/transition/disputed-funds';
import { railsOf, type PaymentsContext } from '../../../src/rail-kit/context';
import { holdKeysOf } from '../../../src/payments/transition/money-effects';
import { applyTransition, prepareTransition } from '../../../src/payments/transition/transition';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import type { Operation, Rail, Refunding } from '../../../src/rail-kit/rail';
import type { Database, Transaction } from '../../../src/store/database';
import type { PaymentRow } from '../../../src/store/tables';
import { aRail } from '../undescribed';

const notUsed = () => Promise.reject(new Error('no provider is asked here'));

function operation(sendsWebhook: boolean): Operation {
  return {
    workflowType: 'testPayment',
    flow: 'collection',
    policy: {
      version: 1,
      checksMs: [60_000],
      unknownDeadlineMs: 60_000,
      rechecksMs: [],
      watchMs: 60_000,
      queuedMaxMs: 60_000,
      confirmDelaysMs: [1_000],
      afterWarningChecksMs: [3_600_000],
    },
    uncertainty: {
      whenAnswerLost: 'stay_unknown',
      onTimeout: () => 'time_out',
      whenSuccessIsLate: 'correct',
      whenAmountDiffers: 'open_case',
      whenFailed: 'end',
      trustQueriedFailureAfterMs: 0,
      trustTentativeFailureAfterMs: 0,
      followUnverifiedMs: 0,
    },
    initiate: notUsed,
    retrieveStatus: notUsed,
    readNotification: () => ({ kind: 'open' }),
    notificationsAreTrusted: false,
    webhookOf: ({ payment_id, state }) => ({
      callbackType: 'Test',
      endpoint: 'webhook_url',
      body: { payment_id, state },
    }),
    sendsWebhook: ({ is_final }) => sendsWebhook && is_final === 1,
  };
}

function rail(name: string, sendsWebhook: boolean): Rail {
  const all = operation(sendsWebhook);
  return {
    name,
    description: aRail,
    operations: { deposit: all, payout: all, refund: all },
    endpoints: () => [],
    notificationRoutes: () => [],
  };
}

const noLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
export const box = secretBox([{ id: 'test', key: randomBytes(32) }]);

export function testContext(db: Database): PaymentsContext {
  return {
    db,
    rails: railsOf([rail('loud', true), rail('quiet', false)]),
    log: noLog,
    timeScale: 1,
    creationTimeoutMs: 20_000,
    observeTransition: () => undefined,
  };
}

/** A momo refund: the whole payment, from the wallet. */
export const refundAll: Refunding = async ({ accept }, call, { payment_id, rail, requested_minor }) => {
  const owner = { merchant_id: call.merchant.merchant_id, rail, currency: 'KES' as const, country: null };
  const { payment } = await accept(call, {
    ...{ rail, kind: 'refund', provider: 'test', currency: 'KES', parentId: payment_id },
    requestedMinor: BigInt(requested_minor),
    hold: { ...holdKeysOf('refund', owner), whenShort: 'BALANCE_INSUFFICIENT' },
  });
  return payment;
};

export interface NewPayment {
  merchantId: string;
  kind?: PaymentKind;
  rail?: string;
  amountMinor?: bigint;
  with?: Partial<PaymentRow>;
}

export async function insertPayment(db: Database | Transaction, given: NewPayment): Promise<PaymentRow> {
  const paymentId = uuid();
  const amount = String(given.amountMinor ?? 10_000n);
  const now = new Date();
  await db('payments').insert({
    payment_id: paymentId,
    merchant_id: given.merchantId,
    rail: given.rail ?? 'loud',
    kind: given.kind ?? 'deposit',
    workflow_id: `test-payment/${paymentId}`,
    state: 'received',
    currency: 'KES',
    requested_minor: amount,
    instructed_currency: 'KES',
    instructed_minor: amount,
    provider: 'test',
    provider_reference: `ref-${paymentId}`,
    details: '{}' as never,
    created_at: now,
    accepted_at: now,
    updated_at: now,
    ...given.with,
  });
  return getPaymentOrThrow(db, paymentId);
}

/** Records a transition as the engine does. */
export async function transitionTo(
  context: PaymentsContext,
  paymentId: string,
  to: PaymentState,
  {
    cause = 'callback',
    notified = true,
    changes = {},
  }: {
    cause?: string;
    notified?: boolean;
    changes?: Partial<PaymentRow>;
  } = {},
): Promise<void> {
  const payment = await getPaymentOrThrow(context.db, paymentId);
  await prepareTransition(context.db, payment, to);
  await context.db.transaction(async (trx) => {
    const confirmed = to === 'succeeded' ? { confirmed_minor: payment.instructed_minor } : {};
    await applyTransition(trx, context, payment, {
      to,
      cause,
      notified,
      changes: { ...confirmed, ...changes },
    });
  });
}

export async function deposit(
  context: PaymentsContext,
  given: NewPayment,
  ...states: PaymentState[]
): Promise<string> {
  const { payment_id: id } = await insertPayment(context.db, given);
  for (const state of states) await transitionTo(context, id, state);
  return id;
}

/** The same reference paid again by the same customer: the first payment, and its possible duplicate. */
export async function createDuplicate(
  context: PaymentsContext,
  merchantId: string,
  reference: string,
): Promise<[first: string, second: string]> {
  for (const { operations } of context.rails.all)
    if (operations.deposit) operations.deposit.purchase = { reference: ['account_reference'] };
  const changes = { account_reference: reference, phone_number: '254708374149' };
  const paid = () => deposit(context, { merchantId, with: changes }, 'initiating', 'pending', 'succeeded');
  return [await paid(), await paid()];
}

/** A deposit that its provider reports as disputed, with its reserve, as a scheduled check writes them. */
export async function contest(context: PaymentsContext, paymentId: string): Promise<void> {
  const { db } = context;
  const details = { warned_at: new Date().toISOString(), warning_vouched: 'yes' };
  await db('payments')
    .where({ payment_id: paymentId })
    .update({ details: JSON.stringify(details) as never });
  const disputedFunds = await disputedAccounts(db, await getPaymentOrThrow(db, paymentId));
  if (!disputedFunds) throw new Error(`payment ${paymentId} is not contested`);
  await db.transaction(async (trx) => {
    await lockDisputed(trx, disputedFunds);
    await openCase(trx, paymentId, { reason: 'disputed', detail: 'told' });
    await reserveDisputed(trx, disputedFunds);
  });
}

/** A payout from a float, or a refund from the wallet, with its reserve. */
export async function payOut(
  context: PaymentsContext,
  given: NewPayment & { kind: 'payout' | 'refund' },
  ending?: 'succeeded' | 'failed' | 'cancelled',
): Promise<string> {
  const { db } = context;
  const { merchantId, kind, amountMinor = 10_000n } = given;
  const keys: [AccountKey, AccountKey] =
    kind === 'refund'
      ? [
          { class: 'wallet', merchantId, currency: 'KES' },
          { class: 'wallet_reserved', merchantId, currency: 'KES' },
        ]
      : [
          { class: 'float', merchantId, rail: 'loud', country: 'KEN', currency: 'KES' },
          { class: 'float_reserved', merchantId, rail: 'loud', country: 'KEN', currency: 'KES' },
        ];
  const [from, reserved] = await Promise.all([openAccount(db, keys[0]), openAccount(db, keys[1])]);
  const id = await db.transaction(async (trx) => {
    const { payment_id: paymentId } = await insertPayment(trx, {
      ...given,
      with: { ...given.with, details: JSON.stringify({ country: 'KEN' }) as never },
    });
    await placeHold(trx, { paymentId, from, reserved, amountMinor, whenShort: 'FLOAT_INSUFFICIENT' });
    return paymentId;
  });
  await transitionTo(context, id, 'initiating');
  await transitionTo(context, id, 'pending');
  if (ending) {
    await transitionTo(context, id, ending);
  }
  return id;
}
