/**
 * The states of a voucher. It leaves `active` once, for good.
 * - active: its amount was taken from the merchant's wallet; the code was mailed.
 * - redeemed: the code was presented in time, and the amount is back in the merchant's wallet, to be spent.
 * - expired: the code was not presented in time, and the amount is back in the merchant's wallet.
 */
export type VoucherState = 'active' | 'redeemed' | 'expired';

/** A voucher's lifetime: 90 days. */
export const voucherLifetimeMs = 90 * 86_400_000;
