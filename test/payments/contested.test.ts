/** What is held of a deposit whose provider warns of it, from its first warning to whatever it comes to. */
import { randomUUID } from 'node:crypto';
import type { AccountKey } from '../../src/ledger/accounts';
import { balanceOf } from '../../src/ledger/balances';
import { transfer } from '../../src/ledger/transfers';
import type { Finding } from '../../src/domain/outcome';
import { decideCase } from '../../src/ops/cli/decide-case';
import { storeNotification } from '../../src/payments/inbox';
import { getPaymentOrThrow } from '../../src/payments/payments';
import { review } from '../../src/payments/review';
import type { PaymentRow } from '../../src/store/tables';
import { expectClean } from '../support/expect-clean';
import { openCasesOf } from '../support/payment-story';
import { createTestDatabase, type TestDatabase } from '../support/services';
import { insertMerchant, insertPayment } from '../store/rows';
import { moveAlong } from '../verify/books-support';
import { fakeContext, type FakeContext } from './fakes';

type Hint = Extract<Finding, { kind: 'hint' }>;

const paid = 10_000n;
const succeeded: Finding = { kind: 'succeeded', code: '0', text: 'paid', amountMinor: paid, currency: 'KES' };
const gone = (givenBackMinor: bigint, kind: 'refunded' | 'reversed' = 'reversed'): Finding => ({
  kind,
  code: kind,
  text: kind,
  paidMinor: paid,
  givenBackMinor,
  currency: 'KES',
});
let minutes = 0;
/** A word of the dispute, each a minute later than the one before. */
function disputed(changes: Partial<Hint> & { isWon?: boolean; id?: string } = {}): Hint {
  minutes += 1;
  const { isWon = false, id = 'PP-D-1', ...hint } = changes;
  const toldAt = new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString();
  return { kind: 'hint', text: 'DISPUTE', warns: 'disputed', dispute: { id, toldAt, isWon }, ...hint };
}
const about = (amountMinor: bigint, currency = 'KES') => ({ mayTake: { amountMinor, currency } });
const reversalTold = (amountMinor?: bigint): Hint => ({
  kind: 'hint',
  text: 'REVERSED',
  warns: 'reversal_told',
  ...(amountMinor === undefined ? {} : about(amountMinor)),
});

describe('a deposit that its provider warns of', () => {
  let database: TestDatabase;
  let context: FakeContext;
  let merchantId: string;
  let depositId: string;
  let told: Map<string, Finding>;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    context = fakeContext(database.db);
    told = new Map();
    const { deposit } = context.rails.get('stk').operations;
    if (!deposit) throw new Error('the rail takes no deposits');
    Object.assign(deposit, {
      readNotification: ({ body }: { body: string }) => told.get(body),
      policy: { ...deposit.policy, afterSuccessChecksMs: [3_600_000], afterWarningChecksMs: [3_600_000] },
    });
    context.provider.finding = succeeded;
    merchantId = await insertMerchant(database.db);
    depositId = await deposited();
  });
  afterEach(() => expectClean({ db: database.db }));

  async function deposited(): Promise<string> {
    const amounts = { requested_minor: paid.toString(), instructed_minor: paid.toString() };
    const named = { merchant_id: merchantId, provider_reference: randomUUID() };
    const id = await insertPayment(database.db, { ...named, ...amounts });
    for (const state of ['initiating', 'pending', 'succeeded'] as const) await moveAlong(context, id, state);
    return id;
  }

  async function look(paymentId = depositId): Promise<PaymentRow> {
    await review(context, { paymentId, cause: 'check', patient: true, ask: (_rail, call) => call() });
    return getPaymentOrThrow(database.db, paymentId);
  }

  /** Stores a word of it, as it comes in. */
  async function store(paymentId: string, finding: Finding, isProven = true): Promise<void> {
    const body = `word ${told.size} of ${paymentId}`;
    told.set(body, finding);
    await storeNotification(context, 'stk', '127.0.0.1', {
      kind: 'take',
      isProven,
      eventKey: body,
      body,
      payment: await getPaymentOrThrow(database.db, paymentId),
      acknowledgement: { status: 200, body: {} },
    });
  }

  async function tell(finding: Finding, { isProven = true } = {}): Promise<PaymentRow> {
    await store(depositId, finding, isProven);
    return look();
  }

  const wallet = (): AccountKey => ({ class: 'wallet', merchantId, currency: 'KES' });
  /** What the merchant may spend, and what is held. */
  const purse = async () => [
    await balanceOf(database.db, wallet()),
    await balanceOf(database.db, { class: 'wallet_reserved', merchantId, currency: 'KES' }),
  ];
  const withdraw = (amountMinor: bigint) =>
    transfer(database.db, {
      from: wallet(),
      to: { class: 'bank', currency: 'KES' },
      amountMinor,
      reason: 'withdrawn',
      whenShort: 'BALANCE_INSUFFICIENT',
    });
  const comeIn = (amountMinor: bigint) =>
    transfer(database.db, {
      from: { class: 'bank', currency: 'KES' },
      to: wallet(),
      amountMinor,
      reason: 'paid in',
      whenShort: 'BALANCE_INSUFFICIENT',
    });
  const holdOf = () => database.db('holds').where({ payment_id: depositId }).first();
  async function resolve(): Promise<void> {
    const { case_id: caseId = '' } =
      (await database.db('cases').where({ payment_id: depositId }).whereNull('closed_at').first()) ?? {};
    await decideCase(context, { caseId, by: 'amina', note: 'settled with the customer' });
  }

  it('is held whole, out of reach of its merchant, in the transaction that opens the case', async () => {
    await tell(disputed());
    expect(await purse()).toEqual([0n, paid]);
    await expect(withdraw(1n)).rejects.toMatchObject({ code: 'BALANCE_INSUFFICIENT' });
    expect(await openCasesOf(database.db, depositId)).toEqual(['disputed']);
  });

  it('is held by what the dispute names, and once, however often it is told', async () => {
    await tell(disputed(about(3_000n)));
    expect(await purse()).toEqual([7_000n, 3_000n]);
    await tell(disputed(about(3_000n)));
    await look();
    expect(await purse()).toEqual([7_000n, 3_000n]);
    await tell(disputed(about(4_000n)));
    expect(await purse()).toEqual([6_000n, 4_000n]);
    await tell(reversalTold(2_000n));
    expect(await purse()).toEqual([6_000n, 4_000n]);
  });

  it.each<[string, Hint]>([
    ['names another currency', disputed(about(100n, 'USD'))],
    ['names more than was credited', disputed(about(paid + 1n))],
    ['tells of a reversal without an amount', reversalTold()],
  ])('is held whole where the warning %s', async (_what, finding) => {
    await tell(finding);
    expect(await purse()).toEqual([0n, paid]);
  });

  it('is held as far as the wallet has it, and for the rest when money has come in', async () => {
    await withdraw(8_000n);
    await tell(disputed());
    expect(await purse()).toEqual([0n, 2_000n]);
    expect(await holdOf()).toMatchObject({ state: 'open', amount: '2000', wanted: '10000' });
    await comeIn(20_000n);
    await look();
    expect(await purse()).toEqual([12_000n, paid]);
  });

  it('is a case though the wallet has nothing, or owes', async () => {
    await withdraw(paid);
    await tell(disputed());
    expect([await purse(), (await holdOf())?.amount]).toEqual([[0n, 0n], '0']);
    expect(await openCasesOf(database.db, depositId)).toEqual(['disputed']);
    await comeIn(1n);
    await look();
    expect(await purse()).toEqual([0n, 1n]);
  });

  it('gives what is taken back out of what is held, and the rest is nobody else’s', async () => {
    await comeIn(500n);
    await tell(disputed(about(4_000n)));
    context.provider.finding = gone(1_500n);
    expect((await look()).state).toBe('reversed');
    expect(await purse()).toEqual([6_500n, 2_500n]);
    context.provider.finding = gone(paid);
    await look();
    expect(await purse()).toEqual([500n, 0n]);
    expect(await holdOf()).toMatchObject({ state: 'released', wanted: '0' });
  });

  it('never leaves the wallet short by what is held: what is taken back is not owed beside it', async () => {
    await tell(reversalTold());
    context.provider.finding = gone(paid);
    await look();
    expect([await purse(), await openCasesOf(database.db, depositId)]).toEqual([[0n, 0n], ['reversed']]);
    const went: { amount: string }[] = await database
      .db('ledger_postings as l')
      .join('ledger_accounts as a', 'a.account_id', 'l.account_id')
      .where({ 'a.merchant_id': merchantId, 'a.class': 'wallet' })
      .orderBy('l.seq')
      .select('l.amount');
    let balance = 0n;
    for (const { amount } of went) expect((balance += BigInt(amount))).toBeGreaterThanOrEqual(0n);
  });

  it('is the merchant’s again once the provider has decided for the seller, whatever is told late', async () => {
    const [opened, won] = [disputed(), disputed({ isWon: true })];
    await tell(disputed({ id: 'PP-D-1' }));
    await tell(won);
    expect(await purse()).toEqual([0n, paid]);
    await tell(disputed({ isWon: true }));
    expect([await purse(), await openCasesOf(database.db, depositId)]).toEqual([[paid, 0n], []]);
    await tell(opened);
    expect([await purse(), await openCasesOf(database.db, depositId)]).toEqual([[paid, 0n], []]);
    await tell(disputed({ id: 'PP-D-2' }));
    expect(await purse()).toEqual([0n, paid]);
  });

  it('stays held where the provider has decided for the buyer, until that shows', async () => {
    await tell(disputed());
    await tell(disputed({ text: 'CUSTOMER.DISPUTE.RESOLVED' }));
    expect(await purse()).toEqual([0n, paid]);
  });

  it('is the merchant’s again when a person has closed the last case of it', async () => {
    await tell(disputed());
    await tell(reversalTold());
    await resolve();
    expect(await purse()).toEqual([0n, paid]);
    await resolve();
    expect(await purse()).toEqual([paid, 0n]);
    await tell(disputed({ ...about(1_000n), id: 'PP-D-9' }));
    expect(await purse()).toEqual([9_000n, 1_000n]);
    await tell(disputed({ id: 'PP-D-9', isWon: true }));
    expect(await purse()).toEqual([paid, 0n]);
  });

  it('is held anew where the provider pays once more what it had taken back, while its case is open', async () => {
    await tell(disputed());
    context.provider.finding = gone(paid);
    await look();
    expect(await purse()).toEqual([0n, 0n]);
    context.provider.finding = succeeded;
    await look();
    expect((await look()).state).toBe('succeeded');
    expect(await purse()).toEqual([0n, paid]);
    await tell(disputed({ isWon: true }));
    expect(await purse()).toEqual([paid, 0n]);
  });

  it('holds nothing on a word that nobody has signed, and releases nothing on one', async () => {
    await tell(disputed(), { isProven: false });
    expect([await purse(), await openCasesOf(database.db, depositId)]).toEqual([[paid, 0n], ['disputed']]);
    await look();
    expect(await purse()).toEqual([paid, 0n]);
    await tell(disputed());
    expect(await purse()).toEqual([0n, paid]);
    await tell(disputed({ isWon: true }), { isProven: false });
    expect([await purse(), await openCasesOf(database.db, depositId)]).toEqual([[0n, paid], ['disputed']]);
  });

  it('is held by its next look where its case was open before anything was held', async () => {
    await database
      .db('payments')
      .where({ payment_id: depositId })
      .update({ details: JSON.stringify({ warned_at: new Date().toISOString() }) as never });
    await database.db('cases').insert({
      payment_id: depositId,
      reason: 'disputed',
      detail: 'before',
      opened_at: new Date(),
      open_key: `${depositId}:disputed`,
    });
    await look();
    expect(await purse()).toEqual([0n, paid]);
  });

  it('is held once by ten who look at the same time, beside withdrawals', async () => {
    const other = await deposited();
    for (const id of [depositId, other]) await store(id, disputed({ id }));
    const withdrawals = Array.from({ length: 10 }, () => withdraw(700n).catch(() => undefined));
    const looks = Array.from({ length: 10 }, (_, n) => look(n % 2 === 0 ? depositId : other));
    await Promise.all([...looks, ...withdrawals]);
    for (const id of [depositId, other]) await look(id);
    const held = await database.db('holds').whereIn('payment_id', [depositId, other]);
    const [free, reserved] = await purse();
    expect(held).toHaveLength(2);
    expect(held.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(reserved);
    expect((free ?? 0n) + (reserved ?? 0n)).toBeLessThanOrEqual(2n * paid);
    // What the withdrawals have left is held, to the last cent.
    expect(free).toBe(0n);
  });
});
