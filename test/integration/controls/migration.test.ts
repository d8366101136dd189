import * as limits from '../../../src/store/migrations/030-limits';
import { createTestDatabase } from '../../support/database';
import { createPayer } from './stage';

it('what was accepted before there were limits counts as if there had been', async () => {
  const { db, drop } = await createTestDatabase();
  const payer = await createPayer(db);
  const phone = { phoneNumber: '+254700000001', recipient: '+254700000001' };
  await payer.pay(1_000n, phone);
  await payer.pay(2_000n, {
    recipient: 'ana@example.org',
    details: { country: 'KEN', recipient_email: 'Ana@Example.org' },
  });
  await payer.end(await payer.pay(3_000n, phone), 'failed');
  const counted = async () =>
    (await db('outflows').orderBy('amount')).map(
      ({ accepted_at: at, released_at: released, defaults_id: _, ...row }) => {
        return { ...row, isTimed: at instanceof Date, isReleased: released !== null };
      },
    );
  const before = await counted();
  expect(before.map(({ isReleased }) => isReleased)).toEqual([false, false, true]);
  await limits.down(db);
  await limits.up(db);
  expect(await counted()).toEqual(before);
  await drop();
});
