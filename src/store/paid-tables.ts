/** What was paid under which reference of its merchant's; see payments/transition/paid-twice.ts. */
export interface PaidReferenceRow {
  /** SHA-256 of the merchant, the currency and the reference. */
  reference_key: Buffer;
  /** Counts the payments of a reference from 1. The first row is the one that whoever settles another one locks. */
  n: number;
  payment_id: string;
  /** The payment that had paid it before; of one that is no duplicate, or was dismissed, NULL. */
  duplicate_of: string | null;
  /** By the payment's own clock; of the first row when the reference was paid last. */
  paid_at: Date;
  /** Of the first row: how often the reference was seen paid. */
  times: number;
  /** Of the first row: it is paid again and again, and names no single purchase. */
  is_account: number;
}

declare module 'knex/types/tables' {
  interface Tables {
    paid_references: PaidReferenceRow;
  }
}
