/**
 * Counts payouts in the transaction that creates them. Under a limit with a window, that transaction holds the lock of the
 * merchant and currency until its commit, so parallel payouts never exceed the limit. A payout counts until it has definitely
 * failed or was cancelled.
 */
import { createHash } from 'node:crypto';
import { PaymentError } from '../domain/errors';
import { formatAmount, type Currency } from '../domain/money';
import type { Database, Transaction } from '../store/database';
import { inChunks } from '../store/in-chunks';
import type { OutflowLimitKind, OutflowLimitRow } from '../store/tables';
import { defaultLimitsOf, defaultsId, keepDefaults } from './default-limits';
import { clockOf, limitKinds, limitsInForce, inRealTime, type LimitInForce } from './limits';
import { holdNewRecipients, type NewHolds } from './new-recipients';

/** A payout that is about to be created. */
export interface Outflow {
  paymentId: string;
  rail: string;
  currency: Currency;
  amountMinor: bigint;
  /** SHA-256 of the recipient. */
  recipientHash: Buffer;
}

interface Limits {
  set: readonly LimitInForce[];
  defaults: readonly LimitInForce[];
}

export interface OutflowScope {
  merchantId: string;
  /** Whether the default limits apply to kinds without a limit. */
  withDefaults: boolean;
  /** How far the sandbox's clock is ahead, in milliseconds. */
  aheadMs: number;
}

export function hashOfRecipient(recipient: string): Buffer {
  return createHash('sha256').update(recipient).digest();
}

/** The currencies of the payouts, sorted, so that locks are taken in one order. */
function currenciesOf(outflows: readonly Outflow[]): Currency[] {
  return [...new Set(outflows.map(({ currency }) => currency))].sort();
}

const opened = new WeakMap<Database, Set<string>>();

/** Creates the lock row of a merchant and currency, in its own transaction, so that a rollback does not remove it. */
export async function lockMerchant(db: Database, merchantId: string, currency: Currency): Promise<void> {
  let turns = opened.get(db);
  if (!turns) {
    await keepDefaults(db);
    opened.set(db, (turns = new Set()));
  }
  const name = `${merchantId}:${currency}`;
  if (turns.has(name)) return;
  await db('merchant_locks').insert({ merchant_id: merchantId, currency }).onConflict().ignore();
  turns.add(name);
}

/**
 * Counts payouts of a merchant, all or none, and puts some on hold. The lock rows exist already (`openTurn`). Call it late in the
 * transaction that creates them, but before their floats are locked.
 * @param refusedAt turns the error of the n-th payout (from 0) into the error of the whole request.
 * @returns the holds.
 * @throws PaymentError OUTFLOW_LIMIT_REACHED with the limit and, if known, the time from which the payout fits.
 */
export async function countOutflows(
  trx: Transaction,
  scope: OutflowScope,
  outflows: readonly Outflow[],
  refusedAt: (n: number, denial: PaymentError) => PaymentError = (_n, denial) => denial,
): Promise<NewHolds> {
  const inForce = await limitsInForce(trx, scope.merchantId, currenciesOf(outflows));
  const limits = refusingLimits(inForce, scope, currenciesOf(outflows));
  const reached = await findReached(trx, scope, limits, outflows);
  if (reached) throw refusedAt(reached.n, limitError(reached));
  const holds = await holdNewRecipients(trx, scope, inForce, outflows);
  for (const some of inChunks(outflows)) {
    await trx('outflows').insert(
      some.map(({ paymentId, rail, currency, amountMinor, recipientHash }) => ({
        payment_id: paymentId,
        merchant_id: scope.merchantId,
        rail,
        currency,
        recipient_hash: recipientHash,
        amount: amountMinor.toString(),
        accepted_at: clockOf(trx, scope.aheadMs),
        defaults_id: scope.withDefaults ? defaultsId : null,
      })),
    );
  }
  return holds;
}

/** A payout that has definitely failed or was cancelled no longer counts. */
export async function releaseOutflow(trx: Transaction, paymentId: string): Promise<void> {
  await trx('outflows')
    .where({ payment_id: paymentId, released_at: null })
    .update({ released_at: trx.raw<Date>('UTC_TIMESTAMP(3)') });
}

/** The limits that deny payouts: those that are set, and the default ones. */
function refusingLimits(
  inForce: readonly OutflowLimitRow[],
  { withDefaults }: Pick<OutflowScope, 'withDefaults'>,
  currencies: readonly Currency[],
): Limits {
  const set = inForce
    .filter(({ kind }) => limitKinds[kind].refuses)
    .map(({ kind, currency, rail, amount }) => ({ kind, currency, rail, amountMinor: BigInt(amount ?? 0) }));
  return { set, defaults: withDefaults ? currencies.flatMap(defaultLimitsOf) : [] };
}

/** The limits of a payout; a default limit only if no limit of its kind is set. */
function limitsOf({ rail, currency }: Outflow, { set, defaults }: Limits): LimitInForce[] {
  const own = set.filter((one) => one.currency === currency && (one.rail === null || one.rail === rail));
  const isUnset = (limit: LimitInForce) => !own.some(({ kind }) => kind === limit.kind);
  return [...own, ...defaults.filter((limit) => limit.currency === currency && isUnset(limit))];
}

interface Reached {
  limit: LimitInForce;
  /** The time from which the payout fits; undefined if it never fits. */
  freesAt: Date | undefined;
}

/** @returns the first payout that does not fit after those before it, with the limit that blocks it longest. */
async function findReached(
  trx: Transaction,
  scope: OutflowScope,
  limits: Limits,
  outflows: readonly Outflow[],
): Promise<(Reached & { n: number }) | undefined> {
  const ofEach = outflows.map((outflow) => limitsOf(outflow, limits));
  const kinds = new Set(ofEach.flat().map(({ kind }) => kind));
  const usage = await usageWithTurns(trx, scope, outflows, kinds);
  const counted = new Map<LimitInForce, Map<string, bigint>>();
  for (const [n, outflow] of outflows.entries()) {
    const reached: Reached[] = [];
    for (const limit of ofEach[n] ?? []) {
      const { windowSeconds, ofRecipient = false } = limitKinds[limit.kind];
      if (windowSeconds === undefined) {
        if (outflow.amountMinor > limit.amountMinor) reached.push({ limit, freesAt: undefined });
        continue;
      }
      const recipient = ofRecipient ? outflow.recipientHash : undefined;
      const name = recipient?.toString('hex') ?? '';
      const ofLimit = counted.get(limit) ?? new Map<string, bigint>();
      const asked = (ofLimit.get(name) ?? 0n) + outflow.amountMinor;
      counted.set(limit, ofLimit.set(name, asked));
      const used = usage.of(limit, recipient);
      const over = used + asked - limit.amountMinor;
      if (over <= 0n) continue;
      const freesAt = over <= used ? await usage.whenGone(limit, recipient, over) : undefined;
      reached.push({ limit, freesAt });
    }
    const [longest] = reached.sort((one, other) => endOf(other) - endOf(one));
    if (longest) return { ...longest, n };
  }
  return undefined;
}

const endOf = ({ freesAt }: Reached) => freesAt?.getTime() ?? Infinity;

/** Takes the locks if a limit with a window is in force, in one order, so that two transactions cannot deadlock. */
async function usageWithTurns(
  trx: Transaction,
  scope: OutflowScope,
  outflows: readonly Outflow[],
  kinds: ReadonlySet<OutflowLimitKind>,
): Promise<Usage> {
  const counting = [...kinds].map((kind) => limitKinds[kind]).filter(({ windowSeconds }) => windowSeconds);
  if (counting.length === 0) return noUsage;
  const currencies = currenciesOf(outflows);
  for (const currency of currencies) {
    const where = { merchant_id: scope.merchantId, currency };
    const turn = await trx('merchant_locks').where(where).forUpdate().first('currency');
    if (!turn) throw new Error(`there is no lock row of ${scope.merchantId} in ${currency}`);
  }
  const recipients = counting.some(({ ofRecipient }) => ofRecipient)
    ? outflows.map(({ recipientHash }) => recipientHash)
    : [];
  return readUsage(trx, scope, currencies, recipients);
}

function limitError({ limit, freesAt }: Reached): PaymentError {
  const { kind, currency, amountMinor } = limit;
  const amount = formatAmount(amountMinor, currency);
  const from = freesAt?.toISOString();
  const room = from === undefined ? '' : `; this payout fits from ${from}`;
  return new PaymentError('OUTFLOW_LIMIT_REACHED', {
    message: `At most ${amount} ${currency} can be paid out ${limitKinds[kind].phrase}${room}`,
    extra: {
      limit: kind,
      limit_amount: amount,
      limit_currency: currency,
      ...(from === undefined ? {} : { frees_at: from }),
    },
  });
}

// The used part of a merchant's limits, read under the lock.

interface Usage {
  /** The amount that counts against a limit now, in minor units; of one recipient, if the limit is per recipient. */
  of(limit: LimitInForce, recipient?: Buffer): bigint;
  /** The time when `minor` of that amount no longer counts. */
  whenGone(limit: LimitInForce, recipient: Buffer | undefined, minor: bigint): Promise<Date | undefined>;
}

const noUsage: Usage = { of: () => 0n, whenGone: () => Promise.resolve(undefined) };

interface Sum {
  currency: string;
  rail: string;
  /** The sums of the last 24 hours and of the last hour. */
  day: string;
  hour: string;
}

interface Place {
  merchantId: string;
  aheadMs: number;
}

const hour = 3_600;
const day = 86_400;

/**
 * Windows have no upper end, so a payout of another process with a faster clock counts, too.
 * @param recipients the recipients whose sums are needed.
 */
async function readUsage(
  trx: Transaction,
  place: Place,
  currencies: readonly Currency[],
  recipients: readonly Buffer[],
): Promise<Usage> {
  const within = (seconds: number) => countedSince(trx, place, seconds);
  const summed = (name: 'day' | 'hour', seconds: number) =>
    trx.raw('SUM(IF(accepted_at > ? - INTERVAL ? SECOND, amount, 0)) AS ??', [
      clockOf(trx, place.aheadMs),
      seconds,
      name,
    ]);
  const sums = [summed('day', day), summed('hour', hour)];
  const total = await within(day)
    .whereIn('currency', [...currencies])
    .groupBy('currency', 'rail')
    .select<Sum[]>('currency', 'rail', ...sums);
  const ofEach = new Map<string, Sum[]>();
  for (const some of inChunks(distinct(recipients))) {
    const rows = await within(day)
      .whereIn('recipient_hash', some)
      .groupBy('currency', 'rail', 'recipient_hash')
      .select<(Sum & { recipient_hash: Buffer })[]>('currency', 'rail', 'recipient_hash', ...sums);
    for (const row of rows) {
      const name = row.recipient_hash.toString('hex');
      ofEach.set(name, [...(ofEach.get(name) ?? []), row]);
    }
  }
  return {
    of(limit, recipient) {
      const sums = (recipient ? (ofEach.get(recipient.toString('hex')) ?? []) : total).filter(
        ({ currency, rail }) => currency === limit.currency && (limit.rail === null || rail === limit.rail),
      );
      const { windowSeconds } = limitKinds[limit.kind];
      return sums.reduce((sum, row) => sum + BigInt(windowSeconds === hour ? row.hour : row.day), 0n);
    },
    async whenGone({ kind, currency, rail }, recipient, minor) {
      const { windowSeconds = 0 } = limitKinds[kind];
      const counted = within(windowSeconds).where({ currency });
      if (rail !== null) void counted.where({ rail });
      if (recipient) void counted.where({ recipient_hash: recipient });
      const gone = trx.raw<string>('SUM(amount) OVER (ORDER BY accepted_at, payment_id)');
      const [last] = await trx
        .from(counted.select('accepted_at', 'payment_id', { gone }).as('counted'))
        // Without the CAST, the database compares a sum with a text as floats.
        .whereRaw('gone >= CAST(? AS DECIMAL(30))', [minor.toString()])
        .orderBy(['accepted_at', 'payment_id'])
        .limit(1)
        .select<{ accepted_at: Date }[]>('accepted_at');
      return last && inRealTime(place, new Date(last.accepted_at.getTime() + windowSeconds * 1_000));
    },
  };
}

function countedSince(trx: Transaction, { merchantId, aheadMs }: Place, seconds: number) {
  return trx('outflows')
    .where({ merchant_id: merchantId, released_at: null })
    .where('accepted_at', '>', trx.raw('? - INTERVAL ? SECOND', [clockOf(trx, aheadMs), seconds]));
}

function distinct(hashes: readonly Buffer[]): Buffer[] {
  return [...new Map(hashes.map((hash) => [hash.toString('hex'), hash])).values()];
}
