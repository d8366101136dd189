/**
 * What goes out is counted in the transaction that accepts it. Whoever accepts a payout under a limit on a time has the
 * turn of its merchant and currency until it is committed, so that any number at once never exceed one by a cent. What
 * counts is what was accepted, less what failed or was cancelled for certain.
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

/** A payout that is about to be accepted. */
export interface Outflow {
  paymentId: string;
  rail: string;
  currency: Currency;
  amountMinor: bigint;
  /** SHA-256 of whom it pays. */
  recipientHash: Buffer;
}

interface Limits {
  set: readonly LimitInForce[];
  defaults: readonly LimitInForce[];
}

export interface OutflowScope {
  merchantId: string;
  /** Whether kinds of limits that nobody has set have the default ones. */
  withDefaults: boolean;
  /** How much time the sandbox has let pass, in milliseconds. */
  aheadMs: number;
}

export function hashOfRecipient(recipient: string): Buffer {
  return createHash('sha256').update(recipient).digest();
}

/** In one order. */
function currenciesOf(outflows: readonly Outflow[]): Currency[] {
  return [...new Set(outflows.map(({ currency }) => currency))].sort();
}

const opened = new WeakMap<Database, Set<string>>();

/** Makes what a payout is counted by, outside of the transaction: a row that is rolled back may be missed by many at once. */
export async function openTurn(db: Database, merchantId: string, currency: Currency): Promise<void> {
  let turns = opened.get(db);
  if (!turns) {
    await keepDefaults(db);
    opened.set(db, (turns = new Set()));
  }
  const name = `${merchantId}:${currency}`;
  if (turns.has(name)) return;
  await db('outflow_turns').insert({ merchant_id: merchantId, currency }).onConflict().ignore();
  turns.add(name);
}

/**
 * Counts payouts of a merchant, all or none, and holds back those that wait; their turns are open. Called late in the transaction that accepts them, and
 * before their floats are locked.
 * @param refusedAt makes the refusal of the n-th of many, from 0, one of the whole.
 * @returns what waits, and for what.
 * @throws PaymentError OUTFLOW_LIMIT_REACHED with the limit and, where it frees, when.
 */
export async function countOutflows(
  trx: Transaction,
  scope: OutflowScope,
  outflows: readonly Outflow[],
  refusedAt: (n: number, refusal: PaymentError) => PaymentError = (_n, refusal) => refusal,
): Promise<NewHolds> {
  const inForce = await limitsInForce(trx, scope.merchantId, currenciesOf(outflows));
  const limits = refusingLimits(inForce, scope, currenciesOf(outflows));
  const reached = await findReached(trx, scope, limits, outflows);
  if (reached) throw refusedAt(reached.n, refusalOf(reached));
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

/** A payout that is certain not to go out makes room for another. */
export async function releaseOutflow(trx: Transaction, paymentId: string): Promise<void> {
  await trx('outflows')
    .where({ payment_id: paymentId, released_at: null })
    .update({ released_at: trx.raw<Date>('UTC_TIMESTAMP(3)') });
}

/** Those that refuse, set and by default. */
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

/** All that match; a default only where none of its kind is set. */
function limitsOf({ rail, currency }: Outflow, { set, defaults }: Limits): LimitInForce[] {
  const own = set.filter((one) => one.currency === currency && (one.rail === null || one.rail === rail));
  const isUnset = (limit: LimitInForce) => !own.some(({ kind }) => kind === limit.kind);
  return [...own, ...defaults.filter((limit) => limit.currency === currency && isUnset(limit))];
}

interface Reached {
  limit: LimitInForce;
  /** Undefined where no time makes room for it. */
  freesAt: Date | undefined;
}

/** @returns the first payout that does not fit beside those before it, and the limit that keeps it longest. */
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

/** Where a limit on a time is in force, the turns are taken in one order, so that two who need several never meet. */
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
    const turn = await trx('outflow_turns').where(where).forUpdate().first('currency');
    if (!turn) throw new Error(`the turn of ${scope.merchantId} in ${currency} was not opened`);
  }
  const recipients = counting.some(({ ofRecipient }) => ofRecipient)
    ? outflows.map(({ recipientHash }) => recipientHash)
    : [];
  return readUsage(trx, scope, currencies, recipients);
}

function refusalOf({ limit, freesAt }: Reached): PaymentError {
  const { kind, currency, amountMinor } = limit;
  const amount = formatAmount(amountMinor, currency);
  const from = freesAt?.toISOString();
  const room = from === undefined ? '' : `; there is room for this payout from ${from}`;
  return new PaymentError('OUTFLOW_LIMIT_REACHED', {
    message: `At most ${amount} ${currency} may go out ${limitKinds[kind].told}${room}`,
    extra: {
      limit: kind,
      limit_amount: amount,
      limit_currency: currency,
      ...(from === undefined ? {} : { frees_at: from }),
    },
  });
}

// How much of a merchant's limits is used up, read by whoever has the turn.

interface Usage {
  /** What counts against a limit now, in minor units; of one recipient where the limit is. */
  of(limit: LimitInForce, recipient?: Buffer): bigint;
  /** When as much as `minor` of that counts no more. */
  whenGone(limit: LimitInForce, recipient: Buffer | undefined, minor: bigint): Promise<Date | undefined>;
}

const noUsage: Usage = { of: () => 0n, whenGone: () => Promise.resolve(undefined) };

interface Sum {
  currency: string;
  rail: string;
  /** Of 24 hours, and of the last of them. */
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
 * Nothing bounds a window from above: what another process with a clock ahead of ours has written counts, too.
 * @param recipients those whose own sums are needed.
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
        // A text beside a sum is compared as a float.
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
