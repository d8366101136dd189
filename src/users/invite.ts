/** New people: a merchant's, by who may, and operators by the command line. */
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
  /** Of the mail, and of the pages of who is new. */
  locale: string;
  by: string;
  /** Whose member, and as what; undefined for an operator. */
  member?: { merchantId: string; role: MerchantRole };
}

export interface Invited {
  user: UserRow;
  /** What opens the invitation: mailed, and not kept. */
  token: string;
  hours: number;
}

/**
 * Invites a person, who becomes a member by accepting. Whether the address has an account already is not told.
 * @param write the mail about it; undefined sends none.
 * @throws PeopleRefusal
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
