import type { Database } from '../../store/database';
import type { PaymentRow } from '../../store/tables';

/**
 * Claims the question to the provider that a stranger's request is answered with, at most once in so many milliseconds
 * for one payment, and ever more rarely: not before half the time has passed again that the payment was old when it was
 * asked last, so that whoever repeats the request for hours costs some questions and not thousands. Whichever process is
 * asked: by the database's clock, in one statement.
 * @returns false where it was asked a moment ago, so that the payment is answered as it stands.
 */
export async function mayAskNow(
  db: Database,
  { payment_id }: Pick<PaymentRow, 'payment_id'>,
  everyMs: number,
): Promise<boolean> {
  const claimed = await db('payments')
    .where({ payment_id })
    .where((open) => {
      void open.whereNull('asked_at').orWhereRaw(
        `TIMESTAMPDIFF(MICROSECOND, asked_at, UTC_TIMESTAMP(3)) >=
             GREATEST(?, TIMESTAMPDIFF(MICROSECOND, created_at, asked_at) / 2)`,
        [everyMs * 1_000],
      );
    })
    .update({ asked_at: db.raw<Date>('UTC_TIMESTAMP(3)') });
  return claimed === 1;
}
