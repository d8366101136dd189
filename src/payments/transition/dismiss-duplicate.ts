import type { Database } from '../../store/database';
import { inTransaction, nextChange, type Alongside } from '../../store/transaction';
import { closeCase } from '../../controls/cases';
import type { Duplicate } from '../read/duplicates';
import { possibleDuplicateDetail } from '../read/possible-duplicate';
import { lockReferenceOf } from './paid-twice';

/**
 * Closes the case of what is no duplicate after all: its status says so no more, and it is not asked about again.
 * @throws PaymentError NOT_FOUND when the case was closed meanwhile.
 */
export async function dismissDuplicate(
  db: Database,
  { caseId, second: { payment_id: paymentId } }: Pick<Duplicate, 'caseId' | 'second'>,
  { by, reason }: { by: string; reason: string },
  alongside: Alongside,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const payment = await trx('payments').where({ payment_id: paymentId }).forUpdate().first('details');
    await lockReferenceOf(trx, paymentId);
    const { [possibleDuplicateDetail]: _, ...details } = payment?.details ?? {};
    await trx('payments')
      .where({ payment_id: paymentId })
      .update({ details: JSON.stringify(details) as never, ...nextChange(trx) });
    await trx('paid_references').where({ payment_id: paymentId }).update({ duplicate_of: null });
    await closeCase(trx, caseId, by, `no duplicate: ${reason}`);
    await alongside(trx);
  });
}
