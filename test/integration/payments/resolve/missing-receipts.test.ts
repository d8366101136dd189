import { askForReceipts, noteMissingReceipt } from '../../../../src/payments/resolve/missing-receipts';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { Operation } from '../../../../src/rail-kit/rail';
import type { PaymentRow } from '../../../../src/store/tables';
import { insertPayment } from '../../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { fakeContext, type FakeContext } from '../../../support/payments/fakes';

describe('a success without a receipt', () => {
  let database: TestDatabase;
  let context: FakeContext;
  let asked: string[];
  const ask: NonNullable<Operation['requestReceipt']> = ({ payment_id: id }) => {
    asked.push(id);
    return Promise.resolve({ kind: 'asked' });
  };
  const operation = () => {
    const { deposit } = context.rails.get('stk').operations;
    if (!deposit) throw new Error('no such operation');
    return deposit;
  };
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    context = fakeContext(database.db);
    asked = [];
    operation().requestReceipt = ask;
    await database.db('missing_receipts').delete();
  });

  async function noted(changes: Partial<PaymentRow> = {}): Promise<string> {
    const id = await insertPayment(database.db, { state: 'succeeded', is_final: 1, ...changes });
    const payment = await getPaymentOrThrow(database.db, id);
    await database.db.transaction((trx) => noteMissingReceipt(trx, context, payment));
    return id;
  }
  const rows = () => database.db('missing_receipts');
  const comesDue = () => database.db.raw('UPDATE missing_receipts SET next_at = UTC_TIMESTAMP(3)');

  it('is recorded, and requested when due', async () => {
    const id = await noted();
    expect(await askForReceipts(context)).toBe(0);
    await comesDue();
    expect(await askForReceipts(context)).toBe(1);
    expect([asked, await askForReceipts(context)]).toEqual([[id], 0]);
  });

  it('is requested by one worker', async () => {
    const id = await noted();
    await comesDue();
    await Promise.all(Array.from({ length: 4 }, () => askForReceipts(context)));
    expect(asked).toEqual([id]);
  });

  it.each<[string, Partial<PaymentRow>]>([
    ['has one', { provider_receipt: 'UA55TEST01' }],
    ['has failed', { state: 'failed' }],
  ])('is not recorded if the payment %s', async (_what, changes) => {
    await noted(changes);
    expect(await rows()).toEqual([]);
  });

  it('is not recorded if the provider cannot be queried', async () => {
    delete operation().requestReceipt;
    await noted();
    expect(await rows()).toEqual([]);
  });

  it('is not requested once a late notification contains the receipt', async () => {
    const id = await noted();
    await database.db('payments').where({ payment_id: id }).update({ provider_receipt: 'UA55TEST02' });
    await comesDue();
    await askForReceipts(context);
    expect([asked, await rows()]).toEqual([[], []]);
  });

  it('is requested four times, and then stays without one', async () => {
    const id = await noted();
    for (let n = 0; n < 6; n += 1) {
      await comesDue();
      await askForReceipts(context);
    }
    expect([asked, await rows()]).toEqual([Array(4).fill(id), []]);
  });

  it('is requested again later after an error, and delays no others', async () => {
    const [bad, good] = [await noted(), await noted()];
    operation().requestReceipt = (payment, token, call) =>
      payment.payment_id === bad ? Promise.reject(new Error('lost')) : ask(payment, token, call);
    await comesDue();
    await askForReceipts(context);
    expect([asked, await askForReceipts(context)]).toEqual([[good], 0]);
    expect((await rows()).map(({ tries }) => tries)).toEqual([1, 1]);
  });
});
