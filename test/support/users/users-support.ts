/** Users for tests who can sign in, and the codes of their apps. */
import { Secret, TOTP } from 'otpauth';
import { createMerchant } from '../../../src/merchants/merchants';
import type { SecretBox } from '../../../src/merchants/secrets';
import type { Database } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';
import { addMember, acceptMembership } from '../../../src/users/members';
import { hashPassword } from '../../../src/users/passwords';
import type { MerchantRole } from '../../../src/users/roles';
import { addSecondFactor, newSecondFactor } from '../../../src/users/second-factor';
import { ensureUser, personOf, type Person } from '../../../src/users/users';

export const password = 'korosho na maziwa';
/** Hashed once, because hashing is slow by design. */
const hashed = hashPassword(password);

/** Creates a user who has accepted the invitation; a member if a merchant is given. */
export async function createPerson(
  db: Database,
  email: string,
  member?: { merchantId: string; role: MerchantRole },
): Promise<Person> {
  return inTransaction(db, async (trx) => {
    const user = await ensureUser(trx, { email, locale: 'en', by: 'test' });
    await trx('users')
      .where({ user_id: user.user_id })
      .update({ password_hash: await hashed, password_set_at: new Date() });
    if (member) {
      await addMember(trx, { ...member, userId: user.user_id, by: 'test' });
      await acceptMembership(trx, member.merchantId, user.user_id);
    }
    const row = await trx('users').where({ user_id: user.user_id }).first();
    if (!row) throw new Error('lost');
    return personOf(row);
  });
}

/** The app's code at a time. */
export function codeOf(secret: string, atMs: number): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: atMs });
}

/** @returns the app's secret and the recovery codes. The code that added it belongs to `atMs`. */
export async function giveSecondFactor(
  db: Database,
  box: SecretBox,
  { userId, email }: Person,
  atMs: number,
): Promise<{ secret: string; codes: string[] }> {
  const { secret } = newSecondFactor(email);
  const code = codeOf(secret, atMs);
  const codes = await addSecondFactor(db, box, { userId, secret, code, atMs }, () => Promise.resolve());
  if (!codes) throw new Error('the app was not added');
  return { secret, codes };
}

export async function aMerchant(db: Database, box: SecretBox, name = 'Duka'): Promise<string> {
  const { merchant_id: id } = await createMerchant(db, box, { name, environment: 'sandbox' });
  return id;
}
