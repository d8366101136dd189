/** A payout whose amount is set aside, as it is accepted. */
import { openAccount } from '../../src/ledger/accounts';
import { placeHold } from '../../src/ledger/holds';
import { transfer } from '../../src/ledger/transfers';
import { holdKeysOf } from '../../src/payments/moves/money-effects';
import { getPaymentOrThrow } from '../../src/payments/record/payments';
import type { Database } from '../../src/store/database';
import type { PaymentRow } from '../../src/store/tables';
import { inTransaction } from '../../src/store/transaction';
import { bank, heldIn } from '../ledger/books';

const keysOf = (payment: PaymentRow) => holdKeysOf('payout', { ...payment, country: null });

/** Funds the float of its merchant for it. @returns the payment. */
export async function setAside(db: Database, paymentId: string): Promise<PaymentRow> {
  const payment = await getPaymentOrThrow(db, paymentId);
  const keys = keysOf(payment);
  const amountMinor = BigInt(payment.requested_minor);
  const whenShort = 'FLOAT_INSUFFICIENT' as const;
  await transfer(db, { from: bank, to: keys.from, amountMinor, reason: 'funding', whenShort });
  const [from, reserved] = [await openAccount(db, keys.from), await openAccount(db, keys.reserved)];
  await inTransaction(db, (trx) => placeHold(trx, { paymentId, from, reserved, amountMinor, whenShort }));
  return payment;
}

/** What is free in its float, and what is set aside; minor units. */
export async function floatOf(db: Database, payment: PaymentRow): Promise<bigint[]> {
  const keys = keysOf(payment);
  return [await heldIn(db, keys.from), await heldIn(db, keys.reserved)];
}
