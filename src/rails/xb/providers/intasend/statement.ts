/**
 * IntaSend's collections, as its API returns them (the invoice of https://developers.intasend.com/docs/payment-status,
 * in a list or in pages of `results`), or as CSV with the same names as headings. The export of its dashboard is not
 * documented.
 */
import { isLosslessNumber, parse } from 'lossless-json';
import { mapSliced, type Sliced } from '../../../../domain/in-slices';
import { isCurrency } from '../../../../domain/money';
import { meaningOf } from '../../../../rail-kit/provider-words';
import { readStatementAmount } from '../../../../reconciliation/reading/amounts';
import { readTable } from '../../../../reconciliation/reading/csv-table';
import { dateReader } from '../../../../reconciliation/reading/dates';
import { decode } from '../../../../reconciliation/reading/decode';
import { assertDigits, spell, type IdentifierKind } from '../../../../reconciliation/reading/identifiers';
import { readJson } from '../../../../reconciliation/reading/json-text';
import {
  StatementError,
  type StatementFormat,
  type StatementLine,
} from '../../../../reconciliation/statement';
import { recordOf } from './invoice';

const columns = {
  id: ['invoice_id', 'Invoice ID'],
  state: ['state', 'Status'],
  value: ['value', 'Amount'],
  currency: ['currency'],
  charges: ['charges'],
  created: ['updated_at', 'created_at', 'Date'],
  apiRef: ['api_ref'],
  account: ['account', 'phone_number'],
} as const;
const required = ['id', 'state', 'value', 'currency', 'created'] as const;
type Name = keyof typeof columns;
const identifiers = { id: 'id', apiRef: 'reference', account: 'phone' } as const;
interface Fields {
  n: number;
  cells: Record<Name, string>;
  damage?: string;
}

const states: Record<string, StatementLine['state']> = {
  COMPLETE: 'completed',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELED: 'failed',
  CANCELLED: 'failed',
  PENDING: 'pending',
  PROCESSING: 'pending',
  RETRY: 'pending',
  // A part was paid. The payment is open, and the rest may follow.
  PARTIAL: 'pending',
};

export const intasendStatement: StatementFormat = {
  provider: 'intasend',
  payments: [{ rail: 'xb', provider: 'intasend' }],
  knownBy: ['provider_reference'],
  oursIs: 'callback_token',
  // By `updated_at`.
  datesChange: true,
  *read(file, { dateOrder }) {
    const isJson = /^\s*[[{]/.test(decode(file).slice(0, 100));
    const rows = isJson
      ? yield* invoicesIn(decode(file))
      : yield* readTable(file, { columns, required, identifiers, id: 'id' });
    const dates = rows.map(({ n, cells }) => ({ n, text: cells.created }));
    const dateOf = dateReader(dates, 'Africa/Nairobi', dateOrder);
    return yield* mapSliced(rows, (row) => lineOf(row, dateOf(row.cells.created, row.n)));
  },
};

/** @returns the invoices counted from 1: line numbers of a JSON file would not help an operator. */
function* invoicesIn(text: string): Sliced<Fields[]> {
  const json = yield* readJson(text, parse);
  const pages = Array.isArray(json) ? json : [json];
  const found = pages.flatMap((page: unknown) => {
    const { results } = recordOf(page);
    return Array.isArray(results) ? (results as unknown[]) : [page];
  });
  return yield* mapSliced(found, (each, index) => {
    const invoice = recordOf(recordOf(each)['invoice'] ?? each);
    const cells = Object.fromEntries(
      (Object.keys(columns) as Name[]).map((name) => [name, firstOf(invoice, columns[name])]),
    ) as Fields['cells'];
    // Without these fields it cannot be stored. An operator reviews all other faults.
    const missing = (['id', 'created'] as const).find((name) => cells[name] === '');
    if (missing) throw new StatementError(`the invoice has no "${columns[missing][0]}"`, index + 1);
    const row: Fields = { n: index + 1, cells };
    for (const [name, kind] of Object.entries(identifiers) as [keyof typeof identifiers, IdentifierKind][]) {
      spell(row, name, kind);
      assertDigits({ n: row.n, text: cells[name] }, kind);
    }
    return row;
  });
}

/** A text, or a number as written. */
function firstOf(invoice: Record<string, unknown>, names: readonly string[]): string {
  const value = names.map((name) => invoice[name]).find((each) => each !== undefined && each !== null);
  if (isLosslessNumber(value)) return value.toString();
  return typeof value === 'string' ? value : '';
}

function lineOf({ n, cells, damage }: Fields, at: Date): StatementLine {
  const state = meaningOf(states, cells.state.toUpperCase());
  const code = cells.currency.trim().toUpperCase();
  const words = [cells.state, cells.value, cells.currency, damage];
  // One odd invoice must not make the others unreadable. An operator reviews it and its amount.
  if (!isCurrency(code) || cells.value === '')
    return {
      ...{ n, providerReference: cells.id, kind: 'other', amountMinor: 0n, currency: 'KES', at },
      ...{ state: 'completed', description: words.filter(Boolean).join(' ') },
    };
  const currency = code;
  const odd = [state === undefined ? cells.state : '', damage].filter(Boolean);
  return {
    n,
    providerReference: cells.id,
    ...(cells.apiRef === '' ? {} : { ourReference: cells.apiRef }),
    kind: state === undefined ? 'other' : 'collection',
    amountMinor: readStatementAmount(cells.value, currency, n),
    currency,
    ...(cells.charges === '' ? {} : { feeMinor: readStatementAmount(cells.charges, currency, n) }),
    at,
    ...(cells.account === '' ? {} : { phone: cells.account }),
    state: state ?? 'completed',
    ...(odd.length > 0 && { description: odd.join(' ') }),
  };
}
