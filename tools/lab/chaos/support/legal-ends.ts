/** The states in which a payment may end that its provider has not booked, by operation and customer behaviour. */
import { isSettled, type PaymentState } from '../../../../src/domain/payment';
import type { PaymentRow } from '../../../../src/store/tables';
import type { Trial } from '../../crash/operations/operation';

interface Unpaid {
  /** The reason, for a reader. */
  because: string;
  ends: readonly PaymentState[];
  /** @param pays whether its customer was to pay. */
  isSo(payment: PaymentRow, history: Trial, pays: boolean): boolean;
}

const legal: readonly Unpaid[] = [
  {
    because: 'it was rejected, or cancelled, before its provider accepted it',
    ends: ['failed'],
    isSo: ({ accepted_at: acceptedAt }) => acceptedAt === null,
  },
  {
    because: 'its provider reports that it never received it, and it was too late to send it again',
    ends: ['failed'],
    isSo: ({ rail, result_code: code }) => rail === 'momo' && code === 'NOT_RECEIVED',
  },
  {
    because: 'its customer did not open the page, or did not finish it, in time',
    ends: ['failed', 'cancelled', 'timed_out'],
    isSo: (_payment, { acts }) => acts !== undefined,
  },
  {
    because: 'its customer declined, and its provider could not be queried in time',
    ends: ['timed_out'],
    isSo: (_payment, _story, pays) => !pays,
  },
];

/** @returns what is wrong with a final payment that was not paid. */
export function faultsOfUnpaid(
  payment: PaymentRow,
  { operation, history }: { operation: string; history: Trial },
): string[] {
  const { payment_id: id, state, failure_code: failure, result_code: result } = payment;
  const pays = history.ends.some(isSettled);
  const isLegal = legal.some(({ ends, isSo }) => ends.includes(state) && isSo(payment, history, pays));
  if (history.ends.includes(state) || isLegal) return [];
  return [`${operation}: ${id} is ${state} (${String(failure)}, ${String(result)}), but was not declined`];
}
