import { v7 as uuid } from 'uuid';
import type { Currency } from '../domain/money';
import { voucherLifetimeMs } from '../domain/voucher';
import { enqueueMail } from '../mail/enqueue-mail';
import type { Call } from '../payments/endpoint';
import { tieClaim } from '../payments/idempotency';
import type { Database } from '../store/database';
import type { VoucherRow } from '../store/tables';
import { inTransaction } from '../store/transaction';
import { postVoucher, voucherAccounts } from './ledger';
import { hashOfCode, mintVoucherCode } from './voucher-code';
import { voucherMail } from './voucher-mail';

export interface NewVoucher {
  email: string;
  currency: Currency;
  amountMinor: bigint;
}

/**
 * Takes the amount from the merchant's wallet and writes the mail with the code, in one transaction. The code is in that
 * mail only: not even we can tell it again.
 * @throws PaymentError BALANCE_INSUFFICIENT
 */
export async function createVoucher(
  db: Database,
  call: Pick<Call, 'merchant' | 'requestId' | 'idempotency'>,
  { email, currency, amountMinor }: NewVoucher,
): Promise<VoucherRow> {
  const { merchant, requestId, idempotency } = call;
  const voucherId = uuid();
  const code = mintVoucherCode();
  const now = new Date();
  const voucher: Omit<VoucherRow, 'mail_id'> = {
    voucher_id: voucherId,
    merchant_id: merchant.merchant_id,
    workflow_id: `voucher/${voucherId}`,
    state: 'active',
    code_hash: hashOfCode(code),
    code_last4: code.slice(-4),
    email,
    currency,
    amount_minor: amountMinor.toString(),
    request_id: requestId,
    created_at: now,
    expires_at: new Date(now.getTime() + voucherLifetimeMs),
    finished_at: null,
  };
  const accounts = await voucherAccounts(db, voucher);
  try {
    await inTransaction(db, async (trx) => {
      const mailId = await enqueueMail(trx, voucherMail(voucher, merchant.name, code));
      await trx('vouchers').insert({ ...voucher, mail_id: mailId });
      await postVoucher(trx, voucher, 'fund', accounts);
      if (idempotency) await tieClaim(trx, merchant.merchant_id, idempotency, voucherId);
    });
  } catch (error) {
    // A connection lost inside COMMIT: the next try ran into what the first one had written.
    const written = await db('vouchers').where({ voucher_id: voucherId }).first();
    if (!written) throw error;
    return written;
  }
  return getVoucherOrThrow(db, voucherId);
}

export async function getVoucherOrThrow(db: Database, voucherId: string): Promise<VoucherRow> {
  const voucher = await db('vouchers').where({ voucher_id: voucherId }).first();
  if (!voucher) throw new Error(`no voucher ${voucherId}`);
  return voucher;
}
