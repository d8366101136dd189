import { sendMail, type MailOutcome } from '../mail/send-mail';
import type { MailTransport } from '../mail/transport';
import type { Database } from '../store/database';
import { getVoucherOrThrow } from './create-voucher';

/** Sends the mail with the code, once: an ended voucher's is not sent any more. */
export async function mailVoucher(
  db: Database,
  transport: MailTransport,
  voucherId: string,
): Promise<MailOutcome> {
  const { mail_id: mailId } = await getVoucherOrThrow(db, voucherId);
  return sendMail(db, transport, mailId);
}
