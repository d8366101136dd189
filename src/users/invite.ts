/** Invitations of merchants' members and of operators. */
import type { NewMail } from '../mail/enqueue-mail';
import { enqueueMail } from '../mail/enqueue-mail';
import type { Transaction } from '../store/database';
import type { UserRow } from '../store/tables';
import { linkHours, makeLink } from './links';
import { addMember } from './members';
import type { MerchantRole } from './roles';
import { ensureUser } from './users';

export interface Invitation {
  email: string;
  /** The language of the mail, and of a new user's pages. */
  locale: string;
  by: string;
  /** The merchant and the role; undefined for an operator. */
  member?: { merchantId: string; role: MerchantRole };
}

export interface Invited {
  user: UserRow;
  /** The token of the link, which is mailed and not stored. */
  token: string;
  hours: number;
}

/**
 * Invites a user, who becomes a member by accepting. The result does not show whether the address has an account.
 * @param write the mail; undefined sends none.
 * @throws UserError
 */
export async function invite(
  trx: Transaction,
  { email, locale, by, member }: Invitation,
  write: (invited: Invited) => NewMail | undefined,
): Promise<Invited> {
  const user = await ensureUser(trx, { email, locale, by });
  if (member) await addMember(trx, { ...member, userId: user.user_id, by });
  const token = await makeLink(trx, {
    kind: 'invitation',
    userId: user.user_id,
    merchantId: member?.merchantId ?? null,
  });
  const invited = { user, token, hours: linkHours.invitation };
  const mail = write(invited);
  if (mail) await enqueueMail(trx, mail);
  return invited;
}
