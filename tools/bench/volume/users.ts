/** The portal's test users in a full deployment: an owner of one merchant, and an operator. */
import { createOperator } from '../../../src/users/operators';
import { acceptMembership, addMember } from '../../../src/users/members';
import { openSession } from '../../../src/users/sessions';
import { ensureUser, linkOperator } from '../../../src/users/users';
import type { Database } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';

export type Viewer = 'owner' | 'operator';

/** @returns the cookie of each browser: signed in, as after the sign-in form. */
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
