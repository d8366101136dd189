/** The schedule in a payment's row, as far as it depends on more than the payment's age. */
import { createMerchant } from '../../../../src/merchants/merchants';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { giveUpQueued } from '../../../../src/payments/resolve/cancel';
import { review } from '../../../../src/payments/resolve/review';
import { submitPayment } from '../../../../src/payments/submit/submit-payment';
import type { PaymentRow } from '../../../../src/store/tables';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { fakeContext, type FakeContext } from '../../../support/payments/fakes';
import { insertPayment } from '../../../support/store/rows';
import { box } from '../../../support/verify/books-support';

const minute = 60_000;
const hour = 60 * minute;

let test: TestDatabase;
let context: FakeContext;
let merchantId: string;
beforeAll(async () => {
  test = await createTestDatabase();
  const merchant = await createMerchant(test.db, box, { name: 'Duka', environment: 'sandbox' });
  merchantId = merchant.merchant_id;
});
afterAll(() => test.drop());
beforeEach(() => {
  context = fakeContext(test.db);
  const { deposit } = context.rails.get('stk').operations;
  if (!deposit) throw new Error('no deposit');
  deposit.policy = {
    ...{ version: 1, checksMs: [hour, 10 * hour], rechecksMs: [], watchMs: 11 * hour },
    ...{ confirmDelaysMs: [minute, 5 * minute], queuedMaxMs: 2 * hour },
  };
  deposit.cancel = () => Promise.resolve('too_late');
});

const ago = (ms: number) => new Date(Date.now() - ms);
const stored = (id: string) => getPaymentOrThrow(test.db, id);

function waiting(ageMs: number, changes: Partial<PaymentRow>): Promise<string> {
  return insertPayment(test.db, {
    ...{ merchant_id: merchantId, state: 'pending', created_at: ago(ageMs), accepted_at: ago(ageMs) },
    ...{ next_check_at: new Date(Date.now() + 3 * hour), ...changes },
  });
}

it('a cancelled queued payment is due when its provider must confirm, also after its workflow was lost', async () => {
  const id = await waiting(3 * hour, { state: 'queued' });
  expect(await giveUpQueued(context, id)).toBe('too_late');
  const { next_check_at: due, details } = await stored(id);
  // The first confirmation, and the minimal wait of another process after it.
  expect(due?.getTime()).toBeLessThan(Date.now() + 2 * minute + 1_000);
  expect(details).toMatchObject({ given_up_times: '1', given_up_in_vain: 'no' });
  const again = await submitPayment(context, id);
  expect(again).toMatchObject({ initiation: { abandoned: { times: 1, inVain: false }, unnamed: true } });
  await giveUpQueued(context, id);
  expect((await stored(id)).details).toMatchObject({ given_up_times: '2' });
});

it('a payment that waits for the provider’s result is due early only before the first query', async () => {
  const soon = new Date(Date.now() + 5 * minute);
  const id = await waiting(minute, { provider_reference: 'ref', next_check_at: soon });
  const check = (cause: 'notification' | 'check') =>
    review(context, { paymentId: id, cause, patient: true, ask: (_rail, call) => call() });
  expect((await check('notification')).asked).toBeUndefined();
  expect((await stored(id)).next_check_at).toEqual(soon);
  expect((await check('check')).asked).toBe(true);
  expect((await stored(id)).next_check_at?.getTime()).toBeGreaterThan(Date.now() + 50 * minute);
});
