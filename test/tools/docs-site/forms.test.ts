/** The page about phone numbers, amounts and times: every form in its tables is judged by the rail's own schema. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'lossless-json';
import { PaymentError } from '../../../src/domain/errors';
import { formatAmount, type Currency } from '../../../src/domain/money';
import { isDay } from '../../../src/ledger/utc-days';
import { validateInput } from '../../../src/rail-kit/fields';
import { faultsOfPeriod } from '../../../src/statements/statement';
import { servedApi } from '../../../tools/docs-site/served-api';
import { pageTables } from './page-tables';

const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'guides', '03-formats.md'), 'utf8');
const tables = pageTables(page);
const endpoints = servedApi().flatMap((part) => part.endpoints);

interface Request {
  path: string;
  valid: Record<string, unknown>;
}

const momo = (country: string, currency: string, phone: string): Request => ({
  path: '/api/v1/momo/deposit',
  valid: { country, currency, phone_number: phone, amount: '1000', account_reference: 'INV-1' },
});
const requests: Record<string, Request> = {
  'STK push, KES': {
    path: '/api/v1/stk_push',
    valid: {
      ...{ phone_number: '254708374149', amount: '100.00' },
      ...{ account_reference: 'INV-1', transaction_desc: 'Invoice' },
    },
  },
  'Mobile money, ZMW': momo('ZMB', 'ZMW', '+260763456789'),
  'Mobile money, UGX': momo('UGA', 'UGX', '+256772123456'),
  'Cross-border, UGX': {
    path: '/api/v1/xb/stk_push',
    valid: { phone_number: '256700000789', amount: '1000', currency: 'UGX' },
  },
  'Wallet checkout, USD': {
    path: '/api/v1/walletpay/create_order',
    valid: { amount: '25.00', currency: 'USD', order_id: 'ORDER-1' },
  },
  'Hosted checkout, KES': {
    path: '/api/v2/initiate.php',
    valid: {
      ...{ merchant_id: 'm', order_id: 'ORDER-1', amount: '100.00', currency: 'KES', description: 'Shoes' },
      ...{ phone_number: '254712345678', email_address: 'amina@example.com' },
      ...{ first_name: 'Amina', last_name: 'Otieno' },
    },
  },
};
const rails = Object.keys(requests);
/** `STK push` is also the name of its request with an amount in KES. */
const requestOf = (rail: string): Request => {
  const name = rails.find((one) => one.startsWith(rail));
  if (name === undefined) throw new Error(`there is no request of ${rail}`);
  return requests[name] as Request;
};

/** What the endpoint reads, or the code of its error, if that error is about the field alone. */
function readField({ path, valid }: Request, field: string, json: string): unknown {
  const endpoint = endpoints.find((one) => one.path === path);
  if (!endpoint) throw new Error(`there is no ${path}`);
  const body = { ...(parse(stringify(valid) ?? '') as object), [field]: parse(json) };
  try {
    return validateInput(endpoint.input, body)[field];
  } catch (error) {
    if (!(error instanceof PaymentError)) throw error;
    expect([json, error.options.details?.map((one) => one.field)]).toEqual([json, [field]]);
    return error;
  }
}

/** As the page writes it. */
function cellOf(result: unknown, code: string | RegExp): string {
  if (!(result instanceof PaymentError)) return `\`${String(result)}\``;
  expect(result.code).toMatch(code);
  return 'refused';
}
const bare = (cell: string) => cell.replaceAll('`', '');

function readAmount(rail: string, json: string): string {
  const currency = rail.split(', ')[1] as Currency;
  const result = readField(requestOf(rail), 'amount', json);
  const shown = typeof result === 'bigint' ? formatAmount(result, currency) : result;
  return cellOf(shown, /^(?:INVALID_AMOUNT|AMOUNT_OUT_OF_RANGE)$/);
}

const rowsBelow = (heading: string, at = 0) => {
  const table = tables.filter((one) => one.heading === heading)[at];
  if (!table) throw new Error(`there is no table below ${heading}`);
  return table;
};

describe('the page about forms', () => {
  it('names a safe form of a phone number for each rail that reads it', () => {
    const { rows } = rowsBelow('Phone numbers');
    expect(rows).toHaveLength(4);
    for (const [rail = '', form = ''] of rows) {
      const result = readField(requestOf(rail), 'phone_number', bare(form));
      expect([rail, cellOf(result, '')]).toEqual([rail, form.replaceAll('"', '')]);
    }
  });

  it.each(['STK push', 'Mobile money', 'Cross-border', 'Hosted checkout'])(
    'shows what %s reads of each form of a phone number',
    (rail) => {
      const { rows } = rowsBelow(rail);
      const read = rows.map(([form = '']) => {
        const result = readField(requestOf(rail), 'phone_number', bare(form));
        return [form, cellOf(result, 'INVALID_PHONE_NUMBER')];
      });
      expect(read).toEqual(rows);
      expect(rows.filter(([, cell]) => cell === 'refused').length).toBeGreaterThan(3);
    },
  );

  it('shows what each rail reads of each form of an amount', () => {
    const { head, rows } = rowsBelow('Amounts');
    expect(head.slice(1)).toEqual(rails);
    expect(rows.length).toBeGreaterThan(15);
    const read = rows.map(([form = '']) => [form, ...rails.map((rail) => readAmount(rail, bare(form)))]);
    expect(read).toEqual(rows);
  });

  it('shows the smallest and the largest amount of the rails that have limits of their own', () => {
    const { rows } = rowsBelow('Amounts', 1);
    expect(rows).toHaveLength(2);
    for (const [rail = '', smallest = '', largest = ''] of rows) {
      const [least, most] = [Number(bare(smallest)), Number(bare(largest))];
      const asText = (amount: number) => JSON.stringify(amount.toFixed(2));
      const accepted = [least, most, least - 1, most + 1].map(
        (amount) => readAmount(rail, asText(amount)) !== 'refused',
      );
      expect([rail, accepted]).toEqual([rail, [true, true, false, false]]);
    }
  });

  it('shows what a filter reads of each form of a time', () => {
    const { rows } = rowsBelow('Times');
    const read = rows.map(([form = '']) => {
      const result = readField({ path: '/api/v1/payments', valid: {} }, 'created_from', bare(form));
      if (result instanceof PaymentError) return [form, 'refused'];
      const text = String(result);
      return [form, isDay(text) ? 'the start of the day in your time zone' : code(new Date(text))];
    });
    expect(read).toEqual(rows);
  });

  it('shows which days a statement reads', () => {
    const { rows } = rowsBelow('Times', 1);
    const read = rows.map(([form = '']) => {
      const day = parse(bare(form)) as string;
      const faults = faultsOfPeriod({ from: day, to: day }, 'UTC', new Date('2026-12-31T00:00:00Z'));
      return [form, faults.length === 0 ? `\`${day}\`` : 'refused'];
    });
    expect(read).toEqual(rows);
  });
});

const code = (moment: Date) => `\`${moment.toISOString()}\``;
