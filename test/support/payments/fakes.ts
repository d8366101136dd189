/** The payment engine on a real database, with a rail and an engine that do as the test says. */
import type { AcceptanceAnswer } from '../../../src/domain/commands';
import type { Acceptance, Finding } from '../../../src/domain/outcome';
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
  /** Answers to initiations, in their order; the last one stays. */
  acceptances: Acceptance[];
  finding: Finding;
  /** The payments it was told to collect. */
  initiated: string[];
}

export interface FakeContext extends PaymentsContext {
  provider: FakeProvider;
}

export function fakeContext(db: Database): FakeContext {
  const provider: FakeProvider = { acceptances: [], finding: { kind: 'open' }, initiated: [] };
  const operation: Operation = {
    workflowType: 'stkPush',
    flow: 'collection',
    policy: {
      checksMs: [1_000],
      unknownDeadlineMs: 1_000,
      rechecksMs: [],
      watchMs: 2_000,
      confirmDelaysMs: [100],
    },
    inDoubt: {
      whenAnswerLost: 'stay_unknown',
      whenSilent: () => 'time_out',
      whenSuccessIsLate: 'correct',
      whenAmountDiffers: 'settle_and_open_case',
      whenFailed: 'end',
      believeQueriedFailureAfterMs: 0,
      believeTentativeFailureAfterMs: 0,
      followHintMs: 0,
    },
    async initiate({ payment_id: paymentId }) {
      provider.initiated.push(paymentId);
      const [next, ...later] = provider.acceptances;
      if (later.length > 0) provider.acceptances = later;
      return next ?? { kind: 'accepted', providerReference: `ref-${paymentId}` };
    },
    retrieveStatus: async () => provider.finding,
    readNotification: ({ body }) => JSON.parse(body) as Finding,
    notificationsAreProof: false,
    tell: ({ payment_id, state }) => ({
      callbackType: 'STK-Push',
      endpoint: 'webhook_url',
      body: { payment_id, state },
    }),
    announces: ({ is_final }) => is_final === 1,
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
    acceptanceTimeoutMs: 20_000,
    observeTransition() {},
    provider,
  };
}

/** As an attempt stands that nobody can have under way any more. */
export async function lostLongAgo(db: Database, paymentId: string): Promise<void> {
  await db('attempts')
    .where({ payment_id: paymentId, state: 'sent' })
    .update({ sent_at: new Date(Date.now() - 31_000) });
}

export interface FakeEngine extends Engine {
  woken: string[];
}

/** @param start what the engine does when it is told to start a payment. */
export function fakeEngine(start: (payment: PaymentRow) => Promise<AcceptanceAnswer | 'late'>): FakeEngine {
  const woken: string[] = [];
  return {
    woken,
    start,
    async wake({ payment_id: paymentId }) {
      woken.push(paymentId);
    },
    nudge: () => Promise.resolve(true),
    hasten: () => Promise.resolve(true),
    cancel: () => Promise.resolve('too_late'),
    async checkNow() {},
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
