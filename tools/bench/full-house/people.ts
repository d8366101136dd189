/** Who looks at the portal of a full house: an owner of one of its merchants, and an operator. */
import { createOperator } from '../../../src/users/operators';
import { acceptMembership, addMember } from '../../../src/users/members';
import { openSession } from '../../../src/users/sessions';
import { ensureUser, linkOperator } from '../../../src/users/users';
import type { Database } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';

export type Viewer = 'owner' | 'operator';

/** @returns what the browser of each keeps: signed in just now, as the form of the sign-in page would have. */
export async function signIn(db: Database, merchantId: string): Promise<Record<Viewer, string>> {
  const by = 'the benchmark';
  const operatorName = 'benchmark';
  await createOperator(db, { name: operatorName, role: 'operator', by, environment: 'sandbox' });
  const open = (viewer: Viewer) =>
    inTransaction(db, async (trx) => {
      const { user_id: userId } = await ensureUser(trx, {
        email: `${viewer}@bench.example`,
        locale: 'en',
        by,
      });
      if (viewer === 'operator') await linkOperator(trx, userId, operatorName);
      else {
        await addMember(trx, { merchantId, userId, role: 'owner', by });
        await acceptMembership(trx, merchantId, userId);
      }
      return openSession(trx, { userId, address: '', agent: by, passedSecond: false });
    });
  return { owner: await open('owner'), operator: await open('operator') };
}
