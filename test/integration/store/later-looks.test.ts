/** Orders and payouts whose last look had passed before there were later ones: the migration plans what remains. */
import { createMerchant } from '../../../src/merchants/merchants';
import { claimLaterLooks } from '../../../src/payments/recovery/sweeper';
import { planLook } from '../../../src/payments/transition/plan-look';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import { up } from '../../../src/store/migrations/023-later-looks';
import type { PaymentRow } from '../../../src/store/tables';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { box, insertPayment } from '../../support/verify/books-support';

const day = 86_400_000;
const policy = {
  checksMs: [],
  rechecksMs: [],
  watchMs: 0,
  confirmDelaysMs: [],
  afterSuccessChecksMs: [1, 7, 30, 60, 90, 120, 180].map((n) => n * day),
};

describe('a payment whose last look has passed', () => {
  let test: TestDatabase;
  let merchantId: string;
  beforeAll(async () => {
    test = await createTestDatabase();
    const merchant = await createMerchant(test.db, box, { name: 'Duka', environment: 'sandbox' });
    merchantId = merchant.merchant_id;
  });
  afterAll(() => test.drop());

  async function paid(daysAgo: number, changes: Partial<PaymentRow> = {}): Promise<string> {
    const { payment_id: id } = await insertPayment(test.db, {
      merchantId,
      rail: 'walletpay',
      with: {
        state: 'succeeded',
        is_final: 1,
        confirmed_minor: '10000',
        finished_at: new Date(Date.now() - daysAgo * day),
        next_look_at: null,
        ...changes,
      },
    });
    return id;
  }
  const planned = async (id: string) => (await getPaymentOrThrow(test.db, id)).next_look_at;
  /** What is planned for a payment that is looked at today. */
  const asToday = async (id: string) => planLook(policy, await getPaymentOrThrow(test.db, id));

  it.each<[string, number, Partial<PaymentRow>]>([
    ['an order after 31 days', 31, {}],
    ['an order after 100 days', 100, {}],
    ['a payout after 179 days', 179, { kind: 'payout', confirmed_minor: null }],
    ['an order of which a part went back', 61, { state: 'refunded', given_back_minor: '1' }],
    ['an order of a sandbox whose clock is ten days ahead', 40, { clock_ahead_ms: String(10 * day) }],
  ])('has its next one: %s', async (_what, daysAgo, changes) => {
    const id = await paid(daysAgo, changes);
    await up(test.db);
    const look = await planned(id);
    expect(look?.getTime()).toBeGreaterThan(Date.now());
    // It was written when such a look was given ten minutes more.
    const late = (look?.getTime() ?? 0) - ((await asToday(id))?.getTime() ?? 0);
    expect(Math.abs(late - 600_000)).toBeLessThan(1_000);
  });

  it.each<[string, number, Partial<PaymentRow>]>([
    ['is past them all', 181, {}],
    ['has gone back whole', 61, { state: 'refunded', given_back_minor: '10000' }],
    ['has failed', 61, { state: 'failed', confirmed_minor: null }],
    ['came back', 61, { kind: 'payout', state: 'returned' }],
    ['is of a rail without such looks', 61, { rail: 'stk' }],
  ])('has none where it %s', async (_what, daysAgo, changes) => {
    const id = await paid(daysAgo, changes);
    await up(test.db);
    expect(await planned(id)).toBeNull();
  });

  it('keeps a look that is planned, and none is due at once', async () => {
    const at = new Date(Math.floor((Date.now() + day) / 1_000) * 1_000);
    const id = await paid(31, { next_look_at: at });
    await up(test.db);
    expect(await planned(id)).toEqual(at);
    expect(await claimLaterLooks(test.db, 'walletpay')).toEqual([]);
  });
});
