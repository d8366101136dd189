/** The actors of the property test of all controls: a merchant, two operators, a provider and processes that die. */
import { createHash } from 'node:crypto';
import { releasePayout, type Release } from '../../../src/controls/holds';
import { resumePayouts, pausePayouts } from '../../../src/controls/pauses';
import type { PaymentState } from '../../../src/domain/payment';
import { answerOnce, type IdempotencyStore } from '../../../src/api/idempotency';
import type { SubmissionResult } from '../../../src/domain/outcome';
import * as keys from '../../../src/payments/create/idempotency-claims';
import { createPayment } from '../../../src/payments/create/create-payment';
import { createBulk } from '../../../src/payments/create/bulk/create-bulk';
import { submitPayment } from '../../../src/payments/submit/submit-payment';
import { holdKeysOf } from '../../../src/payments/transition/money-effects';
import { railsOf, type PaymentsContext } from '../../../src/rail-kit/context';
import { cancelQueued } from '../../../src/payments/resolve/cancel';
import { recordAction } from '../../../src/users/audit-log';
import type { Database } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';
import type { AttemptRow, PaymentRow } from '../../../src/store/tables';
import { heldIn } from '../ledger/books';
import { fakeEngine } from '../../support/payments/fakes';
import { cutTransaction, type Cut } from '../../support/cut-transaction';
import { transitionTo } from '../../support/verify/books-support';
import { bounds, type Paid } from './model';
import { createPayer, type Payer } from './stage';

export interface Request {
  isBulk: boolean;
  rail: 'loud' | 'quiet';
  rows: { amount: number; recipient: number }[];
}

export type Word = 'accepted' | 'refused' | 'not_sent' | 'unknown' | 'silent';

export type Step =
  | { kind: 'ask'; which: number; isEngineAway: boolean }
  | { kind: 'send'; which: number; word: Word }
  | { kind: 'release'; which: number; by: 'amina' | 'baraka' }
  | { kind: 'cancel'; which: number }
  | { kind: 'end'; which: number; to: PaymentState }
  | { kind: 'stop' }
  | { kind: 'start' };

/** The result of a step. */
export type End = { kind: 'done'; value: unknown } | { kind: 'thrown'; error: unknown };

export interface OutgoingPayments {
  payer: Payer;
  /** Payments that reached the provider, once for each submission. */
  reached: string[];
  /** Broken rules that were observed on the way. */
  faults: string[];
  take(step: Step, cut?: Cut): Promise<End>;
  pass(ms: number): Promise<void>;
  /** Makes the attempts of dead processes old enough to be recovered. */
  forgetTheDead(): Promise<void>;
  rows(): Promise<Paid[]>;
  now(): Promise<number>;
  isStopped(): Promise<boolean>;
  attempts(): Promise<Pick<AttemptRow, 'payment_id' | 'state'>[]>;
  /** The balance of the floats, and the reserved amount; minor units. */
  money(): Promise<{ left: bigint; reserved: bigint }>;
}

export const fundedMinor = 2_000_000_000n;

const sha256 = (text: string) => createHash('sha256').update(text).digest();
const noPaymentIsOpen = new Set<string>();

export async function createOutgoing(db: Database, requests: readonly Request[]): Promise<OutgoingPayments> {
  let aheadMs = 0;
  const payer = await createPayer(db, { aheadMs: () => aheadMs });
  for (const kind of ['per_payment', 'per_hour', 'per_day', 'per_recipient_day'] as const)
    await payer.limit({ kind, amount: bounds[kind].toString() });
  const cooldown = { amount: bounds.cooldownAbove.toString(), cooldown_s: bounds.cooldownMs / 1_000 };
  await payer.limit({ kind: 'first_payment_cooldown', ...cooldown });
  await payer.limit({ kind: 'new_recipients_per_day', most: bounds.newcomers });

  const { merchantId } = payer;
  const reached: string[] = [];
  const faults: string[] = [];
  const own = () => db('payments').where('payments.merchant_id', merchantId);
  async function now(): Promise<number> {
    const [[row]] = (await db.raw('SELECT UTC_TIMESTAMP(3) AS now')) as unknown as [[{ now: Date }]];
    return row.now.getTime() + aheadMs;
  }

  /** A separate process: its own database handle, and a provider with the given answer. */
  function processOf(handle: Database, word: Word): PaymentsContext {
    const { all } = payer.context.rails;
    async function answer({ payment_id: id }: PaymentRow): Promise<SubmissionResult> {
      const hold = await db('payout_holds').where({ payment_id: id, released_at: null }).first();
      const untilMs = hold?.until_at?.getTime() ?? Infinity;
      if (hold && untilMs > (await now()) - aheadMs) faults.push(`${id} was sent while it was held`);
      if (word === 'not_sent') return { kind: 'not_sent', text: 'ECONNREFUSED' };
      reached.push(id);
      if (word === 'silent') throw new Error('the process is dead');
      if (word === 'unknown') return { kind: 'unknown', text: 'lost' };
      if (word === 'accepted') return { kind: 'accepted', providerReference: `told-${id}` };
      return { kind: 'refused', publicCode: 'PROVIDER_REJECTED_REQUEST', providerCode: 'NO', text: 'no' };
    }
    const rails = all.map((rail) => ({
      ...rail,
      operations: {
        ...rail.operations,
        payout: { ...rail.operations.payout, initiate: answer } as typeof rail.operations.payout,
      },
    }));
    return { ...payer.context, db: handle, rails: railsOf(rails as typeof all) };
  }

  const draftsOf = (n: number) => {
    const { rail, rows } = requests[n % requests.length] as Request;
    return rows.map(({ amount, recipient }) =>
      payer.draft(BigInt(amount), {
        rail,
        recipient: String(recipient),
        details: { country: 'KEN', asked: String(n % requests.length), recipient: String(recipient) },
      }),
    );
  };

  async function ask(context: PaymentsContext, n: number, isEngineAway: boolean): Promise<unknown> {
    const name = String(n % requests.length);
    const { isBulk = false, rail = 'loud' } = requests[n % requests.length] ?? {};
    const engine = fakeEngine(() =>
      isEngineAway ? Promise.reject(new Error('away')) : Promise.resolve('late'),
    );
    if (isBulk) {
      const drafts = () => Promise.resolve(draftsOf(n));
      return createBulk(context, engine, payer.call, { rail, orderId: name, body: name, drafts });
    }
    const claim = { keyHash: sha256(name), bodyHash: sha256(name) };
    const claimant = { idempotency: claimsOf(context.db), config: { timezone: 'UTC' }, log: context.log };
    return answerOnce(claimant, merchantId, claim, async (held, resumePaymentId) => {
      const call = {
        ...payer.call,
        idempotency: held,
        ...(resumePaymentId !== undefined && { resumePaymentId }),
      };
      const [draft] = draftsOf(n);
      if (!draft) throw new Error('a request asks for something');
      const { payment } = await createPayment(context, engine, call, draft);
      return { status: 200, text: payment.payment_id };
    });
  }

  /** The provider reports a final state for a submission. Only a paid payout is returned. */
  async function end(context: PaymentsContext, id: string, to: PaymentState): Promise<void> {
    const row = await own().where({ payment_id: id }).first('is_final', 'state');
    const isOpen = to === 'returned' ? row?.state === 'succeeded' : row?.is_final === 0;
    // For an attempt that was written and not sent, it reports a failure.
    const isReported = reached.includes(id) || (row?.state === 'pending' && to === 'failed');
    if (isOpen && isReported) await transitionTo(context, id, to);
  }

  async function act(context: PaymentsContext, step: Step): Promise<unknown> {
    if (step.kind === 'ask') return ask(context, step.which, step.isEngineAway);
    if (step.kind === 'stop') {
      const about = { by: 'amina', reason: 'a test', withRefunds: false };
      return pausePayouts(context.db, { merchantId }, about);
    }
    if (step.kind === 'start') return resumePayouts(context.db, { merchantId }, { by: 'baraka' });
    const ids = await own().orderBy('payment_id').pluck('payment_id');
    const id = ids[step.which % ids.length];
    if (id === undefined) return undefined;
    if (step.kind === 'send') return submitPayment(context, id);
    if (step.kind === 'cancel') return cancelQueued(context, id);
    if (step.kind === 'end') return end(context, id, step.to);
    const release = await releasePayout(context.db, id, { by: step.by, note: 'a test' });
    return { id, release } satisfies Released;
  }

  return {
    payer,
    reached,
    faults,
    now,
    async take(step, cut) {
      const handle = cut ? cutTransaction(db, cut) : db;
      const context = processOf(handle, step.kind === 'send' ? step.word : 'accepted');
      return act(context, step).then(
        (value): End => ({ kind: 'done', value }),
        (error: unknown): End => ({ kind: 'thrown', error }),
      );
    },
    async pass(ms) {
      aheadMs += ms;
      const line = { action: 'sandbox.advance', subject: { kind: 'time', id: String(aheadMs) } };
      await inTransaction(db, (trx) => recordAction(trx, { by: 'nobody', ...line }));
      await own().increment('clock_ahead_ms', ms);
      await db('payout_holds')
        .whereIn('payment_id', own().select('payment_id'))
        // A released hold keeps its time.
        .whereNull('released_at')
        .update({ until_at: db.raw('until_at - INTERVAL ? MICROSECOND', [ms * 1_000]) });
    },
    async forgetTheDead() {
      const sent_at = new Date(Date.now() - 31_000);
      await db('attempts')
        .whereIn('payment_id', own().select('payment_id'))
        .where({ state: 'sent' })
        .update({ sent_at });
    },
    async rows() {
      const rows = await own()
        .leftJoin('outflows as o', 'o.payment_id', 'payments.payment_id')
        .leftJoin('payout_holds as h', 'h.payment_id', 'payments.payment_id')
        .orderBy('payments.payment_id')
        .select<Joined[]>('payments.*', 'o.accepted_at as counted_at', 'o.released_at as freed_at', {
          reason: 'h.reason',
          until_at: 'h.until_at',
          let_go_at: 'h.released_at',
        });
      return rows.map((row) => paidOf(row, aheadMs));
    },
    isStopped: async () =>
      (await db('payout_pauses').where({ merchant_id: merchantId, ended_at: null }).first()) !== undefined,
    attempts: () =>
      db('attempts').whereIn('payment_id', own().select('payment_id')).select('payment_id', 'state'),
    async money() {
      const total = { left: 0n, reserved: 0n };
      for (const rail of ['loud', 'quiet']) {
        const of = { merchant_id: merchantId, rail, currency: 'KES', country: 'KEN' } as const;
        const { from, reserved } = holdKeysOf('payout', of);
        total.left += await heldIn(db, from);
        total.reserved += await heldIn(db, reserved);
      }
      return total;
    },
  };
}

export interface Released {
  id: string;
  release: Release;
}

/** Of processes that are never alive, so that the next request takes over their claims. */
function claimsOf(db: Database): IdempotencyStore {
  const gone = { processId: 'gone', live: noPaymentIsOpen };
  return {
    claim: (id, claim) => keys.claimIdempotencyKey(db, gone, id, claim),
    isKnown: (id, keyHash) => keys.isKeyKnown(db, id, keyHash),
    storeAnswer: (id, claim, answer) => keys.storeAnswer(db, id, claim, answer),
    release: (id, claim) => keys.releaseClaim(db, id, claim),
    letGo: (id, claim) => keys.letClaimGo(db, id, claim),
    end: () => undefined,
  };
}

interface Joined extends PaymentRow {
  counted_at: Date;
  freed_at: Date | null;
  reason: string | null;
  until_at: Date | null;
  let_go_at: Date | null;
}

/** With the times of the model, whose clock is ahead. The rows have the real time. */
function paidOf(row: Joined, aheadMs: number): Paid {
  const { reason, until_at: until, details } = row;
  const hold = reason !== null && {
    reason,
    untilAt: until ? until.getTime() + aheadMs : null,
    isReleased: row.let_go_at !== null,
  };
  return {
    id: row.payment_id,
    state: row.state,
    amount: BigInt(row.requested_minor),
    recipient: details['recipient'] ?? '',
    createdAt: row.created_at.getTime() + aheadMs - Number(row.clock_ahead_ms),
    acceptedAt: row.counted_at.getTime(),
    counts: row.freed_at === null,
    isNoted: details['on_hold'] !== undefined,
    hold: hold === false ? undefined : hold,
  };
}
