/** The one way by which many payouts are taken: of the rail's endpoint, and of whoever else asks in a merchant's name. */
import type { Database } from '../../../store/database';
import type { BulkPayoutRow } from '../../../store/tables';
import type { Call } from '../../../rail-kit/endpoint';
import type { ManyPayouts, PayingOut } from '../../../rail-kit/paying-out';
import type { RailApi } from '../../../rail-kit/rail';
import type { BulkOf } from './endpoints';
import { BulkRows } from './read-rows';

/** @throws PaymentError for a merchant who may not pay out, and as {@link PayingOut.accept} does. */
export async function payOutMany(
  api: Pick<RailApi, 'acceptBulk'>,
  of: BulkOf,
  call: Call,
  { orderId, rows: sent, alongside }: Omit<ManyPayouts, 'rows'> & { rows: readonly unknown[] },
): Promise<BulkPayoutRow> {
  of.mayPayOut?.(call);
  const rows = BulkRows.read(sent, of.row);
  return api.acceptBulk(call, {
    rail: of.rail,
    orderId,
    // Rows that are wrong in themselves were never taken: what they are named by may stand for others.
    body: rows.areValid ? rows.text : '',
    drafts: () => rows.drafts(of.drafting(call)),
    ...(alongside && { alongside }),
  });
}

/** @param bulkOf as the rail's own endpoint has it. */
export function payingOut(bulkOf: (db: Database) => BulkOf): PayingOut {
  return {
    async check({ db }, asking, sent) {
      const of = bulkOf(db);
      const call = { ...asking, input: {} };
      of.mayPayOut?.(call);
      return BulkRows.read(sent, of.row).faultsOf(of.drafting(call));
    },
    accept: (api, asking, many) => payOutMany(api, bulkOf(api.db), { ...asking, input: {} }, many),
  };
}
