import { sendMail, type MailOutcome } from '../mail/send-mail';
import type { MailTransport } from '../mail/transport';
import type { Database } from '../store/database';
import type { VoucherRow } from '../store/tables';
import { getVoucherOrThrow, checkAfterNextTry, checkSoon, checkWhenOver } from './create-voucher';

const checkAfter: Record<MailOutcome['kind'], (voucher: VoucherRow) => Partial<VoucherRow>> = {
  sent: checkWhenOver,
  already_settled: checkWhenOver,
  // The mail cannot be delivered, so its workflow ends the voucher now.
  dead: checkSoon,
  retry: checkAfterNextTry,
};

/** Sends the mail with the code, once. For a voucher that has ended, nothing is sent. */
export async function mailVoucher(
  db: Database,
  transport: MailTransport,
  voucherId: string,
): Promise<MailOutcome> {
  const voucher = await getVoucherOrThrow(db, voucherId);
  const outcome = await sendMail(db, transport, voucher.mail_id);
  await db('vouchers')
    .where({ voucher_id: voucherId, state: 'active' })
    .update(checkAfter[outcome.kind](voucher));
  return outcome;
}
