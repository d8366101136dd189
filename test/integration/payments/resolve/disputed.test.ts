/** The reserve of a deposit with a warning of its provider, from the first warning to its end. */
import { orderStatusBody } from '../../../../src/rails/walletpay/responses';
import { openCasesOf } from '../../../support/payments/timeline';
import {
  about,
  disputeStage,
  disputed,
  debited,
  paid,
  reversalReported,
  succeeded,
  type UnverifiedResult,
} from '../dispute-stage';

describe('a deposit with a warning of its provider', () => {
  const { on, deposited, check, store, notify, purse, withdraw, comeIn, holdOf, resolve } = disputeStage();

  it('is reserved completely in the transaction that opens the case', async () => {
    await notify(disputed());
    expect(await purse()).toEqual([0n, paid]);
    await expect(withdraw(1n)).rejects.toMatchObject({ code: 'BALANCE_INSUFFICIENT' });
    expect(await openCasesOf(on.database.db, on.depositId)).toEqual(['disputed']);
  });

  it('is reserved for the amount of the dispute, and once, however often it is reported', async () => {
    await notify(disputed(about(3_000n)));
    expect(await purse()).toEqual([7_000n, 3_000n]);
    await notify(disputed(about(3_000n)));
    await check();
    expect(await purse()).toEqual([7_000n, 3_000n]);
    await notify(disputed(about(4_000n)));
    expect(await purse()).toEqual([6_000n, 4_000n]);
    await notify(reversalReported(2_000n));
    expect(await purse()).toEqual([6_000n, 4_000n]);
  });

  it.each<[string, UnverifiedResult]>([
    ['names another currency', disputed(about(100n, 'USD'))],
    ['names more than was credited', disputed(about(paid + 1n))],
    ['tells of a reversal without an amount', reversalReported()],
  ])('is reserved completely if the warning %s', async (_what, providerResult) => {
    await notify(providerResult);
    expect(await purse()).toEqual([0n, paid]);
  });

  it('is reserved as far as the wallet has it, and for the rest when money has come in', async () => {
    await withdraw(8_000n);
    await notify(disputed());
    expect(await purse()).toEqual([0n, 2_000n]);
    expect(await holdOf()).toMatchObject({ state: 'open', amount: '2000', wanted: '10000' });
    await comeIn(20_000n);
    await check();
    expect(await purse()).toEqual([12_000n, paid]);
  });

  it('opens a case even if the wallet is empty or negative', async () => {
    await withdraw(paid);
    await notify(disputed());
    expect([await purse(), (await holdOf())?.amount]).toEqual([[0n, 0n], '0']);
    const { data } = orderStatusBody(await check(), [], await holdOf());
    expect(data).not.toHaveProperty('held_amount');
    expect(await openCasesOf(on.database.db, on.depositId)).toEqual(['disputed']);
    await comeIn(1n);
    await check();
    expect(await purse()).toEqual([0n, 1n]);
  });

  it('debits reversed money from the reserve, and keeps the rest reserved', async () => {
    await comeIn(500n);
    await notify(disputed(about(4_000n)));
    on.context.provider.providerResult = debited(1_500n);
    expect((await check()).state).toBe('reversed');
    expect(await purse()).toEqual([6_500n, 2_500n]);
    on.context.provider.providerResult = debited(paid);
    await check();
    expect(await purse()).toEqual([500n, 0n]);
    expect(await holdOf()).toMatchObject({ state: 'released', wanted: '0' });
  });

  it('never debits reserved money twice: a reversal uses the reserve', async () => {
    await notify(reversalReported());
    on.context.provider.providerResult = debited(paid);
    await check();
    expect([await purse(), await openCasesOf(on.database.db, on.depositId)]).toEqual([
      [0n, 0n],
      ['reversed'],
    ]);
    const went: { amount: string }[] = await on.database
      .db('ledger_postings as l')
      .join('ledger_accounts as a', 'a.account_id', 'l.account_id')
      .where({ 'a.merchant_id': on.merchantId, 'a.class': 'wallet' })
      .orderBy('l.seq')
      .select('l.amount');
    let balance = 0n;
    for (const { amount } of went) expect((balance += BigInt(amount))).toBeGreaterThanOrEqual(0n);
  });

  it('is released once the provider has decided for the seller, whatever late reports arrive', async () => {
    const [opened, won] = [disputed(), disputed({ isWon: true })];
    await notify(disputed({ id: 'PP-D-1' }));
    await notify(won);
    expect(await purse()).toEqual([0n, paid]);
    await notify(disputed({ isWon: true }));
    expect([await purse(), await openCasesOf(on.database.db, on.depositId)]).toEqual([[paid, 0n], []]);
    await notify(opened);
    expect([await purse(), await openCasesOf(on.database.db, on.depositId)]).toEqual([[paid, 0n], []]);
    await notify(disputed({ id: 'PP-D-2' }));
    expect(await purse()).toEqual([0n, paid]);
  });

  it('stays reserved when the provider has decided for the buyer, until the reversal shows', async () => {
    await notify(disputed());
    await notify(disputed({ text: 'CUSTOMER.DISPUTE.RESOLVED' }));
    expect(await purse()).toEqual([0n, paid]);
  });

  it('is released when an operator has closed its last case', async () => {
    await notify(disputed());
    await notify(reversalReported());
    await resolve();
    expect(await purse()).toEqual([0n, paid]);
    await resolve();
    expect(await purse()).toEqual([paid, 0n]);
    await notify(disputed({ ...about(1_000n), id: 'PP-D-9' }));
    expect(await purse()).toEqual([9_000n, 1_000n]);
    await notify(disputed({ id: 'PP-D-9', isWon: true }));
    expect(await purse()).toEqual([paid, 0n]);
  });

  it('is reserved again if the provider repays a reversal while its case is open', async () => {
    await notify(disputed());
    on.context.provider.providerResult = debited(paid);
    await check();
    expect(await purse()).toEqual([0n, 0n]);
    on.context.provider.providerResult = succeeded;
    await check();
    expect((await check()).state).toBe('succeeded');
    expect(await purse()).toEqual([0n, paid]);
    await notify(disputed({ isWon: true }));
    expect(await purse()).toEqual([paid, 0n]);
  });

  it('reserves and releases nothing for an unsigned report', async () => {
    await notify(disputed(), { isProven: false });
    expect([await purse(), await openCasesOf(on.database.db, on.depositId)]).toEqual([
      [paid, 0n],
      ['disputed'],
    ]);
    await check();
    expect(await purse()).toEqual([paid, 0n]);
    await notify(disputed());
    expect(await purse()).toEqual([0n, paid]);
    await notify(disputed({ isWon: true }), { isProven: false });
    expect([await purse(), await openCasesOf(on.database.db, on.depositId)]).toEqual([
      [0n, paid],
      ['disputed'],
    ]);
  });

  it('is reserved by its next check if its case was open before anything was reserved', async () => {
    await on.database
      .db('payments')
      .where({ payment_id: on.depositId })
      .update({ details: JSON.stringify({ warned_at: new Date().toISOString() }) as never });
    await on.database.db('cases').insert({
      payment_id: on.depositId,
      reason: 'disputed',
      detail: 'before',
      opened_at: new Date(),
      open_key: `${on.depositId}:disputed`,
    });
    await check();
    expect(await purse()).toEqual([0n, paid]);
  });

  it('is reserved once by ten concurrent checks, beside withdrawals', async () => {
    const other = await deposited();
    for (const id of [on.depositId, other]) await store(id, disputed({ id }));
    const withdrawals = Array.from({ length: 10 }, () => withdraw(700n).catch(() => undefined));
    const checks = Array.from({ length: 10 }, (_, n) => check(n % 2 === 0 ? on.depositId : other));
    await Promise.all([...checks, ...withdrawals]);
    for (const id of [on.depositId, other]) await check(id);
    const held = await on.database.db('holds').whereIn('payment_id', [on.depositId, other]);
    const [free, reserved] = await purse();
    expect(held).toHaveLength(2);
    expect(held.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(reserved);
    expect((free ?? 0n) + (reserved ?? 0n)).toBeLessThanOrEqual(2n * paid);
    // Everything that the withdrawals have left is reserved, to the last cent.
    expect(free).toBe(0n);
  });
});
