/** How a rail takes many payouts at once from whoever asks in a merchant's name, as its own endpoint takes them. */
import type { ErrorCode } from '../domain/errors';
import type { Transaction } from '../store/database';
import type { BulkPayoutRow } from '../store/tables';
import type { Call } from './endpoint';
import type { RailApi } from './rail';

/** Of one row, under the names of the rail's own single payout. */
export interface PayoutFault {
  /** Its place in the list, from 0. */
  n: number;
  /** Empty where it is about the row as a whole. */
  field: string;
  code: ErrorCode;
  /** In English, as the API tells it. */
  message: string;
}

export interface ManyPayouts {
  /** The merchant's name for the whole, for ever. */
  orderId: string;
  /** As the rail's endpoint is sent them, amounts as decimal texts. */
  rows: readonly Readonly<Record<string, string>>[];
  /** Runs last in the transaction that writes them; what it throws takes all of it back. */
  alongside?: (trx: Transaction, bulkId: string) => Promise<void>;
}

type Asking = Pick<Call, 'merchant' | 'requestId'>;

export interface PayingOut {
  /** Writes nothing. @throws PaymentError for a merchant who may not pay out. */
  check(api: Pick<RailApi, 'db'>, call: Asking, rows: ManyPayouts['rows']): Promise<PayoutFault[]>;
  /**
   * Takes all or none; the same again gets the first one's.
   * @throws PaymentError with the faults of all rows, or as FLOAT_INSUFFICIENT and OUTFLOW_LIMIT_REACHED for them together.
   */
  accept(api: Pick<RailApi, 'db' | 'acceptBulk'>, call: Asking, many: ManyPayouts): Promise<BulkPayoutRow>;
}
