import { v7 as uuid } from 'uuid';
import { PaymentError } from '../domain/errors';
import type { VoucherState } from '../domain/voucher';
import { giveUpMail } from '../mail/send-mail';
import { tieClaim } from '../payments/create/idempotency-claims';
import { commitPatienceMs } from '../payments/create/write-payment';
import type { Call } from '../rail-kit/endpoint';
import type { Database, Transaction } from '../store/database';
import type { VoucherRow } from '../store/tables';
import { CommitUnknown, inTransaction } from '../store/transaction';
import {
  getVoucherOrThrow,
  voucherUnknown,
  noMoreChecks,
  checkSoon,
  checkWhenOver,
  postVoucher,
  voucherAccounts,
} from './create-voucher';
import { hashOfCode, readVoucherCode } from './voucher-code';

/**
 * Redeems a merchant's voucher: the amount returns to its wallet. A code may be presented many times at once, even
 * while the voucher expires: exactly one wins, and only its own repeats get its answer.
 * @throws PaymentError VOUCHER_NOT_FOUND for an invalid code or another merchant's; VOUCHER_NOT_ACTIVE;
 * ACCEPTANCE_UNKNOWN if the result of the commit is unknown.
 */
export async function redeemVoucher(
  db: Database,
  { merchant, idempotency }: Pick<Call, 'merchant' | 'idempotency'>,
  text: string,
): Promise<VoucherRow> {
  const { merchant_id: merchantId } = merchant;
  const code = readVoucherCode(text);
  const voucher =
    code === undefined
      ? undefined
      : await db('vouchers')
          .where({ code_hash: hashOfCode(code), merchant_id: merchantId })
          .first();
  if (!voucher) throw new PaymentError('VOUCHER_NOT_FOUND');
  const isInTime = voucher.expires_at.getTime() > Date.now();
  const redeemed = isInTime
    ? await end(db, voucher, 'redeemed', async (trx) => {
        if (idempotency) await tieClaim(trx, merchantId, idempotency, voucher.voucher_id);
      })
    : undefined;
  if (!redeemed) throw new PaymentError('VOUCHER_NOT_ACTIVE', { extra: { voucher_id: voucher.voucher_id } });
  return redeemed;
}

/**
 * Checks a voucher for its workflow, and ends it if it was not redeemed in time.
 * @returns its current state, whichever request caused it.
 */
export async function checkVoucher(
  db: Database,
  { voucherId, isOver }: { voucherId: string; isOver: boolean },
): Promise<VoucherState> {
  if (isOver) await end(db, await getVoucherOrThrow(db, voucherId), 'expired');
  const voucher = await getVoucherOrThrow(db, voucherId);
  const { state } = voucher;
  // A concurrent end of the voucher plans the next check itself.
  await db('vouchers')
    .where({ voucher_id: voucherId, state })
    .update(state === 'active' ? checkWhenOver(voucher) : noMoreChecks);
  return state;
}

/**
 * @param also runs in the same transaction.
 * @returns the voucher after the change, or undefined if it had ended before.
 */
async function end(
  db: Database,
  voucher: VoucherRow,
  state: 'redeemed' | 'expired',
  also: (trx: Transaction) => Promise<void> = () => Promise.resolve(),
): Promise<VoucherRow | undefined> {
  const { voucher_id: voucherId } = voucher;
  const accounts = await voucherAccounts(db, voucher);
  // A retry whose answer was lost recognises its own commit by this.
  const endedBy = uuid();
  const write = async (trx: Transaction): Promise<VoucherRow | undefined> => {
    const now = await trx('vouchers').where({ voucher_id: voucherId }).forUpdate().first();
    if (now?.ended_by === endedBy) return now;
    if (now?.state !== 'active') return undefined;
    const check = state === 'redeemed' ? checkSoon() : noMoreChecks;
    const ending = { state, finished_at: new Date(), ended_by: endedBy, ...check };
    await trx('vouchers').where({ voucher_id: voucherId }).update(ending);
    // A code that is no longer valid need not be delivered.
    if (state === 'expired') await giveUpMail(trx, voucher.mail_id);
    await also(trx);
    await postVoucher(trx, voucher, state === 'redeemed' ? 'redeem' : 'expire', accounts);
    return { ...now, ...ending };
  };
  try {
    return await inTransaction(db, write, { patienceMs: commitPatienceMs });
  } catch (error) {
    throw error instanceof CommitUnknown ? voucherUnknown(voucherId, error) : error;
  }
}
