import type { Request } from 'express';
import type { CallResponse } from '../../calls';
import type { Clock } from '../../clock';
import { textOf } from '../../fields';
import type { StatementLine, Statements } from '../../statement-lines';
import { denial } from './errors';

const spanMaxMs = 31 * 86_400_000;
const pageSizeMax = 500;
/** Event codes, and whether money came in. */
const kinds = {
  collection: ['T0006', ''],
  payout: ['T0001', '-'],
  return: ['T1115', ''],
  refund: ['T1107', '-'],
  reversal: ['T1106', '-'],
} as const;

/** In the provider's format of a time: without a colon in the zone. */
const momentOf = (at: string | number): string => `${new Date(at).toISOString().slice(0, 19)}+0000`;

/** The account's transactions, the oldest first; a fee is a separate transaction. */
export function transactionsOf(lines: readonly StatementLine[]): object[] {
  const infoOf = (line: StatementLine, id: string, code: string, signed: string) => ({
    transaction_info: {
      transaction_id: id,
      transaction_event_code: code,
      transaction_initiation_date: momentOf(line.at),
      transaction_updated_date: momentOf(line.at),
      transaction_amount: { currency_code: line.currency, value: signed },
      transaction_status: 'S',
      ...(line.linked !== undefined && { paypal_reference_id: line.linked, paypal_reference_id_type: 'TXN' }),
    },
  });
  return lines.flatMap((line) => {
    const [code, sign] = kinds[line.kind ?? 'collection'];
    const fee = line.fee === undefined ? [] : [infoOf(line, `${line.receipt}FEE`, 'T0106', `-${line.fee}`)];
    return [infoOf(line, line.receipt, code, `${sign}${line.amount}`), ...fee];
  });
}

/** Transaction Search: the transactions of a period, in pages. */
export function searchTransactions(statements: Statements, clock: Clock, { query }: Request): CallResponse {
  const [start, end] = [Date.parse(textOf(query['start_date'])), Date.parse(textOf(query['end_date']))];
  if (!(start <= end) || end - start > spanMaxMs) return denial('INVALID_REQUEST');
  const found = transactionsOf(
    statements.lines('walletpay').filter(({ at }) => Date.parse(at) >= start && Date.parse(at) <= end),
  );
  const size = statements.pageSize('walletpay', Math.min(Number(query['page_size'] ?? 100), pageSizeMax));
  const page = Number(query['page'] ?? 1);
  return {
    status: 200,
    json: {
      transaction_details: found.slice((page - 1) * size, page * size),
      account_number: 'XXXXXXXXXXXXX',
      start_date: momentOf(start),
      end_date: momentOf(end),
      // How far it is complete: passing time completes it.
      last_refreshed_datetime: momentOf(clock.now()),
      page,
      total_items: found.length,
      total_pages: Math.ceil(found.length / size),
    },
  };
}
