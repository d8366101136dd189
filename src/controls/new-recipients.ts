/**
 * Puts payouts to new recipients on hold. A recipient is known after the first payout from the same merchant that is not on hold
 * and has not failed. A payout on hold does not count, so a second payout to the same new recipient is on hold, too, and many
 * requests at once have no advantage.
 */
import type { Transaction } from '../store/database';
import { inChunks } from '../store/in-chunks';
import type { OutflowLimitRow, PayoutHoldRow } from '../store/tables';
import { clockOf, inRealTime } from './limits';
import type { Outflow, OutflowScope } from './outflow';

/** The holds of new payouts, by payment id. */
export type NewHolds = ReadonlyMap<string, Pick<PayoutHoldRow, 'reason' | 'limit_id' | 'until_at'>>;

type Waiting = OutflowLimitRow & { kind: PayoutHoldRow['reason'] };

const day = 86_400;
const isWaiting = (limit: OutflowLimitRow): limit is Waiting =>
  limit.kind === 'first_payment_cooldown' || limit.kind === 'new_recipients_per_day';

/** The SQL condition that an earlier payout, with the alias `e`, is not on hold. */
const letGo = `e.released_at IS NULL AND NOT EXISTS (
  SELECT 1 FROM payout_holds h
  WHERE h.payment_id = e.payment_id AND h.released_at IS NULL AND (h.until_at IS NULL OR h.until_at > UTC_TIMESTAMP(3)))`;

/**
 * Puts new payouts on hold, in their order, before they are counted.
 * @param limits all limits in force for the merchant.
 */
export async function holdNewRecipients(
  trx: Transaction,
  scope: OutflowScope,
  limits: readonly OutflowLimitRow[],
  outflows: readonly Outflow[],
): Promise<NewHolds> {
  const waiting = limits.filter(isWaiting);
  const matching = (outflow: Outflow) =>
    waiting.filter(
      ({ currency, rail }) => currency === outflow.currency && (rail === null || rail === outflow.rail),
    );
  const concerned = outflows.filter((outflow) => matching(outflow).length > 0);
  const holds = new Map<string, Pick<PayoutHoldRow, 'reason' | 'limit_id' | 'until_at'>>();
  if (concerned.length === 0) return holds;

  await takeTurns(trx, scope, waiting, concerned);
  const now = await momentOf(trx, scope);
  const known = await firstPaid(trx, scope, concerned);
  const counts = new Map<string, number>();
  for (const limit of waiting) counts.set(limit.limit_id, await newcomersOf(trx, scope, limit, now));

  for (const outflow of concerned) {
    const name = outflow.recipientHash.toString('hex');
    const since = known.get(name);
    const ofIt = matching(outflow);
    const [longest] = ofIt
      .flatMap((limit) => holdBy(limit, outflow, { since, now, newcomers: counts.get(limit.limit_id) ?? 0 }))
      .sort((one, other) => endOf(other) - endOf(one));
    if (longest) {
      const { until_at: until } = longest;
      holds.set(outflow.paymentId, { ...longest, until_at: until && inRealTime(scope, until) });
    } else if (since === undefined) {
      known.set(name, now);
      for (const { limit_id: id } of ofIt) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  const heldAt = inRealTime(scope, now);
  const rows = [...holds].map(([payment_id, hold]) => ({ ...hold, payment_id, held_at: heldAt }));
  for (const some of inChunks(rows)) await trx('payout_holds').insert(some);
  return holds;
}

const endOf = ({ until_at: at }: Pick<PayoutHoldRow, 'until_at'>) => at?.getTime() ?? Infinity;

function holdBy(
  { kind, limit_id, amount, cooldown_s: cooldown, most }: Waiting,
  { amountMinor }: Outflow,
  { since, now, newcomers }: { since: Date | undefined; now: Date; newcomers: number },
): Pick<PayoutHoldRow, 'reason' | 'limit_id' | 'until_at'>[] {
  if (kind === 'new_recipients_per_day') {
    return since === undefined && newcomers >= (most ?? 0)
      ? [{ reason: kind, limit_id, until_at: null }]
      : [];
  }
  if (amountMinor <= BigInt(amount ?? 0)) return [];
  const until = new Date((since ?? now).getTime() + (cooldown ?? 0) * 1_000);
  return until > now ? [{ reason: kind, limit_id, until_at: until }] : [];
}

/** Locks the merchant and its currencies, in a fixed order, if new recipients are counted. A cooldown counts nothing. */
async function takeTurns(
  trx: Transaction,
  { merchantId }: OutflowScope,
  waiting: readonly Waiting[],
  outflows: readonly Outflow[],
): Promise<void> {
  if (!waiting.some(({ kind }) => kind === 'new_recipients_per_day')) return;
  for (const currency of [...new Set(outflows.map((outflow) => outflow.currency))].sort()) {
    await trx('merchant_locks').where({ merchant_id: merchantId, currency }).forUpdate().first('currency');
  }
}

async function momentOf(trx: Transaction, { aheadMs }: OutflowScope): Promise<Date> {
  const [[row]] = (await trx.raw('SELECT ? AS now', [clockOf(trx, aheadMs)])) as unknown as [[{ now: Date }]];
  return row.now;
}

/** The time of the first payout to each recipient that is not on hold. */
async function firstPaid(
  trx: Transaction,
  { merchantId }: OutflowScope,
  outflows: readonly Outflow[],
): Promise<Map<string, Date>> {
  const hashes = new Map(outflows.map(({ recipientHash }) => [recipientHash.toString('hex'), recipientHash]));
  const first = new Map<string, Date>();
  for (const some of inChunks([...hashes.values()])) {
    const rows = await trx('outflows as e')
      .where({ 'e.merchant_id': merchantId })
      .whereIn('e.recipient_hash', some)
      .whereRaw(letGo)
      .groupBy('e.recipient_hash')
      .select<{ recipient_hash: Buffer; at: Date }[]>(
        'e.recipient_hash',
        trx.raw('MIN(e.accepted_at) AS at'),
      );
    for (const { recipient_hash: hash, at } of rows) first.set(hash.toString('hex'), at);
  }
  return first;
}

/** How many recipients were paid for the first time in the last 24 hours; it counts only up to the limit. */
async function newcomersOf(
  trx: Transaction,
  { merchantId }: OutflowScope,
  { kind, currency, rail, most }: Waiting,
  now: Date,
): Promise<number> {
  if (kind !== 'new_recipients_per_day') return 0;
  const since = new Date(now.getTime() - day * 1_000);
  const recent = trx('outflows as e')
    .where({ 'e.merchant_id': merchantId, 'e.currency': currency })
    .where('e.accepted_at', '>', since)
    .whereRaw(letGo)
    .distinct('e.recipient_hash');
  if (rail !== null) void recent.where({ 'e.rail': rail });
  const newcomers = await trx
    .from(recent.as('recent'))
    .whereNotExists((before) => {
      void before
        .select(trx.raw('1'))
        .from('outflows as e')
        .where({ 'e.merchant_id': merchantId })
        .whereRaw('e.recipient_hash = recent.recipient_hash')
        .where('e.accepted_at', '<=', since)
        .whereRaw(letGo);
    })
    .limit(most ?? 0)
    .select<unknown[]>('recent.recipient_hash');
  return newcomers.length;
}
