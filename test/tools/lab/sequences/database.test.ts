/** Random sequences of operations on few accounts, on the real database; `npm run sequences` runs many more. */
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { live } from '../../../../tools/lab/sequences/live';
import type { Step } from '../../../../tools/lab/sequences/operations';
import { runSequences } from '../../../../tools/lab/sequences/run';
import { createWorld, inside, wallet, type World } from '../../../../tools/lab/sequences/world';
import { accountCode } from '../../../../src/ledger/accounts';

describe('a sequence of operations', () => {
  let test: TestDatabase;
  let world: World;
  beforeAll(async () => {
    test = await createTestDatabase();
    world = await createWorld(test.db);
  });
  afterAll(() => test.drop());

  it('keeps every invariant after each step, and a rejected step changes nothing', async () => {
    const { steps, refused } = await runSequences(test.db, world, { runs: 50, length: 12 });
    expect(steps).toBeGreaterThan(300);
    expect(refused).toBeGreaterThan(50);
  });

  it('continues when a payout is paid after its reported failure: an operator gets a case, and nothing is booked', async () => {
    const steps: Step[] = [
      { do: 'accept', kind: 'payout', merchant: 0, amount: 1, of: 0 },
      { do: 'send', n: 0, answer: 'accepted' },
      { do: 'check', n: 0, statusText: 'came back', cause: 'check' },
      { do: 'check', n: 0, statusText: 'paid', cause: 'check' },
    ];
    const living = test.db.transaction(async (trx) => {
      const lived = await live(inside(world, trx), steps);
      const opened = await trx('cases').pluck('reason');
      throw new Error(JSON.stringify([lived.done, opened]));
    });
    await expect(living).rejects.toThrow('[4,["late_success"]]');
  });

  it('begins in a state in which nothing falls due, however long a run takes', async () => {
    const dues = [
      ...(await test.db('outbox').pluck<Date[]>('next_at')),
      ...(await test.db('payments').whereNotNull('next_check_at').pluck<Date[]>('next_check_at')),
    ];
    expect(dues.length).toBeGreaterThan(6);
    expect(Math.min(...dues.map((due) => due.getTime()))).toBeGreaterThan(Date.now() + 10 * 3_600_000);
  });

  it('fails when a balance is changed outside the ledger', async () => {
    const code = accountCode(wallet(world.merchants[0]));
    const living = test.db.transaction(async (trx) => {
      await trx('ledger_accounts').where({ code }).increment('balance', 1);
      await live(inside(world, trx), [{ do: 'accept', kind: 'deposit', merchant: 0, amount: 1, of: 0 }]);
    });
    await expect(living).rejects.toThrow(/^after step 1, .*"L3"/);
  });
});
