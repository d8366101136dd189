import { openAccount } from '../ledger/accounts';
import { postEntry } from '../ledger/post-entry';
import type { Database, Transaction } from '../store/database';
import type { VoucherRow } from '../store/tables';

type Funded = Pick<VoucherRow, 'voucher_id' | 'merchant_id' | 'currency' | 'amount_minor'>;

/** Opens the accounts, outside the transaction that will post. */
export async function voucherAccounts(db: Database, { merchant_id: merchantId, currency }: Funded) {
  const [wallet, vouchers] = await Promise.all([
    openAccount(db, { class: 'wallet', merchantId, currency }),
    openAccount(db, { class: 'vouchers', currency }),
  ]);
  return { wallet, vouchers };
}

type VoucherAccounts = Awaited<ReturnType<typeof voucherAccounts>>;

/**
 * `fund` takes the amount from the wallet into the vouchers account; `redeem` and `expire` bring it back.
 * @throws PaymentError BALANCE_INSUFFICIENT when the wallet does not hold it.
 */
export async function postVoucher(
  trx: Transaction,
  voucher: Funded,
  leg: 'fund' | 'redeem' | 'expire',
  { wallet, vouchers }: VoucherAccounts,
): Promise<void> {
  const amountMinor = BigInt(voucher.amount_minor);
  const [from, to] = leg === 'fund' ? [wallet, vouchers] : [vouchers, wallet];
  await postEntry(trx, {
    source: { type: 'voucher', id: voucher.voucher_id, leg },
    whenShort: 'BALANCE_INSUFFICIENT',
    lines: [
      { account: from, amountMinor: -amountMinor },
      { account: to, amountMinor },
    ],
  });
}
