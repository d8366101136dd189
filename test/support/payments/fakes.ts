/** The payment engine on a real database, with a scripted rail and engine. */
import type { SubmissionAnswer } from '../../../src/domain/commands';
import type { SubmissionResult, ProviderResult } from '../../../src/domain/outcome';
import { railsOf, type PaymentsContext } from '../../../src/rail-kit/context';
import type { PaymentDraft } from '../../../src/rail-kit/draft';
import type { Call } from '../../../src/rail-kit/endpoint';
import type { Engine } from '../../../src/rail-kit/engine';
import type { Operation, Rail } from '../../../src/rail-kit/rail';
import type { Database } from '../../../src/store/database';
import type { PaymentRow } from '../../../src/store/tables';
import { silentLog } from '../silent-log';
import { aRail } from '../undescribed';

export interface FakeProvider {
  /** Answers to submissions, in order; the last one is repeated. */
  acceptances: SubmissionResult[];
  providerResult: ProviderResult;
  /** The payments that were collected. */
  initiated: string[];
}

export interface FakeContext extends PaymentsContext {
  provider: FakeProvider;
}

export function fakeContext(db: Database): FakeContext {
  const provider: FakeProvider = { acceptances: [], providerResult: { kind: 'open' }, initiated: [] };
  const operation: Operation = {
    workflowType: 'stkPush',
    flow: 'collection',
    policy: {
      version: 1,
      checksMs: [1_000],
      unknownDeadlineMs: 1_000,
      rechecksMs: [],
      watchMs: 2_000,
      confirmDelaysMs: [100],
    },
    uncertainty: {
      whenAnswerLost: 'stay_unknown',
      onTimeout: () => 'time_out',
      whenSuccessIsLate: 'correct',
      whenAmountDiffers: 'settle_and_open_case',
      whenFailed: 'end',
      trustQueriedFailureAfterMs: 0,
      trustTentativeFailureAfterMs: 0,
      followUnverifiedMs: 0,
    },
    async initiate({ payment_id: paymentId }) {
      provider.initiated.push(paymentId);
      const [next, ...later] = provider.acceptances;
      if (later.length > 0) provider.acceptances = later;
      return next ?? { kind: 'accepted', providerReference: `ref-${paymentId}` };
    },
    retrieveStatus: async () => provider.providerResult,
    readNotification: ({ body }) => JSON.parse(body) as ProviderResult,
    notificationsAreTrusted: false,
    webhookOf: ({ payment_id, state }) => ({
      callbackType: 'STK-Push',
      endpoint: 'webhook_url',
      body: { payment_id, state },
    }),
    sendsWebhook: ({ is_final }) => is_final === 1,
  };
  const rail: Rail = {
    name: 'stk',
    description: aRail,
    operations: { deposit: operation },
    endpoints: () => [],
    notificationRoutes: () => [],
  };
  return {
    db,
    rails: railsOf([rail]),
    log: silentLog,
    timeScale: 1,
    creationTimeoutMs: 20_000,
    observeTransition() {},
    provider,
  };
}

/** An attempt so old that no process can be submitting it. */
export async function lostLongAgo(db: Database, paymentId: string): Promise<void> {
  await db('attempts')
    .where({ payment_id: paymentId, state: 'sent' })
    .update({ sent_at: new Date(Date.now() - 31_000) });
}

export interface FakeEngine extends Engine {
  signalled: string[];
}

/** @param start the engine's reaction when a payment is started. */
export function fakeEngine(start: (payment: PaymentRow) => Promise<SubmissionAnswer | 'late'>): FakeEngine {
  const signalled: string[] = [];
  return {
    signalled,
    start,
    async signalOrStart({ payment_id: paymentId }) {
      signalled.push(paymentId);
    },
    signalRunning: () => Promise.resolve(true),
    retryNow: () => Promise.resolve(true),
    cancel: () => Promise.resolve('too_late'),
    checkNow: ({ state }) => Promise.resolve({ state, isAnswered: false }),
    async advance() {},
  };
}

export const draft: PaymentDraft = {
  rail: 'stk',
  kind: 'deposit',
  provider: 'daraja',
  currency: 'KES',
  requestedMinor: 125_000n,
};

export async function callOf(db: Database, merchantId: string): Promise<Call> {
  const merchant = await db('merchants').where({ merchant_id: merchantId }).first();
  if (!merchant) throw new Error(`no merchant ${merchantId}`);
  return { merchant, input: {}, requestId: 'request-1' };
}
