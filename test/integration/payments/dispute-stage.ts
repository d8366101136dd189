/** A paid deposit, and the later reports and answers of its provider. */
import { randomUUID } from 'node:crypto';
import type { AccountKey } from '../../../src/ledger/accounts';
import { balanceOf } from '../../../src/ledger/balances';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import type { ProviderResult } from '../../../src/domain/outcome';
import { decideCase } from '../../../src/operator-actions/cases';
import { storeNotification } from '../../../src/payments/resolve/inbox';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import { review } from '../../../src/payments/resolve/review';
import type { PaymentRow } from '../../../src/store/tables';
import { expectClean } from '../../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { insertMerchant, insertPayment } from '../../support/store/rows';
import { transitionTo } from '../../support/verify/books-support';
import { fakeContext, type FakeContext } from '../../support/payments/fakes';

export type UnverifiedResult = Extract<ProviderResult, { kind: 'unverified' }>;

export const paid = 10_000n;
export const succeeded: ProviderResult = {
  kind: 'succeeded',
  code: '0',
  text: 'paid',
  amountMinor: paid,
  currency: 'KES',
};
export const debited = (
  returnedMinor: bigint,
  kind: 'refunded' | 'reversed' = 'reversed',
): ProviderResult => ({
  kind,
  code: kind,
  text: kind,
  paidMinor: paid,
  returnedMinor,
  currency: 'KES',
});
let minutes = 0;
/** A dispute report, each a minute later than the one before. */
export function disputed(
  changes: Partial<UnverifiedResult> & { isWon?: boolean; id?: string } = {},
): UnverifiedResult {
  minutes += 1;
  const { isWon = false, id = 'PP-D-1', ...unverified } = changes;
  const reportedAt = new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString();
  return {
    kind: 'unverified',
    text: 'DISPUTE',
    warns: 'disputed',
    dispute: { id, reportedAt, isWon },
    ...unverified,
  };
}
export const about = (amountMinor: bigint, currency = 'KES') => ({ mayTake: { amountMinor, currency } });
export const reversalReported = (amountMinor?: bigint): UnverifiedResult => ({
  kind: 'unverified',
  text: 'REVERSED',
  warns: 'reversal_reported',
  ...(amountMinor === undefined ? {} : about(amountMinor)),
});

export interface Stage {
  database: TestDatabase;
  context: FakeContext;
  merchantId: string;
  depositId: string;
}

/** One database for a test file; each test has its own merchant and deposit, and leaves consistent books. */
export function disputeStage() {
  const on = {} as Stage;
  let reported: Map<string, ProviderResult>;

  beforeAll(async () => {
    on.database = await createTestDatabase();
  });
  afterAll(() => on.database.drop());
  beforeEach(async () => {
    on.context = fakeContext(on.database.db);
    reported = new Map();
    const { deposit } = on.context.rails.get('stk').operations;
    if (!deposit) throw new Error('the rail takes no deposits');
    Object.assign(deposit, {
      readNotification: ({ body }: { body: string }) => reported.get(body),
      policy: { ...deposit.policy, afterSuccessChecksMs: [3_600_000], afterWarningChecksMs: [3_600_000] },
    });
    on.context.provider.providerResult = succeeded;
    on.merchantId = await insertMerchant(on.database.db);
    on.depositId = await deposited();
  });
  afterEach(() => expectClean({ db: on.database.db }));

  async function deposited(): Promise<string> {
    const amounts = { requested_minor: paid.toString(), instructed_minor: paid.toString() };
    const named = { merchant_id: on.merchantId, provider_reference: randomUUID() };
    const id = await insertPayment(on.database.db, { ...named, ...amounts });
    for (const state of ['initiating', 'pending', 'succeeded'] as const)
      await transitionTo(on.context, id, state);
    return id;
  }

  async function check(paymentId = on.depositId): Promise<PaymentRow> {
    await review(on.context, { paymentId, cause: 'check', patient: true, ask: (_rail, call) => call() });
    return getPaymentOrThrow(on.database.db, paymentId);
  }

  /** Stores a report as received. */
  async function store(paymentId: string, providerResult: ProviderResult, isProven = true): Promise<void> {
    const body = `word ${reported.size} of ${paymentId}`;
    reported.set(body, providerResult);
    await storeNotification(on.context, 'stk', '127.0.0.1', {
      kind: 'take',
      isProven,
      eventKey: body,
      body,
      payment: await getPaymentOrThrow(on.database.db, paymentId),
      acknowledgement: { status: 200, body: {} },
    });
  }

  async function notify(providerResult: ProviderResult, { isProven = true } = {}): Promise<PaymentRow> {
    await store(on.depositId, providerResult, isProven);
    return check();
  }

  const wallet = (): AccountKey => ({ class: 'wallet', merchantId: on.merchantId, currency: 'KES' });
  /** The merchant's available and reserved amounts. */
  const purse = async () => [
    await balanceOf(on.database.db, wallet()),
    await balanceOf(on.database.db, { class: 'wallet_reserved', merchantId: on.merchantId, currency: 'KES' }),
  ];
  const withdraw = (amountMinor: bigint) =>
    transferByHand(on.database.db, {
      from: wallet(),
      to: { class: 'bank', currency: 'KES' },
      amountMinor,
      reason: 'withdrawn',
      whenShort: 'BALANCE_INSUFFICIENT',
    });
  const comeIn = (amountMinor: bigint) =>
    transferByHand(on.database.db, {
      from: { class: 'bank', currency: 'KES' },
      to: wallet(),
      amountMinor,
      reason: 'paid in',
      whenShort: 'BALANCE_INSUFFICIENT',
    });
  const holdOf = () => on.database.db('holds').where({ payment_id: on.depositId }).first();
  async function resolve(): Promise<void> {
    const { case_id: caseId = '' } =
      (await on.database.db('cases').where({ payment_id: on.depositId }).whereNull('closed_at').first()) ??
      {};
    await decideCase(on.context, {
      ...{ caseId, by: 'amina', note: 'settled with the customer' },
      alongside: () => Promise.resolve(),
    });
  }

  return { on, deposited, check, store, notify, wallet, purse, withdraw, comeIn, holdOf, resolve };
}
