/** A merchant, two operators, a provider and processes that die, as the property test of all controls has them act. */
import { createHash } from 'node:crypto';
import { releasePayout, type Release } from '../../../src/controls/holds';
import { startPayouts, stopPayouts } from '../../../src/controls/stops';
import type { PaymentState } from '../../../src/domain/payment';
import { answerOnce, type IdempotencyStore } from '../../../src/api/idempotency';
import type { Acceptance } from '../../../src/domain/outcome';
import * as keys from '../../../src/payments/create/idempotency-claims';
import { acceptPayment } from '../../../src/payments/create/accept-payment';
import { acceptBulk } from '../../../src/payments/create/bulk/accept-bulk';
import { initiate } from '../../../src/payments/submit/initiate';
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
import { moveAlong } from '../../support/verify/books-support';
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

/** What a step came to. */
export type End = { kind: 'done'; value: unknown } | { kind: 'thrown'; error: unknown };

export interface Story {
  payer: Payer;
  /** Payments that the provider was told of, each as often as it was. */
  reached: string[];
  /** What must not be, as it was seen while it happened. */
  faults: string[];
  take(step: Step, cut?: Cut): Promise<End>;
  pass(ms: number): Promise<void>;
  /** Whoever sent something and died is known to have done so. */
  forgetTheDead(): Promise<void>;
  rows(): Promise<Paid[]>;
  now(): Promise<number>;
  isStopped(): Promise<boolean>;
  attempts(): Promise<Pick<AttemptRow, 'payment_id' | 'state'>[]>;
  /** What is left of the floats, and what is set aside; minor units. */
  money(): Promise<{ left: bigint; reserved: bigint }>;
}

export const fundedMinor = 2_000_000_000n;

const sha256 = (text: string) => createHash('sha256').update(text).digest();
const nobodyLives = new Set<string>();

export async function createStory(db: Database, requests: readonly Request[]): Promise<Story> {
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

  /** What a process of its own has: its own handle of the database, and a provider that answers it so. */
  function processOf(handle: Database, word: Word): PaymentsContext {
    const { all } = payer.context.rails;
    async function answer({ payment_id: id }: PaymentRow): Promise<Acceptance> {
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
      return acceptBulk(context, engine, payer.call, { rail, orderId: name, body: name, drafts });
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
      const { payment } = await acceptPayment(context, engine, call, draft);
      return { status: 200, text: payment.payment_id };
    });
  }

  /** The provider tells what became of what it was told; what came back had been paid. */
  async function end(context: PaymentsContext, id: string, to: PaymentState): Promise<void> {
    const row = await own().where({ payment_id: id }).first('is_final', 'state');
    const isOpen = to === 'returned' ? row?.state === 'succeeded' : row?.is_final === 0;
    // Of what was written and not sent it says that it has failed.
    const isTold = reached.includes(id) || (row?.state === 'pending' && to === 'failed');
    if (isOpen && isTold) await moveAlong(context, id, to);
  }

  async function act(context: PaymentsContext, step: Step): Promise<unknown> {
    if (step.kind === 'ask') return ask(context, step.which, step.isEngineAway);
    if (step.kind === 'stop') {
      const about = { by: 'amina', reason: 'a test', withRefunds: false };
      return stopPayouts(context.db, { merchantId }, about);
    }
    if (step.kind === 'start') return startPayouts(context.db, { merchantId }, { by: 'baraka' });
    const ids = await own().orderBy('payment_id').pluck('payment_id');
    const id = ids[step.which % ids.length];
    if (id === undefined) return undefined;
    if (step.kind === 'send') return initiate(context, id);
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
        // Nothing is past that waits no more.
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
      (await db('payout_stops').where({ merchant_id: merchantId, ended_at: null }).first()) !== undefined,
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

/** Of processes that nobody has seen alive, so that whoever comes next goes on with what one has left. */
function claimsOf(db: Database): IdempotencyStore {
  const gone = { processId: 'gone', live: nobodyLives };
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

/** By the clock that the model has, which is ahead: the rows have the real time. */
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
    isNoted: details['held_back'] !== undefined,
    hold: hold === false ? undefined : hold,
  };
}
