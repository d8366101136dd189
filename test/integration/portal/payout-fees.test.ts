import { setFee } from '../../../src/fees/schedules';
import { makeBatch } from '../../../src/portal/payouts/batches';
import { inTransaction } from '../../../src/store/transaction';
import { call, sessionOf, startPortal, type TestPortal } from '../../support/portal/portal-support';
import { aMerchant, createPerson } from '../../support/users/users-support';

let portal: TestPortal;
beforeAll(async () => {
  portal = await startPortal();
});
afterAll(() => portal.stop());

it('shows the fees of a payout list before it is sent, by currency, and none where none is in force', async () => {
  const { db, box } = portal;
  const merchantId = await aMerchant(db, box);
  const owner = await createPerson(db, 'owner@duka.example', { merchantId, role: 'owner' });
  const token = await sessionOf(portal, owner);
  const rowOf = (amount: string, currency: string) => ({ amount, currency, recipient: '+254708374149' });
  const list = (rail: string) =>
    inTransaction(db, (trx) =>
      makeBatch(trx, {
        ...{ merchantId, rail, name: 'Wages', userId: owner.userId },
        rows: [rowOf('1000.00', 'KES'), rowOf('200.00', 'KES'), rowOf('9.00', 'USD')],
      }),
    );
  const fees = async (batchId: string) => {
    const { text } = await call(portal, {
      method: 'GET',
      path: `/m/${merchantId}/payouts/${batchId}`,
      token,
    });
    return [...text.matchAll(/in addition<\/dt><dd>([^<]*)/g)].map(([, amount]) => amount);
  };
  const [loud, momo] = [await list('loud'), await list('momo')];
  expect(await fees(loud)).toEqual([]);
  const fee = { operation: 'payout', currency: 'KES', merchant_id: merchantId, reason: 'agreed' } as const;
  await setFee(db, { ...fee, fixed: '1000', per_million: 10_000, rail: 'loud' }, { by: 'nobody' });
  expect(await fees(loud)).toEqual(['KES 32.00']);
  expect(await fees(momo)).toEqual([]);
});
