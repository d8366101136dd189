/** The rows of vouchers; see tables.ts. */
import type { Currency } from '../domain/money';
import type { VoucherState } from '../domain/voucher';

export interface VoucherRow {
  voucher_id: string;
  merchant_id: string;
  workflow_id: string;
  state: VoucherState;
  /** SHA-256 of the code, which stands in the mail and nowhere else. */
  code_hash: Buffer;
  code_last4: string;
  email: string;
  currency: Currency;
  amount_minor: string;
  mail_id: string;
  request_id: string | null;
  created_at: Date;
  expires_at: Date;
  finished_at: Date | null;
  /** The Idempotency-Key it was made with. */
  key_hash: Buffer | null;
  /** The request that redeemed it. */
  ended_by: string | null;
  /** By when somebody must have looked at it, and whose wakes nobody has taken: as a payment's. */
  next_look_at: Date | null;
  woken_at: Date | null;
  wakes: number;
}
