import type { ErrorCode } from '../domain/errors';
import { inChunks } from '../store/in-chunks';
import type { Transaction } from '../store/database';
import type { HoldRow } from '../store/tables';
import type { Account } from './accounts';
import { postEntries, postEntry, type Entry } from './post-entry';

/** Money set aside for a payment that goes out: reserved when accepted, posted on success, released otherwise. */
export interface HoldRequest {
  paymentId: string;
  from: Account;
  reserved: Account;
  amountMinor: bigint;
  whenShort: ErrorCode;
}

/** @throws PaymentError `whenShort` when the account does not hold the amount. */
export async function placeHold(trx: Transaction, hold: HoldRequest): Promise<void> {
  await postEntry(trx, { ...reservation(hold), whenShort: hold.whenShort });
  await trx('holds').insert(rowOf(hold));
}

/** Many at once, from few accounts: each has its entry and its row, and every account is moved once by their sum. */
export async function placeHolds(
  trx: Transaction,
  holds: readonly Omit<HoldRequest, 'whenShort'>[],
  whenShort: ErrorCode,
): Promise<void> {
  await postEntries(trx, holds.map(reservation), whenShort);
  for (const some of inChunks(holds)) await trx('holds').insert(some.map(rowOf));
}

function reservation({ paymentId, from, reserved, amountMinor }: Omit<HoldRequest, 'whenShort'>): Entry {
  return {
    source: { type: 'hold', id: paymentId, leg: 'reserve' },
    paymentId,
    lines: [
      { account: from, amountMinor: -amountMinor },
      { account: reserved, amountMinor },
    ],
  };
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
  };
}

/** Pays the hold out to `to`, or gives it back to where it came from when `to` is absent. */
export async function closeHold(
  trx: Transaction,
  hold: Omit<HoldRequest, 'whenShort'>,
  to?: Account,
): Promise<void> {
  const state = to ? 'posted' : 'released';
  const closed = await trx('holds')
    .where({ payment_id: hold.paymentId, state: 'open', amount: hold.amountMinor.toString() })
    .update({ state, closed_at: new Date() });
  if (closed !== 1)
    throw new Error(`payment ${hold.paymentId} has no open hold of ${String(hold.amountMinor)}`);
  await postEntry(trx, {
    source: { type: 'hold', id: hold.paymentId, leg: to ? 'post' : 'release' },
    paymentId: hold.paymentId,
    lines: [
      { account: hold.reserved, amountMinor: -hold.amountMinor },
      { account: to ?? hold.from, amountMinor: hold.amountMinor },
    ],
  });
}
