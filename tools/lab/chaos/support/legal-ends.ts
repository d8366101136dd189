/** In which ends a payment that its provider has not booked may stand, by what was asked for and by what its customer does. */
import { isSettled, type PaymentState } from '../../../../src/domain/payment';
import type { PaymentRow } from '../../../../src/store/tables';
import type { Story } from '../../crash/operations/operation';

interface Unpaid {
  /** Why, as a reader would say. */
  because: string;
  ends: readonly PaymentState[];
  /** @param pays whether its customer was to pay. */
  isSo(payment: PaymentRow, story: Story, pays: boolean): boolean;
}

const legal: readonly Unpaid[] = [
  {
    because: 'it was refused, or withdrawn, before its provider took it',
    ends: ['failed'],
    isSo: ({ accepted_at: acceptedAt }) => acceptedAt === null,
  },
  {
    because: 'its provider says that it never received it, and it was too late to send it again',
    ends: ['failed'],
    isSo: ({ rail, result_code: code }) => rail === 'momo' && code === 'NOT_RECEIVED',
  },
  {
    because: 'its customer came to no page, or not to the end of it, in time',
    ends: ['failed', 'cancelled', 'timed_out'],
    isSo: (_payment, { acts }) => acts !== undefined,
  },
  {
    because: 'its customer refused, and its provider could not be asked until it was given up',
    ends: ['timed_out'],
    isSo: (_payment, _story, pays) => !pays,
  },
];

/** @returns what is wrong with a payment that has ended, and that nobody has paid. */
export function faultsOfUnpaid(
  payment: PaymentRow,
  { operation, story }: { operation: string; story: Story },
): string[] {
  const { payment_id: id, state, failure_code: failure, result_code: result } = payment;
  const pays = story.ends.some(isSettled);
  const isLegal = legal.some(({ ends, isSo }) => ends.includes(state) && isSo(payment, story, pays));
  if (story.ends.includes(state) || isLegal) return [];
  return [`${operation}: ${id} is ${state} (${String(failure)}, ${String(result)}), and nobody refused it`];
}
