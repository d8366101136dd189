/** What is held of a deposit whose provider warns of it, from its first warning to whatever it comes to. */
import { orderStatusBody } from '../../../../src/rails/walletpay/responses';
import { openCasesOf } from '../../../support/payment-story';
import {
  about,
  contestedStage,
  disputed,
  gone,
  paid,
  reversalTold,
  succeeded,
  type Hint,
} from '../contested-stage';

describe('a deposit that its provider warns of', () => {
  const { on, deposited, look, store, tell, purse, withdraw, comeIn, holdOf, resolve } = contestedStage();

  it('is held whole, out of reach of its merchant, in the transaction that opens the case', async () => {
    await tell(disputed());
    expect(await purse()).toEqual([0n, paid]);
    await expect(withdraw(1n)).rejects.toMatchObject({ code: 'BALANCE_INSUFFICIENT' });
    expect(await openCasesOf(on.database.db, on.depositId)).toEqual(['disputed']);
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
    const { data } = orderStatusBody(await look(), [], await holdOf());
    expect(data).not.toHaveProperty('held_amount');
    expect(await openCasesOf(on.database.db, on.depositId)).toEqual(['disputed']);
    await comeIn(1n);
    await look();
    expect(await purse()).toEqual([0n, 1n]);
  });

  it('gives what is taken back out of what is held, and the rest is nobody else’s', async () => {
    await comeIn(500n);
    await tell(disputed(about(4_000n)));
    on.context.provider.finding = gone(1_500n);
    expect((await look()).state).toBe('reversed');
    expect(await purse()).toEqual([6_500n, 2_500n]);
    on.context.provider.finding = gone(paid);
    await look();
    expect(await purse()).toEqual([500n, 0n]);
    expect(await holdOf()).toMatchObject({ state: 'released', wanted: '0' });
  });

  it('never leaves the wallet short by what is held: what is taken back is not owed beside it', async () => {
    await tell(reversalTold());
    on.context.provider.finding = gone(paid);
    await look();
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

  it('is the merchant’s again once the provider has decided for the seller, whatever is told late', async () => {
    const [opened, won] = [disputed(), disputed({ isWon: true })];
    await tell(disputed({ id: 'PP-D-1' }));
    await tell(won);
    expect(await purse()).toEqual([0n, paid]);
    await tell(disputed({ isWon: true }));
    expect([await purse(), await openCasesOf(on.database.db, on.depositId)]).toEqual([[paid, 0n], []]);
    await tell(opened);
    expect([await purse(), await openCasesOf(on.database.db, on.depositId)]).toEqual([[paid, 0n], []]);
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
    on.context.provider.finding = gone(paid);
    await look();
    expect(await purse()).toEqual([0n, 0n]);
    on.context.provider.finding = succeeded;
    await look();
    expect((await look()).state).toBe('succeeded');
    expect(await purse()).toEqual([0n, paid]);
    await tell(disputed({ isWon: true }));
    expect(await purse()).toEqual([paid, 0n]);
  });

  it('holds nothing on a word that nobody has signed, and releases nothing on one', async () => {
    await tell(disputed(), { isProven: false });
    expect([await purse(), await openCasesOf(on.database.db, on.depositId)]).toEqual([
      [paid, 0n],
      ['disputed'],
    ]);
    await look();
    expect(await purse()).toEqual([paid, 0n]);
    await tell(disputed());
    expect(await purse()).toEqual([0n, paid]);
    await tell(disputed({ isWon: true }), { isProven: false });
    expect([await purse(), await openCasesOf(on.database.db, on.depositId)]).toEqual([
      [0n, paid],
      ['disputed'],
    ]);
  });

  it('is held by its next look where its case was open before anything was held', async () => {
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
    await look();
    expect(await purse()).toEqual([0n, paid]);
  });

  it('is held once by ten who look at the same time, beside withdrawals', async () => {
    const other = await deposited();
    for (const id of [on.depositId, other]) await store(id, disputed({ id }));
    const withdrawals = Array.from({ length: 10 }, () => withdraw(700n).catch(() => undefined));
    const looks = Array.from({ length: 10 }, (_, n) => look(n % 2 === 0 ? on.depositId : other));
    await Promise.all([...looks, ...withdrawals]);
    for (const id of [on.depositId, other]) await look(id);
    const held = await on.database.db('holds').whereIn('payment_id', [on.depositId, other]);
    const [free, reserved] = await purse();
    expect(held).toHaveLength(2);
    expect(held.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(reserved);
    expect((free ?? 0n) + (reserved ?? 0n)).toBeLessThanOrEqual(2n * paid);
    // What the withdrawals have left is held, to the last cent.
    expect(free).toBe(0n);
  });
});
