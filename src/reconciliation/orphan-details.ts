/** The facts for a decision about an unmatched receipt: its statement line, and payments that it may belong to. */
import { isSettled } from '../domain/payment';
import type { Database } from '../store/database';
import type { OrphanRow, StatementLineRow } from '../store/tables';
import { likelyOwners, type LikelyOwner } from './likely-owners';
import type { StatementFormat } from './statement';
import { isNameless, mayBeMoneyOf, TooManyAlike } from './without-receipt';

/** A payment that no line names, whose money the line may be. */
export interface PossiblePayment {
  payment_id: string;
  merchant_id: string;
  state: string;
  /** What speaks for it. */
  because: string[];
  /** Its money is booked already. */
  is_paid: boolean;
  /** We never learnt what the provider calls it. */
  is_without_receipt: boolean;
}

export interface OrphanDetails {
  line: StatementLineRow | null;
  likely_owners: LikelyOwner[];
  /** The likeliest first; none where the orphan is decided, or where too many are alike. */
  may_be_money_of: PossiblePayment[];
}

/** @param format undefined where no rail of this deployment reads the provider's statements: no payment is compared. */
export async function orphanDetails(
  db: Database,
  format: StatementFormat | undefined,
  { line_id: lineId, state }: Pick<OrphanRow, 'line_id' | 'state'>,
): Promise<OrphanDetails> {
  const line = await db('statement_lines').where({ line_id: lineId }).first();
  if (!line || !format) return { line: line ?? null, likely_owners: [], may_be_money_of: [] };
  const owners = (await likelyOwners(db, format, [line])).get(lineId) ?? [];
  const possible = state === 'open' ? await possiblePayments(db, format, line) : [];
  return { line, likely_owners: owners, may_be_money_of: possible };
}

async function possiblePayments(
  db: Database,
  format: StatementFormat,
  line: StatementLineRow,
): Promise<PossiblePayment[]> {
  const found = await mayBeMoneyOf(db, format, line).catch((error: unknown) => {
    if (error instanceof TooManyAlike) return [];
    throw error;
  });
  return found.map(({ payment, because }) => ({
    payment_id: payment.payment_id,
    merchant_id: payment.merchant_id,
    state: payment.state,
    because,
    is_paid: isSettled(payment.state),
    is_without_receipt: isNameless(format, payment),
  }));
}
