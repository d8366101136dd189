/** Payouts to new recipients: which ones are put on hold, also when many are created at once. */
import { releasePayout } from '../../../src/controls/holds';
import { endLimit } from '../../../src/controls/limits';
import type { Database, Transaction } from '../../../src/store/database';
import type { PaymentRow } from '../../../src/store/tables';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { createPayer, type Payer } from './stage';

let database: TestDatabase;
let db: Database;
let aheadMs: number;
let payer: Payer;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
beforeEach(async () => {
  aheadMs = 0;
  payer = await createPayer(db, { aheadMs: () => aheadMs });
});
afterAll(() => database.drop());

const hour = 3_600_000;
const to = (n: number) => ({ recipient: `+2547100${String(n).padStart(5, '0')}` });
const heldFor = ({ details }: PaymentRow) => details['on_hold'];
const holdOf = ({ payment_id: id }: PaymentRow) => db('payout_holds').where({ payment_id: id }).first();
const wait = 'FIRST_PAYMENT_COOLDOWN';
const many = 'NEW_RECIPIENTS_PER_DAY';

/** A database that rolls back the first transaction of a bulk, and runs `meanwhile` before the next one. */
function deadlocksOnce(merchantId: string, meanwhile: () => Promise<unknown>): Database {
  const deadlock = Object.assign(new Error('a deadlock'), { errno: 1213 });
  let isOver = false;
  async function transaction(work: (trx: Transaction) => Promise<unknown>): Promise<unknown> {
    try {
      return await db.transaction(async (trx) => {
        const result = await work(trx);
        if (isOver || !(await trx('bulk_payouts').where({ merchant_id: merchantId }).first())) return result;
        isOver = true;
        throw deadlock;
      });
    } catch (error) {
      if (error === deadlock) await meanwhile();
      throw error;
    }
  }
  return new Proxy(db, {
    get: (target, name) => (name === 'transaction' ? transaction : (Reflect.get(target, name) as unknown)),
  });
}

describe('a first payment above an amount', () => {
  beforeEach(async () => {
    await payer.limit({ kind: 'first_payment_cooldown', amount: '50000', cooldown_s: 3_600 });
  });

  it('is on hold for its cool-down; a smaller one, or one to a known recipient, is not', async () => {
    const small = await payer.pay(50_000n, to(1));
    const large = await payer.pay(50_001n, to(1));
    expect([heldFor(small), heldFor(large)]).toEqual([undefined, wait]);
    expect(await holdOf(small)).toBeUndefined();
    const hold = await holdOf(large);
    expect(hold).toMatchObject({ reason: 'first_payment_cooldown', released_at: null });
    const waitsMs = Number(hold?.until_at) - Number(hold?.held_at);
    expect([waitsMs > hour - 60_000, waitsMs <= hour]).toEqual([true, true]);
    expect(await payer.context.db('payments').where({ payment_id: large.payment_id }).first()).toMatchObject({
      details: { on_hold: wait },
    });
    aheadMs = hour;
    expect(heldFor(await payer.pay(1_000_000n, to(1)))).toBeUndefined();
    expect(heldFor(await payer.pay(1_000_000n, to(2)))).toBe(wait);
  });

  it('to a recipient whose earlier payout was not paid is still a first payment', async () => {
    const failed = await payer.pay(100n, to(3));
    await payer.end(failed, 'failed');
    await payer.pay(60_000n, to(4));
    aheadMs = hour - 60_000;
    expect(heldFor(await payer.pay(60_000n, to(3)))).toBe(wait);
    expect(heldFor(await payer.pay(60_000n, to(4)))).toBe(wait);
  });

  it('is on hold each time, for a hundred at once to one recipient and in one bulk', async () => {
    const atOnce = await Promise.all(Array.from({ length: 100 }, () => payer.pay(60_000n, to(5))));
    const inBulk = await payer.payMany([
      payer.draft(100n, to(6)),
      ...Array.from({ length: 3 }, () => payer.draft(60_000n, to(6))),
    ]);
    expect(atOnce.filter((payment) => heldFor(payment) === wait)).toHaveLength(100);
    expect(inBulk.map(heldFor)).toEqual([undefined, wait, wait, wait]);
  });

  it('in a bulk that is tried again follows the limits of that moment', async () => {
    const other = await createPayer(db);
    const limitId = await other.limit({
      kind: 'first_payment_cooldown',
      amount: '50000',
      cooldown_s: 3_600,
    });
    other.context.db = deadlocksOnce(other.merchantId, () =>
      endLimit(db, limitId, { by: 'nobody', aheadMs: 0, reason: 'a test' }),
    );
    const [payment] = await other.payMany([other.draft(60_000n, to(10))]);
    if (!payment) throw new Error('nothing was written');
    expect([heldFor(payment), await holdOf(payment)]).toEqual([undefined, undefined]);
    const row = await db('payments').where({ payment_id: payment.payment_id }).first();
    expect(row?.details).toEqual(payment.details);
  });

  it('of another merchant, rail or currency than the limit’s is not on hold', async () => {
    const other = await createPayer(db);
    expect(heldFor(await other.pay(60_000n, to(7)))).toBeUndefined();
    await other.limit({ kind: 'first_payment_cooldown', amount: '1', cooldown_s: 60, rail: 'quiet' });
    expect(heldFor(await other.pay(60_000n, to(8)))).toBeUndefined();
    expect(heldFor(await other.pay(60_000n, { ...to(9), rail: 'quiet' }))).toBe(wait);
  });
});

describe('with a limit on new recipients per day', () => {
  beforeEach(async () => {
    await payer.limit({ kind: 'new_recipients_per_day', most: 3 });
  });

  it('payments to the next recipient are on hold, and those to known recipients are not', async () => {
    const paid = [await payer.pay(100n, to(1)), await payer.pay(100n, to(2)), await payer.pay(100n, to(3))];
    const next = await payer.pay(100n, to(4));
    const again = await payer.pay(100n, to(4));
    const known = await payer.pay(100n, to(1));
    expect(paid.map(heldFor)).toEqual([undefined, undefined, undefined]);
    expect([next, again, known].map(heldFor)).toEqual([many, many, undefined]);
    expect(await holdOf(next)).toMatchObject({ until_at: null });
    // A payout on hold does not make its recipient known, not even a day later. A released one does.
    aheadMs = 25 * hour;
    const later = [5, 6, 7].map((n) => payer.pay(100n, to(n)));
    expect((await Promise.all(later)).map(heldFor)).toEqual([undefined, undefined, undefined]);
    expect(heldFor(await payer.pay(100n, to(4)))).toBe(many);
    await releasePayout(db, next.payment_id, { by: 'amina', note: 'called' });
    expect(heldFor(await payer.pay(100n, to(4)))).toBeUndefined();
  });

  it('a hundred at once, and one bulk, have exactly as many without a hold as allowed', async () => {
    const atOnce = await Promise.all(Array.from({ length: 100 }, (_, n) => payer.pay(100n, to(n))));
    expect(atOnce.filter((payment) => heldFor(payment) === undefined)).toHaveLength(3);
    const other = await createPayer(db);
    await other.limit({ kind: 'new_recipients_per_day', most: 3 });
    const rows = await other.payMany(Array.from({ length: 8 }, (_, n) => other.draft(100n, to(n % 5))));
    expect(rows.map(heldFor)).toEqual([
      undefined,
      undefined,
      undefined,
      many,
      many,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('the longest of several holds applies', async () => {
    await payer.limit({ kind: 'first_payment_cooldown', amount: '1', cooldown_s: 3_600 });
    for (const n of [1, 2, 3]) await payer.pay(1n, to(n));
    expect(heldFor(await payer.pay(100n, to(4)))).toBe(many);
    expect(heldFor(await payer.pay(100n, to(1)))).toBe(wait);
  });
});
