/** Deposits that were booked days ago, with due checks, and a provider with scripted answers. */
import type { ProviderResult } from '../../../src/domain/outcome';
import { runLateChecks } from '../../../src/payments/recovery/late-checks';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import { review } from '../../../src/payments/resolve/review';
import type { PaymentRow } from '../../../src/store/tables';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { insertMerchant, insertPayment } from '../../support/store/rows';
import { transitionTo } from '../../support/verify/books-support';
import { paid, succeeded } from './dispute-stage';
import { fakeContext, fakeEngine, type FakeContext, type FakeEngine } from '../../support/payments/fakes';

export const minute = 60_000;
export const day = 86_400_000;
const days = [1, 7, 30, 180];

export const unknown: ProviderResult = { kind: 'unknown', text: 'HTTP 503' };

export interface LateChecksStage {
  database: TestDatabase;
  merchantId: string;
  context: FakeContext;
  engine: FakeEngine;
  /** The payments for which the provider was queried. */
  asked: string[];
  /** The provider's answer for them. */
  answer: (payment: PaymentRow) => ProviderResult | Promise<ProviderResult>;
}

/** One database for a test file, in which nothing is due when a test starts. */
export function lateChecksStage() {
  const on = {} as LateChecksStage;

  beforeAll(async () => {
    on.database = await createTestDatabase();
    on.merchantId = await insertMerchant(on.database.db);
  });
  afterAll(() => on.database.drop());
  beforeEach(async () => {
    await on.database.db('payments').update({ next_check_at: null });
    on.context = fakeContext(on.database.db);
    on.engine = fakeEngine(() => Promise.resolve('late'));
    on.asked = [];
    on.answer = () => succeeded;
    const { deposit } = on.context.rails.get('stk').operations;
    if (!deposit) throw new Error('the rail takes no deposits');
    Object.assign(deposit, {
      policy: { ...deposit.policy, afterSuccessChecksMs: days.map((n) => n * day) },
      retrieveStatus: (payment: PaymentRow) => {
        on.asked.push(payment.payment_id);
        return Promise.resolve(on.answer(payment));
      },
    });
  });

  const rowOf = (id: string) => getPaymentOrThrow(on.database.db, id);
  const check = () => runLateChecks(on.context, on.engine, 'stk');
  const inMs = async (id: string) => ((await rowOf(id)).next_check_at?.getTime() ?? NaN) - Date.now();
  const change = (id: string, changes: Partial<PaymentRow>) =>
    on.database.db('payments').where({ payment_id: id }).update(changes);
  const dueAgain = (id: string) => change(id, { next_check_at: new Date(Date.now() - 1_000) });
  /** The actions of the resumed workflow. */
  const reviewed = (paymentId: string, how: { isBusy?: boolean } = {}) =>
    review(on.context, {
      paymentId,
      cause: 'notification',
      patient: true,
      ask: (_rail, call) => (how.isBusy === true ? Promise.resolve('busy') : call()),
    });

  /** A deposit that was booked this many days ago, whose check of that day is due. */
  async function paidDaysAgo(daysAgo: number): Promise<string> {
    const amounts = { requested_minor: paid.toString(), instructed_minor: paid.toString() };
    const id = await insertPayment(on.database.db, { merchant_id: on.merchantId, ...amounts });
    await change(id, { provider_reference: `ref-${id}` });
    for (const state of ['initiating', 'pending', 'succeeded'] as const)
      await transitionTo(on.context, id, state);
    await change(id, { finished_at: new Date(Date.now() - daysAgo * day) });
    await dueAgain(id);
    return id;
  }
  const several = (count: number) => Promise.all(Array.from({ length: count }, () => paidDaysAgo(7)));

  return { on, rowOf, check, inMs, change, dueAgain, reviewed, paidDaysAgo, several };
}
