/**
 * The states of a voucher. It leaves `active` once, for good.
 * - active: its amount was taken from the merchant's wallet; the code is in somebody's mail.
 * - redeemed: the code was presented in time, and the amount is back in the merchant's wallet, to be spent.
 * - expired: nobody presented it in time, and the amount is back in the merchant's wallet.
 */
export type VoucherState = 'active' | 'redeemed' | 'expired';

/** How long a voucher is good for: 90 days. */
export const voucherLifetimeMs = 90 * 86_400_000;
