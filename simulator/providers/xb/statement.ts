import type { Request } from 'express';
import type { CallResponse } from '../../calls';
import { textOf } from '../../fields';
import type { StatementLine, Statements } from '../../statement-lines';
import { nairobiTime } from './identifiers';

const pageSizeAsked = 100;

/** Paid invoices, the newest first, in the format of answers. */
export function invoicesOf(lines: readonly StatementLine[]): object[] {
  const at = (line: StatementLine) => Date.parse(line.at);
  // A reversal is in no list of invoices.
  return lines
    .filter(({ kind }) => kind !== 'reversal')
    .sort((a, b) => at(b) - at(a))
    .map((line) => ({
      invoice_id: line.reference,
      state: 'COMPLETE',
      provider: 'M-PESA',
      charges: Number(line.fee ?? '0'),
      currency: line.currency,
      value: Number(line.amount),
      account: line.phone ?? null,
      api_ref: null,
      mpesa_reference: line.receipt,
      created_at: nairobiTime(at(line)),
      updated_at: nairobiTime(at(line)),
    }));
}

/** A page of the list, in the format of the provider's framework. */
export function invoicePage(statements: Statements, origin: string, { query }: Request): CallResponse {
  const invoices = invoicesOf(statements.lines('xb'));
  const size = statements.pageSize('xb', pageSizeAsked);
  const page = Number(textOf(query['page']) || '1');
  if (!Number.isInteger(page) || page < 1 || (page > 1 && (page - 1) * size >= invoices.length))
    return { status: 404, json: { detail: 'Invalid page.' } };
  const addressOf = (n: number) => `${origin}/api/v1/invoices/?page=${String(n)}`;
  return {
    status: 200,
    json: {
      count: invoices.length,
      next: page * size < invoices.length ? addressOf(page + 1) : null,
      previous: page > 1 ? addressOf(page - 1) : null,
      results: invoices.slice((page - 1) * size, page * size),
    },
  };
}
