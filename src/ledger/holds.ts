import type { ErrorCode } from '../domain/errors';
import { inChunks } from '../store/in-chunks';
import type { Transaction } from '../store/database';
import type { HoldRow } from '../store/tables';
import type { Account } from './accounts';
import { lockBalances, postEntries, postEntry, postTogether, type Entry } from './post-entry';

/** Money reserved for an outgoing payment: reserved at its creation, posted on success, released otherwise. */
export interface HoldRequest {
  paymentId: string;
  from: Account;
  reserved: Account;
  amountMinor: bigint;
  /** The fee that is reserved with it, by an entry of its own; minor units, none at zero. */
  feeMinor?: bigint;
  whenShort: ErrorCode;
}

/** @throws PaymentError `whenShort` when the account does not have the amount. */
export async function placeHold(trx: Transaction, hold: HoldRequest): Promise<void> {
  await trx('holds').insert(rowOf(hold));
  await postTogether(trx, reservation(hold), hold.whenShort);
}

/** Many at once, from few accounts: each has its entry and its row, and each account is updated once with their sum. */
export async function placeHolds(
  trx: Transaction,
  holds: readonly Omit<HoldRequest, 'whenShort'>[],
  whenShort: ErrorCode,
): Promise<void> {
  for (const some of inChunks(holds)) await trx('holds').insert(some.map(rowOf));
  await postEntries(trx, holds.flatMap(reservation), whenShort);
}

function reservation({ from, reserved, ...hold }: Omit<HoldRequest, 'whenShort'>): Entry[] {
  return entriesOf(hold, 'reserve', from, { amount: reserved, fee: reserved });
}

/** One entry for the amount, and one for the fee where there is one: a statement shows each by itself. */
function entriesOf(
  { paymentId, amountMinor, feeMinor = 0n }: Pick<HoldRequest, 'paymentId' | 'amountMinor' | 'feeMinor'>,
  leg: 'reserve' | 'post' | 'release',
  from: Account,
  to: { amount: Account; fee: Account },
): Entry[] {
  const moved = (type: 'hold' | 'fee', minor: bigint, into: Account): Entry => ({
    source: { type, id: paymentId, leg },
    paymentId,
    lines: [
      { account: from, amountMinor: -minor },
      { account: into, amountMinor: minor },
    ],
  });
  const held = moved('hold', amountMinor, to.amount);
  return feeMinor === 0n ? [held] : [held, moved('fee', feeMinor, to.fee)];
}

function rowOf({ paymentId, from, reserved, amountMinor }: Omit<HoldRequest, 'whenShort'>): HoldRow {
  return {
    payment_id: paymentId,
    account_id: from.accountId,
    reserved_account_id: reserved.accountId,
    currency: from.currency,
    amount: amountMinor.toString(),
    state: 'open',
    created_at: new Date(),
    closed_at: null,
    wanted: null,
    gone_before: null,
  };
}

/** Pays the reserve out to `to`, and the fee's reserve to `feeTo`; without `to`, returns both to their origin. */
export async function closeHold(
  trx: Transaction,
  hold: Omit<HoldRequest, 'whenShort'>,
  to?: Account,
  feeTo: Account | undefined = to,
): Promise<void> {
  const state = to ? 'posted' : 'released';
  const closed = await trx('holds')
    .where({ payment_id: hold.paymentId, state: 'open', amount: hold.amountMinor.toString() })
    .update({ state, closed_at: new Date() });
  if (closed !== 1)
    throw new Error(`payment ${hold.paymentId} has no open hold of ${String(hold.amountMinor)}`);
  const into = { amount: to ?? hold.from, fee: feeTo ?? hold.from };
  await postTogether(trx, entriesOf(hold, to ? 'post' : 'release', hold.reserved, into));
}

/** A reserve of received money that may be taken back: the wanted amount, as far as the wallet has it. */
export interface StandingHold {
  paymentId: string;
  from: Account;
  reserved: Account;
  /** The amount to reserve, in minor units; zero ends the reserve. */
  wantedMinor: bigint;
  /** What had gone back when the dispute began; stored with the row, and undefined once it is over. */
  goneBefore: bigint | undefined;
}

/**
 * Reserves the missing amount, as far as the account has it, or releases the excess. It never fails for lack of
 * money, and never takes the account below zero. The caller holds the lock of the payment's row.
 */
export async function adjustHold(trx: Transaction, hold: StandingHold): Promise<void> {
  const { paymentId, from, reserved, wantedMinor } = hold;
  const [balance = 0n] = await lockBalances(trx, [from, reserved]);
  const free = balance > 0n ? balance : 0n;
  const row = await trx('holds')
    .where({ payment_id: paymentId })
    .first('state', 'amount', 'wanted', 'gone_before');
  const heldMinor = row?.state === 'open' ? BigInt(row.amount) : 0n;
  const missing = wantedMinor - heldMinor;
  const change = missing > free ? free : missing;
  if (change !== 0n) {
    await postEntry(trx, {
      source: { type: 'hold', id: paymentId, leg: await nextLeg(trx, paymentId) },
      paymentId,
      lines: [
        { account: from, amountMinor: -change },
        { account: reserved, amountMinor: change },
      ],
    });
  }
  const isOpen = wantedMinor > 0n;
  const asked = { wanted: wantedMinor.toString(), gone_before: hold.goneBefore?.toString() ?? null };
  const isSame = row?.wanted === asked.wanted && row.gone_before === asked.gone_before;
  if (change === 0n && isSame) return;
  const kept = {
    ...asked,
    state: isOpen ? ('open' as const) : ('released' as const),
    closed_at: isOpen ? null : new Date(),
    ...(isOpen || !row ? { amount: (heldMinor + change).toString() } : {}),
  };
  if (row) await trx('holds').where({ payment_id: paymentId }).update(kept);
  else await trx('holds').insert({ ...rowOf({ paymentId, from, reserved, amountMinor: 0n }), ...kept });
}

/** Such a reserve may change with every report of the provider: each change is booked under its own number. */
async function nextLeg(trx: Transaction, paymentId: string): Promise<string> {
  const [row] = await trx('ledger_entries')
    .where({ source_type: 'hold', source_id: paymentId })
    .count<{ n: string | number }[]>({ n: '*' });
  return `change:${String(Number(row?.n ?? 0) + 1)}`;
}
