import type { ErrorCode } from '../domain/errors';
import type { Transaction } from '../store/database';
import type { Account } from './accounts';
import { postEntry } from './post-entry';

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
  await postEntry(trx, {
    source: { type: 'hold', id: hold.paymentId, leg: 'reserve' },
    paymentId: hold.paymentId,
    whenShort: hold.whenShort,
    lines: [
      { account: hold.from, amountMinor: -hold.amountMinor },
      { account: hold.reserved, amountMinor: hold.amountMinor },
    ],
  });
  await trx('holds').insert({
    payment_id: hold.paymentId,
    account_id: hold.from.accountId,
    reserved_account_id: hold.reserved.accountId,
    currency: hold.from.currency,
    amount: hold.amountMinor.toString(),
    state: 'open',
    created_at: new Date(),
    closed_at: null,
  });
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
