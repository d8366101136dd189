/** The login of the sandbox's portal: the owner of its first shop, with a password that is generated once. */
import { randomBytes } from 'node:crypto';
import { acceptMembership, addMember, roleAt } from '../../src/users/members';
import { isPassword } from '../../src/users/passwords';
import { ensureUser, findUser, setPassword } from '../../src/users/users';
import type { Database } from '../../src/store/database';
import { inTransaction } from '../../src/store/transaction';
import type { SandboxMerchant } from './sandbox-merchants';

export interface SandboxPortal {
  url: string;
  email: string;
  password: string;
}

const email = 'owner@demo-shop.example';

/** @param kept where the password is stored between starts. */
export async function ensureOwner(
  db: Database,
  url: string,
  merchant: SandboxMerchant | undefined,
  kept: SandboxPortal | undefined,
): Promise<SandboxPortal> {
  const password = kept?.password ?? `sandbox-${randomBytes(9).toString('base64url')}`;
  const login = { url, email, password };
  if (!merchant) return login;
  const merchantId = merchant.merchant_id;
  const there = await findUser(db, email);
  // After a change in the portal the password differs; the printed one must work.
  const isRight = there !== undefined && (await isPassword(password, there.password_hash));
  if (isRight && (await roleAt(db, merchantId, there.user_id)) === 'owner') return login;
  await inTransaction(db, async (trx) => {
    const user = await ensureUser(trx, { email, locale: 'en', by: 'npm start' });
    if (!isRight) await setPassword(trx, user, password);
    if ((await roleAt(trx, merchantId, user.user_id)) !== undefined) return;
    await addMember(trx, { merchantId, userId: user.user_id, role: 'owner', by: 'npm start' });
    await acceptMembership(trx, merchantId, user.user_id);
  });
  return login;
}
