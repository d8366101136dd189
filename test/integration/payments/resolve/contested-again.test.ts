/** What is held of a deposit of which more than one thing is told: another refund, a second reversal, a second look. */
import { openCasesOf } from '../../../support/payment-story';
import { about, contestedStage, disputed, gone, paid, reversalTold, succeeded } from '../contested-stage';

const behind = { behind: true } as const;

describe('a deposit that its provider warns of more than once', () => {
  const { on, look, store, tell, purse, holdOf, resolve } = contestedStage();
  const open = () => openCasesOf(on.database.db, on.depositId);

  it.each([
    ['that the answer lists beside it', {}],
    ['in an answer that lags behind', behind],
  ])('stays held for a reversal that is told of, whatever other refund shows: one %s', async (_what, lag) => {
    await tell(reversalTold(6_000n));
    expect(await purse()).toEqual([4_000n, 6_000n]);
    on.context.provider.finding = { ...gone(1_000n), ...lag };
    expect((await look()).given_back_minor).toBe('1000');
    expect([await purse(), (await holdOf())?.wanted]).toEqual([[4_000n, 5_000n], '5000']);
    expect(await open()).toContain('reversal_told');
    on.context.provider.finding = gone(7_000n);
    const { details } = await look();
    expect(details).not.toHaveProperty('reversal_told_minor');
    expect(await purse()).toEqual([3_000n, 0n]);
    expect(await open()).not.toContain('reversal_told');
  });

  it('stays held while the part that shows is smaller than what named no amount may be', async () => {
    await tell(reversalTold());
    on.context.provider.finding = gone(1_000n);
    await look();
    expect(await purse()).toEqual([0n, 9_000n]);
    on.context.provider.finding = gone(paid);
    await look();
    expect([await purse(), await open()]).toEqual([[0n, 0n], ['reversed']]);
  });

  it.each(['refunded', 'reversed'] as const)(
    'is a case, and held, where the rest is told as taken back after a part was %s',
    async (kind) => {
      on.context.provider.finding = gone(4_000n, kind);
      await look();
      on.context.provider.finding = { ...gone(4_000n), ...behind };
      await tell(reversalTold(6_000n));
      expect(await purse()).toEqual([0n, 6_000n]);
      expect(await open()).toContain('reversal_told');
      on.context.provider.finding = gone(paid);
      await look();
      expect([await purse(), await open()]).toEqual([[0n, 0n], ['reversed']]);
    },
  );

  it('is no case again for who has read it before it was settled, and writes last', async () => {
    const { deposit = {} } = on.context.rails.get('stk').operations;
    await store(on.depositId, disputed({ id: 'PP-D-2' }));
    let isFirst = true;
    Object.assign(deposit, {
      async retrieveStatus() {
        // While the first waits for the provider, others deal with the dispute to its end.
        if (isFirst) {
          isFirst = false;
          await look();
          await tell(disputed({ id: 'PP-D-2', isWon: true }));
        }
        return succeeded;
      },
    });
    await look();
    expect([await purse(), await open()]).toEqual([[paid, 0n], []]);
  });

  it('is not held for what is taken back already, when its dispute is told of again after a person has closed it', async () => {
    await tell(disputed({ id: 'PP-D-3', ...about(6_000n) }));
    on.context.provider.finding = gone(6_000n);
    await look();
    await resolve();
    await resolve();
    await tell(disputed({ id: 'PP-D-3', ...about(6_000n) }));
    expect([await purse(), await open()]).toEqual([[4_000n, 0n], ['disputed']]);
    await tell(disputed({ id: 'PP-D-3', isWon: true }));
    on.context.provider.finding = { ...gone(6_000n), ...behind };
    await tell(reversalTold(4_000n));
    expect(await purse()).toEqual([0n, 4_000n]);
    await resolve();
    on.context.provider.finding = gone(6_000n);
    await tell(disputed({ id: 'PP-D-4', ...about(4_000n) }));
    expect(await purse()).toEqual([0n, 4_000n]);
  });

  it('is not held for a dispute that is told of after its money was taken back', async () => {
    on.context.provider.finding = gone(6_000n);
    await look();
    await tell(disputed({ id: 'PP-D-5', ...about(6_000n) }));
    expect([await purse(), await open()]).toEqual([
      [4_000n, 0n],
      ['reversed', 'disputed'],
    ]);
    await tell(disputed({ id: 'PP-D-5', isWon: true }));
    await tell(disputed({ id: 'PP-D-6', ...about(4_000n) }));
    expect(await purse()).toEqual([0n, 4_000n]);
  });

  it('is held by what a new reversal names, and not by one that a person has closed', async () => {
    await tell(reversalTold(6_000n));
    await resolve();
    expect(await purse()).toEqual([paid, 0n]);
    await tell(reversalTold(1_000n));
    expect(await purse()).toEqual([9_000n, 1_000n]);
  });

  it('is held for a second reversal while the dispute of the first is a person’s question still', async () => {
    await tell(disputed({ id: 'PP-D-7', ...about(6_000n) }));
    on.context.provider.finding = gone(6_000n);
    await look();
    expect(await purse()).toEqual([4_000n, 0n]);
    on.context.provider.finding = { ...gone(6_000n), ...behind };
    await tell(reversalTold(4_000n));
    expect(await purse()).toEqual([0n, 4_000n]);
    on.context.provider.finding = gone(paid);
    await look();
    expect(await purse()).toEqual([0n, 0n]);
  });
});
