import type { Database } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import type { Looked } from './claim-looks';
import { openCase } from '../../controls/cases';

/** What was claimed so often for one look, which nobody took, is a person's question: an open payment after some three hours and a half. */
export const wakesMax = 13;

export function standsStill({ wakes }: Pick<Looked, 'wakes'>): boolean {
  return wakes >= wakesMax;
}

export async function askPersonWhyItStands(db: Database, payment: PaymentRow): Promise<void> {
  const detail = `woken ${String(payment.wakes)} times in vain`;
  await openCase(db, payment.payment_id, { reason: 'stands_still', detail });
}
