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

  it('is noted, and asked for when its time has come', async () => {
    const id = await noted();
    expect(await askForReceipts(context)).toBe(0);
    await comesDue();
    expect(await askForReceipts(context)).toBe(1);
    expect([asked, await askForReceipts(context)]).toEqual([[id], 0]);
  });

  it('is asked for by one worker', async () => {
    const id = await noted();
    await comesDue();
    await Promise.all(Array.from({ length: 4 }, () => askForReceipts(context)));
    expect(asked).toEqual([id]);
  });

  it.each<[string, Partial<PaymentRow>]>([
    ['has one', { provider_receipt: 'UA55TEST01' }],
    ['has failed', { state: 'failed' }],
  ])('is not noted where the payment %s', async (_what, changes) => {
    await noted(changes);
    expect(await rows()).toEqual([]);
  });

  it('is not noted where nobody can be asked', async () => {
    delete operation().requestReceipt;
    await noted();
    expect(await rows()).toEqual([]);
  });

  it('is not asked for once a late callback has told it', async () => {
    const id = await noted();
    await database.db('payments').where({ payment_id: id }).update({ provider_receipt: 'UA55TEST02' });
    await comesDue();
    await askForReceipts(context);
    expect([asked, await rows()]).toEqual([[], []]);
  });

  it('is asked for four times, and stays missing then', async () => {
    const id = await noted();
    for (let n = 0; n < 6; n += 1) {
      await comesDue();
      await askForReceipts(context);
    }
    expect([asked, await rows()]).toEqual([Array(4).fill(id), []]);
  });

  it('is asked for again later when asking goes wrong, and keeps nobody else waiting', async () => {
    const [bad, good] = [await noted(), await noted()];
    operation().requestReceipt = (payment, token, call) =>
      payment.payment_id === bad ? Promise.reject(new Error('lost')) : ask(payment, token, call);
    await comesDue();
    await askForReceipts(context);
    expect([asked, await askForReceipts(context)]).toEqual([[good], 0]);
    expect((await rows()).map(({ tries }) => tries)).toEqual([1, 1]);
  });
});
