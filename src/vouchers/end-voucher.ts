import { PaymentError } from '../domain/errors';
import type { VoucherState } from '../domain/voucher';
import { giveUpMail } from '../mail/send-mail';
import type { Database } from '../store/database';
import type { VoucherRow } from '../store/tables';
import { inTransaction } from '../store/transaction';
import { getVoucherOrThrow } from './create-voucher';
import { postVoucher, voucherAccounts } from './ledger';
import { hashOfCode, readVoucherCode } from './voucher-code';

/**
 * Redeems a merchant's voucher: the amount is back in its wallet. However often and from wherever a code is presented,
 * and whether it expires at that very moment, one of them wins.
 * @throws PaymentError VOUCHER_NOT_FOUND for a code that is none, or another merchant's; VOUCHER_NOT_ACTIVE.
 */
export async function redeemVoucher(db: Database, merchantId: string, text: string): Promise<VoucherRow> {
  const code = readVoucherCode(text);
  const voucher =
    code === undefined
      ? undefined
      : await db('vouchers')
          .where({ code_hash: hashOfCode(code), merchant_id: merchantId })
          .first();
  if (!voucher) throw new PaymentError('VOUCHER_NOT_FOUND');
  const isInTime = voucher.expires_at.getTime() > Date.now();
  if (!isInTime || !(await end(db, voucher, 'redeemed'))) {
    throw new PaymentError('VOUCHER_NOT_ACTIVE', { extra: { voucher_id: voucher.voucher_id } });
  }
  return getVoucherOrThrow(db, voucher.voucher_id);
}

/** Ends a voucher nobody redeemed in time. @returns the state it is in, whoever brought it there. */
export async function expireVoucher(db: Database, voucherId: string): Promise<VoucherState> {
  await end(db, await getVoucherOrThrow(db, voucherId), 'expired');
  const { state } = await getVoucherOrThrow(db, voucherId);
  return state;
}

/** @returns false when it had ended before. */
async function end(db: Database, voucher: VoucherRow, state: 'redeemed' | 'expired'): Promise<boolean> {
  const accounts = await voucherAccounts(db, voucher);
  return inTransaction(db, async (trx) => {
    const ended = await trx('vouchers')
      .where({ voucher_id: voucher.voucher_id, state: 'active' })
      .update({ state, finished_at: new Date() });
    if (ended !== 1) return false;
    await postVoucher(trx, voucher, state === 'redeemed' ? 'redeem' : 'expire', accounts);
    // A code that is good for nothing any more need not reach anybody.
    if (state === 'expired') await giveUpMail(trx, voucher.mail_id);
    return true;
  });
}
