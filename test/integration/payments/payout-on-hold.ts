/** An accepted payout with its reserve, and the process that submits it. */
import { openAccount } from '../../../src/ledger/accounts';
import { placeHold } from '../../../src/ledger/holds';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { holdKeysOf } from '../../../src/payments/transition/money-effects';
import type { Operation } from '../../../src/rail-kit/rail';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import type { Database } from '../../../src/store/database';
import type { PaymentRow } from '../../../src/store/tables';
import { inTransaction } from '../../../src/store/transaction';
import { bank, heldIn } from '../ledger/books';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { fakeContext, type FakeContext } from '../../support/payments/fakes';

export interface OutgoingStage {
  db: Database;
  /** A process that has not read the paused accounts yet. */
  context: FakeContext;
  /** The operations of its only rail, in and out. */
  operation: Operation;
}

/** For the tests of one file: a database, and before each of them a process whose rail pays out as it collects. */
export function outgoingStage(): OutgoingStage {
  const on = {} as OutgoingStage & { database: TestDatabase };
  beforeAll(async () => {
    on.database = await createTestDatabase();
    on.db = on.database.db;
  });
  beforeEach(() => {
    on.context = fakeContext(on.db.withUserParams({}));
    const { operations } = on.context.rails.get('stk');
    if (!operations.deposit) throw new Error('the rail takes no deposits');
    on.operation = operations.deposit;
    Object.assign(operations, { payout: on.operation, refund: on.operation });
  });
  afterAll(() => on.database.drop());
  return on;
}

const keysOf = (payment: PaymentRow) => holdKeysOf('payout', { ...payment, country: null });

/** Funds the merchant's float for it. @returns the payment. */
export async function setAside(db: Database, paymentId: string): Promise<PaymentRow> {
  const payment = await getPaymentOrThrow(db, paymentId);
  const keys = keysOf(payment);
  const amountMinor = BigInt(payment.requested_minor);
  const whenShort = 'FLOAT_INSUFFICIENT' as const;
  await transferByHand(db, { from: bank, to: keys.from, amountMinor, reason: 'funding', whenShort });
  const [from, reserved] = [await openAccount(db, keys.from), await openAccount(db, keys.reserved)];
  await inTransaction(db, (trx) => placeHold(trx, { paymentId, from, reserved, amountMinor, whenShort }));
  return payment;
}

/** The available and the reserved amount of its float; minor units. */
export async function floatOf(db: Database, payment: PaymentRow): Promise<bigint[]> {
  const keys = keysOf(payment);
  return [await heldIn(db, keys.from), await heldIn(db, keys.reserved)];
}
