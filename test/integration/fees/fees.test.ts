/** The fees of payments, from their creation to every final state. */
import { endFee, setFee, type NewFee } from '../../../src/fees/schedules';
import { balanceOf } from '../../../src/ledger/balances';
import type { AccountKey } from '../../../src/ledger/accounts';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { verify } from '../../../src/verify/verify';
import { feeInWords } from '../../../src/payments/transition/fees';
import { writePayment } from '../../../src/payments/create/write-payment';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import type { PaymentDraft } from '../../../src/rail-kit/draft';
import type { Database } from '../../../src/store/database';
import type { PaymentRow } from '../../../src/store/tables';
import { createPayer, settled, type Payer } from '../controls/stage';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { contest, transitionTo } from '../../support/verify/books-support';

let test: TestDatabase;
let db: Database;
let payer: Payer;
beforeAll(async () => {
  test = await createTestDatabase();
  db = test.db;
});
beforeEach(async () => {
  payer = await createPayer(db);
});
afterEach(async () => {
  const { checks } = await verify(db, payer.context.rails);
  expect(checks.flatMap(({ violations }) => violations)).toEqual([]);
});
afterAll(() => test.drop());

async function charge(fee: Partial<NewFee> & Pick<NewFee, 'operation'>): Promise<string> {
  const given = { merchant_id: payer.merchantId, currency: 'KES', reason: 'a test', ...fee } as const;
  return (await setFee(db, given, { by: 'nobody' })).fee_id;
}

const collect = (amountMinor: bigint, changes: Partial<PaymentDraft> = {}) =>
  writePayment(payer.context, payer.call, {
    ...{ rail: 'loud', kind: 'deposit', provider: 'test', currency: 'KES', requestedMinor: amountMinor },
    ...changes,
  });

async function transition(
  { payment_id: id }: PaymentRow,
  ...[to, changes]: [PaymentRow['state'], Partial<PaymentRow>?]
): Promise<PaymentRow> {
  await transitionTo(payer.context, id, to, changes ? { changes } : {});
  return getPaymentOrThrow(db, id);
}

async function paid(payment: PaymentRow, changes?: Partial<PaymentRow>): Promise<PaymentRow> {
  await transition(payment, 'initiating');
  return transition(payment, 'succeeded', changes);
}

const walletKey = (): AccountKey => ({ class: 'wallet', merchantId: payer.merchantId, currency: 'KES' });
const wallet = () => balanceOf(db, walletKey());
const floatKey = (kind: 'float' | 'float_reserved'): AccountKey => {
  const { merchantId } = payer;
  return { class: kind, merchantId, rail: 'loud', country: 'KEN', currency: 'KES' };
};
const float = () => balanceOf(db, floatKey('float'));
const reserved = () => balanceOf(db, floatKey('float_reserved'));
/** The fee of a payment that the platform holds. */
async function ours({ payment_id: id }: PaymentRow): Promise<bigint> {
  const rows = await db('ledger_postings as l')
    .join('ledger_accounts as a', 'a.account_id', 'l.account_id')
    .join('ledger_entries as e', 'e.entry_id', 'l.entry_id')
    .where({ 'a.class': 'fees', 'e.payment_id': id })
    .select<{ amount: string }[]>('l.amount');
  return rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}
const floatAtFirst = 1_000_000_000n;

describe('a collection', () => {
  it('has no fee when none is set', async () => {
    await charge({ operation: 'payout', fixed: '500' });
    await charge({ operation: 'collection', currency: 'USD', fixed: '500' });
    await charge({ operation: 'collection', rail: 'quiet', fixed: '500' });
    const payment = await paid(await collect(10_000n));
    expect([payment.fee_id, payment.fee_minor, await wallet()]).toEqual([null, null, 10_000n]);
  });

  it('is credited in full, and its fee is charged to the wallet in the same transaction', async () => {
    const feeId = await charge({ operation: 'collection', fixed: '100', per_million: 15_000 });
    const accepted = await collect(10_000n);
    expect([accepted.fee_id, accepted.fee_minor, feeInWords(accepted)]).toEqual([feeId, null, {}]);
    const payment = await paid(accepted);
    expect([payment.fee_minor, feeInWords(payment)]).toEqual(['250', { fee: '2.50', fee_currency: 'KES' }]);
    expect([await wallet(), await ours(payment)]).toEqual([9_750n, 250n]);
  });

  it('keeps the fee schedule of its creation', async () => {
    const first = await charge({ operation: 'collection', fixed: '100' });
    const before = await collect(10_000n);
    await charge({ operation: 'collection', fixed: '900' });
    const after = await collect(10_000n);
    expect(before.fee_id).toBe(first);
    expect([(await paid(before)).fee_minor, (await paid(after)).fee_minor]).toEqual(['100', '900']);
    const free = await collect(10_000n);
    await endFee(db, after.fee_id ?? '', { by: 'nobody', reason: 'over' });
    expect((await paid(free)).fee_minor).toBe('900');
    expect((await paid(await collect(10_000n))).fee_minor).toBeNull();
  });

  it('is charged by the paid amount, and never more than that', async () => {
    await charge({ operation: 'collection', per_million: 10_000, minimum: '50' });
    const less = await paid(await collect(10_000n), { confirmed_minor: '8000' });
    const cents = await paid(await collect(10_000n), { confirmed_minor: '30' });
    expect([less.fee_minor, cents.fee_minor, await wallet()]).toEqual(['80', '30', 8_000n - 80n]);
  });

  it('is charged in the currency of its credit', async () => {
    await charge({ operation: 'collection', currency: 'USD', per_million: 10_000 });
    const draft = { instructedMinor: 10_000n, creditedCurrency: 'USD' } as const;
    const accepted = await collect(10_000n, draft);
    await db('fx_quotes').insert({
      ...{ payment_id: accepted.payment_id, purpose: 'credit', base: 'KES', quote: 'USD', rate: '0.01' },
      ...{
        source: 'test',
        observed_at: new Date(),
        from_minor: '10000',
        to_minor: '100',
        rounding_minor: '0',
      },
      created_at: new Date(),
    });
    const payment = await paid(accepted, { credited_minor: '100' });
    expect(feeInWords(payment)).toEqual({ fee: '0.01', fee_currency: 'USD' });
    expect(await balanceOf(db, { ...walletKey(), currency: 'USD' })).toBe(99n);
  });

  it('that fails has no fee, and is charged when it is paid after all', async () => {
    await charge({ operation: 'collection', fixed: '100' });
    const payment = await collect(10_000n);
    await transition(payment, 'initiating');
    const failed = await transition(payment, 'failed');
    expect([failed.fee_minor, feeInWords(failed), await ours(payment)]).toEqual([null, {}, 0n]);
    await transition(payment, 'succeeded');
    expect([await ours(payment), await wallet()]).toEqual([100n, 9_900n]);
  });

  it('gets back its fee in proportion to each refund by the provider', async () => {
    await charge({ operation: 'collection', fixed: '101' });
    const payment = await paid(await collect(10_000n));
    const reported = async (to: 'refunded' | 'reversed' | 'succeeded', returned_minor: string) => {
      const now = await transition(payment, to, { returned_minor });
      return [feeInWords(now).fee, await ours(payment), await wallet()];
    };
    expect(await reported('refunded', '3333')).toEqual(['0.68', 68n, 10_000n - 3_333n - 68n]);
    expect(await reported('reversed', '10000')).toEqual([undefined, 0n, 0n]);
    expect(await reported('succeeded', '0')).toEqual(['1.01', 101n, 9_899n]);
  });

  it('that is reversed from an empty wallet leaves a debt of the money without the fee', async () => {
    await charge({ operation: 'collection', fixed: '100' });
    const payment = await paid(await collect(10_000n));
    await spend(9_900n);
    await transition(payment, 'reversed', { returned_minor: '10000' });
    expect(await wallet()).toBe(-9_900n);
    // The next collection pays off the debt, after its own fee.
    const next = await paid(await collect(5_000n));
    expect([await wallet(), await ours(next)]).toEqual([-5_000n, 100n]);
  });

  const spend = (amountMinor: bigint) =>
    transferByHand(db, {
      ...{ from: walletKey(), to: { class: 'bank', currency: 'KES' }, amountMinor },
      ...{ reason: 'paid out', whenShort: 'BALANCE_INSUFFICIENT' },
    });

  it('that is disputed is reserved without its fee, and is reversed in full', async () => {
    await charge({ operation: 'collection', fixed: '100' });
    const payment = await paid(await collect(10_000n));
    await contest(payer.context, payment.payment_id);
    expect(await wallet()).toBe(0n);
    await transition(payment, 'reversed', { returned_minor: '10000' });
    expect([await wallet(), await ours(payment)]).toEqual([0n, 0n]);
  });

  it('keeps its fee when the merchant refunds it', async () => {
    await charge({ operation: 'collection', fixed: '100' });
    const [deposit] = [await paid(await collect(10_000n)), await paid(await collect(10_000n))];
    const owner = { merchantId: payer.merchantId, currency: 'KES' } as const;
    const refund = await writePayment(payer.context, payer.call, {
      ...{ rail: 'loud', kind: 'refund', provider: 'test', currency: 'KES', requestedMinor: 4_000n },
      parentId: deposit.payment_id,
      hold: {
        from: { class: 'wallet', ...owner },
        reserved: { class: 'wallet_reserved', ...owner },
        whenShort: 'BALANCE_INSUFFICIENT',
      },
    });
    await paid(refund);
    expect([refund.fee_id, await ours(deposit), await wallet()]).toEqual([null, 100n, 19_800n - 4_000n]);
  });
});

describe('a payout', () => {
  it('reserves its fee with its amount, and books it when it is paid', async () => {
    await charge({ operation: 'payout', fixed: '500', per_million: 10_000 });
    const payment = await payer.pay(10_000n);
    expect([payment.fee_minor, feeInWords(payment).fee]).toEqual(['600', '6.00']);
    expect([await float(), await reserved()]).toEqual([floatAtFirst - 10_600n, 10_600n]);
    await payer.end(payment, 'succeeded');
    expect([await float(), await reserved(), await ours(payment)]).toEqual([
      floatAtFirst - 10_600n,
      0n,
      600n,
    ]);
  });

  it.each(['failed', 'cancelled'] as const)('that %s gets its fee back', async (state) => {
    await charge({ operation: 'payout', fixed: '500' });
    const payment = await payer.pay(10_000n);
    await payer.end(payment, state);
    expect([await float(), await reserved(), await ours(payment)]).toEqual([floatAtFirst, 0n, 0n]);
    expect(feeInWords(await getPaymentOrThrow(db, payment.payment_id))).toEqual({});
  });

  it('that is returned after it was paid gets its fee back too', async () => {
    await charge({ operation: 'payout', fixed: '500' });
    const payment = await payer.pay(10_000n);
    await payer.end(payment, 'succeeded');
    const returned = await transition(payment, 'returned');
    expect([await float(), await ours(payment), feeInWords(returned)]).toEqual([floatAtFirst, 0n, {}]);
  });

  it('keeps the fee of its creation', async () => {
    await charge({ operation: 'payout', fixed: '500' });
    const payment = await payer.pay(10_000n);
    await charge({ operation: 'payout', fixed: '900' });
    await payer.end(payment, 'succeeded');
    expect(await ours(payment)).toBe(500n);
  });

  it('is rejected when the float covers the amount without the fee, and nothing is written', async () => {
    await charge({ operation: 'payout', fixed: '500' });
    const all = payer.pay(floatAtFirst - 499n);
    await expect(all).rejects.toMatchObject({ code: 'FLOAT_INSUFFICIENT' });
    expect([await float(), await reserved()]).toEqual([floatAtFirst, 0n]);
    await payer.pay(floatAtFirst - 500n);
    expect(await float()).toBe(0n);
  });

  it('in another currency is charged in the currency of its float', async () => {
    await charge({ operation: 'payout', fixed: '500' });
    const at = { base: 'KES', quote: 'USD', rate: '0.01', source: 'test', observedAt: new Date() } as const;
    const sent = { instructedMinor: 100n, instructedCurrency: 'USD', quote: at } as const;
    const payment = await payer.pay(10_000n, sent);
    await payer.end(payment, 'succeeded');
    expect([await float(), await ours(payment)]).toEqual([floatAtFirst - 10_500n, 500n]);
    await transition(payment, 'returned');
    expect([await float(), await ours(payment)]).toEqual([floatAtFirst, 0n]);
  });

  it('in a bulk has the same fee as alone', async () => {
    await charge({ operation: 'payout', per_million: 10_000, minimum: '150' });
    await charge({ operation: 'payout', rail: 'quiet', fixed: '7' });
    const drafts = [payer.draft(10_000n), payer.draft(20_000n, { recipient: '+254700000002' })];
    const rows = await payer.payMany(drafts);
    expect(rows.map(({ fee_minor: minor }) => minor)).toEqual(['150', '200']);
    expect(await reserved()).toBe(30_350n);
    for (const [n, row] of rows.entries()) await payer.end(row, n === 0 ? 'succeeded' : 'failed');
    expect([await float(), await reserved()]).toEqual([floatAtFirst - 10_150n, 0n]);
  });

  it('never spends the reserved fee of another payout, however many run at once', async () => {
    await charge({ operation: 'payout', fixed: '1' });
    const each = floatAtFirst / 5n;
    const { taken, refused } = await settled(Array.from({ length: 10 }, () => payer.pay(each)));
    expect([taken, refused.length, await reserved()]).toEqual([4, 6, 4n * (each + 1n)]);
  });
});
