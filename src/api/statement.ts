/** The merchant's statement of a period: JSON in pages, or CSV in one file. */
import Joi from 'joi';
import { invalid } from '../domain/errors';
import type { Currency } from '../domain/money';
import {
  amountText,
  body,
  currencyCode,
  flag,
  listOf,
  moment,
  orNull,
  success,
  text,
  uuid,
  type TypeOf,
} from '../rail-kit/answer-fields';
import type { EndpointResponse, Endpoint } from '../rail-kit/endpoint';
import { noted } from '../rail-kit/description';
import { anyCurrencyField, optionalText, requiredText } from '../rail-kit/fields';
import {
  cursorOf,
  positionAt,
  beginningOf,
  openStatement,
  pageOf,
  faultsOfPeriod,
  type Statement,
} from '../statements/statement';
import { csvName, csvOf, headOfStatement, shownMovement } from '../statements/statement-csv';
import type { Database } from '../store/database';
import { limitField } from './fields';

const limits = { min: 10, max: 1_000, unlessReported: 500 };

const day = (about: string) =>
  requiredText(10)
    .meta(noted({ format: 'date' }))
    .description(`${about}, in your time zone. YYYY-MM-DD`)
    .example('2026-01-31');

const query = Joi.object({
  from: day('The first day'),
  to: day('The last day, included; at most 366 days'),
  currency: anyCurrencyField().required(),
  format: optionalText(4).valid('json', 'csv').description('Default: json'),
  limit: limitField(limits).description('Movements per page, 10 to 1,000. Default: 500').example('500'),
  cursor: optionalText(600).description('`next_cursor` of the previous page').example('eyJhIjoxfQ'),
});

const ofPayment = 'Null if the movement belongs to no payment';
const answer = body({
  success,
  merchant_id: uuid('The merchant that owns the accounts'),
  currency: currencyCode<Currency>('The currency of all amounts', 'KES'),
  from: text('The first day, included. YYYY-MM-DD', '2026-01-01'),
  to: text('The last day, included. YYYY-MM-DD', '2026-01-31'),
  time_zone: text('Your time zone, in which each day starts and ends', 'Africa/Nairobi'),
  is_final: flag(
    'Whether all days are closed. If so, the same request returns the same statement from now on',
  ),
  accounts: listOf(
    body({
      account: text('The account, such as `wallet` or `float:momo:KEN`', 'wallet'),
      rail: orNull(text('The rail of a float', 'momo')),
      country: orNull(text('The country of a float. ISO 3166 alpha-3', 'KEN')),
      opening_balance: amountText('The balance before the first day'),
      closing_balance: amountText('The balance after the last day'),
    }),
    'The accounts in this currency that were used up to the last day',
  ),
  movements: listOf(
    body({
      account: text('The account that changed', 'wallet'),
      time: moment('When the movement was booked'),
      type: text('The type of movement, such as `credit`, `hold`, `spent`, `release` or `fee`', 'credit'),
      payment_id: orNull(text(`The payment. ${ofPayment}`, '01890a5d-ac96-774b-bcce-b302099a8057')),
      rail: orNull(text(`The payment's rail. ${ofPayment}`, 'stk')),
      kind: orNull(text(`deposit, payout or refund. ${ofPayment}`, 'deposit')),
      order_id: orNull(text('Your order_id, if there is one', 'ORDER-1')),
      reference: orNull(text('Your reference, if there is one', 'INV-1')),
      source_id: orNull(text('The voucher or transfer, if the movement belongs to no payment', '42')),
      amount: amountText('The amount of the movement; negative if it left the account'),
      balance: amountText("The account's balance after the movement"),
    }),
    'Account by account, in booking order',
    limits.max,
  ),
  next_cursor: orNull(text('The cursor of the next page; null on the last page', 'eyJhIjoxfQ')),
});

interface Asked {
  from: string;
  to: string;
  currency: Currency;
  format?: 'json' | 'csv';
  limit?: number;
  cursor?: string;
}

/** @param timezone the time zone of merchants who have set none. */
export function statementEndpoint(db: Database, timezone: string): Endpoint {
  return {
    method: 'GET',
    path: '/api/v1/statement',
    access: 'headers',
    scope: 'read',
    rateLimit: 'api',
    input: query,
    about: {
      id: 'statement',
      summary: "List the movements on the merchant's accounts, day by day",
      details:
        'With `format=csv` or `Accept: text/csv`, the answer is the whole statement in one file. JSON has pages',
      answer,
      otherForms: { 'text/csv': 'One line per balance and per movement' },
      errors: [],
    },
    starts: false,
    async handle({ merchant, input, accept }) {
      const asked = input as unknown as Asked;
      const zone = merchant.time_zone ?? timezone;
      const faults = faultsOfPeriod(asked, zone);
      if (faults.length > 0)
        throw invalid(faults.map(({ field, text }) => ({ field, message: `${field} ${text}` })));
      const { from, to, currency } = asked;
      const wanted = { merchantId: merchant.merchant_id, currency, from, to, zone };
      const format = asked.format ?? (accept?.includes('text/csv') === true ? 'csv' : 'json');
      if (format === 'csv') return csvAnswer(db, await openStatement(db, wanted));
      // One consistent read of the ledger, so that balances and movements agree even for the current day.
      return db.transaction(async (trx) => page(trx, await openStatement(trx, wanted), asked), {
        isolationLevel: 'repeatable read',
      });
    },
  };
}

function csvAnswer(db: Database, statement: Statement): EndpointResponse {
  return {
    status: 200,
    body: {},
    headers: {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': `attachment; filename="${csvName(statement)}"`,
    },
    parts: csvOf(db, statement),
  };
}

async function page(
  trx: Parameters<typeof pageOf>[0],
  statement: Statement,
  { cursor, limit = limits.unlessReported }: Asked,
): Promise<EndpointResponse> {
  const from = cursor === undefined ? beginningOf(statement) : await positionAt(trx, statement, cursor);
  if (!from) throw invalid([{ field: 'cursor', message: 'cursor does not belong to this statement' }]);
  const { movements, next } = await pageOf(trx, statement, from, limit);
  const reported: TypeOf<typeof answer> = {
    success: true,
    ...headOfStatement(statement),
    movements: movements.map((movement) => shownMovement(movement, statement.currency)),
    next_cursor: next ? cursorOf(statement, next, movements.at(-1)) : null,
  };
  return { status: 200, body: reported };
}
