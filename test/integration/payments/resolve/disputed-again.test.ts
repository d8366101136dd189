/** The reserve of a deposit with several reports: another refund, a second reversal, a second check. */
import { openCasesOf } from '../../../support/payments/timeline';
import { about, disputeStage, disputed, debited, paid, reversalReported, succeeded } from '../dispute-stage';

const behind = { behind: true } as const;

describe('a deposit with several warnings', () => {
  const { on, check, store, notify, purse, holdOf, resolve } = disputeStage();
  const open = () => openCasesOf(on.database.db, on.depositId);

  it.each([
    ['that the answer lists beside it', {}],
    ['in an answer that lags behind', behind],
  ])(
    'stays reserved for a reported reversal, whatever other refund the provider shows: one %s',
    async (_what, lag) => {
      await notify(reversalReported(6_000n));
      expect(await purse()).toEqual([4_000n, 6_000n]);
      on.context.provider.providerResult = { ...debited(1_000n), ...lag };
      expect((await check()).returned_minor).toBe('1000');
      expect([await purse(), (await holdOf())?.wanted]).toEqual([[4_000n, 5_000n], '5000']);
      expect(await open()).toContain('reversal_reported');
      on.context.provider.providerResult = debited(7_000n);
      const { details } = await check();
      expect(details).not.toHaveProperty('reversal_told_minor');
      expect(await purse()).toEqual([3_000n, 0n]);
      expect(await open()).not.toContain('reversal_reported');
    },
  );

  it('stays reserved while the visible part is smaller than a warning without an amount may mean', async () => {
    await notify(reversalReported());
    on.context.provider.providerResult = debited(1_000n);
    await check();
    expect(await purse()).toEqual([0n, 9_000n]);
    on.context.provider.providerResult = debited(paid);
    await check();
    expect([await purse(), await open()]).toEqual([[0n, 0n], ['reversed']]);
  });

  it.each(['refunded', 'reversed'] as const)(
    'opens a case and is reserved, if the rest is reported as reversed after a part was %s',
    async (kind) => {
      on.context.provider.providerResult = debited(4_000n, kind);
      await check();
      on.context.provider.providerResult = { ...debited(4_000n), ...behind };
      await notify(reversalReported(6_000n));
      expect(await purse()).toEqual([0n, 6_000n]);
      expect(await open()).toContain('reversal_reported');
      on.context.provider.providerResult = debited(paid);
      await check();
      expect([await purse(), await open()]).toEqual([[0n, 0n], ['reversed']]);
    },
  );

  it('opens no second case for a process that read it before it was settled, and writes last', async () => {
    const { deposit = {} } = on.context.rails.get('stk').operations;
    await store(on.depositId, disputed({ id: 'PP-D-2' }));
    let isFirst = true;
    Object.assign(deposit, {
      async retrieveStatus() {
        // While the first waits for the provider, others settle the dispute.
        if (isFirst) {
          isFirst = false;
          await check();
          await notify(disputed({ id: 'PP-D-2', isWon: true }));
        }
        return succeeded;
      },
    });
    await check();
    expect([await purse(), await open()]).toEqual([[paid, 0n], []]);
  });

  it('is not reserved for already reversed money, when its dispute is reported again after an operator closed it', async () => {
    await notify(disputed({ id: 'PP-D-3', ...about(6_000n) }));
    on.context.provider.providerResult = debited(6_000n);
    await check();
    await resolve();
    await resolve();
    await notify(disputed({ id: 'PP-D-3', ...about(6_000n) }));
    expect([await purse(), await open()]).toEqual([[4_000n, 0n], ['disputed']]);
    await notify(disputed({ id: 'PP-D-3', isWon: true }));
    on.context.provider.providerResult = { ...debited(6_000n), ...behind };
    await notify(reversalReported(4_000n));
    expect(await purse()).toEqual([0n, 4_000n]);
    await resolve();
    on.context.provider.providerResult = debited(6_000n);
    await notify(disputed({ id: 'PP-D-4', ...about(4_000n) }));
    expect(await purse()).toEqual([0n, 4_000n]);
  });

  it('is not reserved for a dispute that is reported after its money was reversed', async () => {
    on.context.provider.providerResult = debited(6_000n);
    await check();
    await notify(disputed({ id: 'PP-D-5', ...about(6_000n) }));
    expect([await purse(), await open()]).toEqual([
      [4_000n, 0n],
      ['reversed', 'disputed'],
    ]);
    await notify(disputed({ id: 'PP-D-5', isWon: true }));
    await notify(disputed({ id: 'PP-D-6', ...about(4_000n) }));
    expect(await purse()).toEqual([0n, 4_000n]);
  });

  it('is reserved for the amount of a new reversal, and not of one that an operator has closed', async () => {
    await notify(reversalReported(6_000n));
    await resolve();
    expect(await purse()).toEqual([paid, 0n]);
    await notify(reversalReported(1_000n));
    expect(await purse()).toEqual([9_000n, 1_000n]);
  });

  it("is reserved for a second reversal while the first's dispute is still open", async () => {
    await notify(disputed({ id: 'PP-D-7', ...about(6_000n) }));
    on.context.provider.providerResult = debited(6_000n);
    await check();
    expect(await purse()).toEqual([4_000n, 0n]);
    on.context.provider.providerResult = { ...debited(6_000n), ...behind };
    await notify(reversalReported(4_000n));
    expect(await purse()).toEqual([0n, 4_000n]);
    on.context.provider.providerResult = debited(paid);
    await check();
    expect(await purse()).toEqual([0n, 0n]);
  });
});
