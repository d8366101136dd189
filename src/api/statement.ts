/** The merchant's statement of a period: JSON by pages, or the whole of it as CSV. */
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
import type { Answer, Endpoint } from '../rail-kit/endpoint';
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
import { csvName, csvOf, headOfStatement, toldMovement } from '../statements/statement-csv';
import type { Database } from '../store/database';
import { limitField } from './fields';

const limits = { min: 10, max: 1_000, unlessTold: 500 };

const day = (about: string) =>
  requiredText(10)
    .meta(noted({ format: 'date' }))
    .description(`${about}, by your time zone. YYYY-MM-DD`)
    .example('2026-01-31');

const query = Joi.object({
  from: day('The first day'),
  to: day('The last day, which is in it; 366 days at most'),
  currency: anyCurrencyField().required(),
  format: optionalText(4).valid('json', 'csv').description('json unless told'),
  limit: limitField(limits).description('Movements on a page, 10 to 1,000; 500 unless told').example('500'),
  cursor: optionalText(600).description('`next_cursor` of the page before').example('eyJhIjoxfQ'),
});

const ofPayment = 'Null where the movement is of no payment';
const answer = body({
  success,
  merchant_id: uuid('Whose accounts they are'),
  currency: currencyCode<Currency>('Of all amounts', 'KES'),
  from: text('The first day, which is in it. YYYY-MM-DD', '2026-01-01'),
  to: text('The last day, which is in it. YYYY-MM-DD', '2026-01-31'),
  time_zone: text('By which its days begin and end: yours', 'Africa/Nairobi'),
  is_final: flag('All its days are sealed: the same question has the same answer from now on'),
  accounts: listOf(
    body({
      account: text('Such as `wallet` or `float:momo:KEN`', 'wallet'),
      rail: orNull(text('Of a float', 'momo')),
      country: orNull(text('Of a float. ISO 3166 alpha-3', 'KEN')),
      opening_balance: amountText('What it held before the first day'),
      closing_balance: amountText('What it held after the last day'),
    }),
    'The accounts in the currency that were used by the last day',
  ),
  movements: listOf(
    body({
      account: text('The account that moved', 'wallet'),
      time: moment('When it was booked'),
      type: text('What it was, such as `credit`, `hold`, `spent`, `release` or `fee`', 'credit'),
      payment_id: orNull(text(`The payment. ${ofPayment}`, '01890a5d-ac96-774b-bcce-b302099a8057')),
      rail: orNull(text(`Its rail. ${ofPayment}`, 'stk')),
      kind: orNull(text(`deposit, payout or refund. ${ofPayment}`, 'deposit')),
      order_id: orNull(text('Your order_id, where it has one', 'ORDER-1')),
      reference: orNull(text('Your reference, where it has one', 'INV-1')),
      source_id: orNull(text('Of the voucher or transfer, where it is no payment', '42')),
      amount: amountText('What moved; negative where it left the account'),
      balance: amountText("The account's balance after it"),
    }),
    'In the order in which the balances moved, account by account',
    limits.max,
  ),
  next_cursor: orNull(text('What the next page is asked for with; null on the last one', 'eyJhIjoxfQ')),
});

interface Asked {
  from: string;
  to: string;
  currency: Currency;
  format?: 'json' | 'csv';
  limit?: number;
  cursor?: string;
}

/** @param timezone of merchants who have set none. */
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
      summary: "What moved on the merchant's accounts, day by day",
      details:
        'With `format=csv`, or `Accept: text/csv`, the whole of it is one file; as JSON it comes in pages',
      answer,
      otherForms: { 'text/csv': 'One line for each balance and movement' },
      refusals: [],
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
      // One view of the ledger, so that balances and movements agree also on a day that is not over.
      return db.transaction(async (trx) => page(trx, await openStatement(trx, wanted), asked), {
        isolationLevel: 'repeatable read',
      });
    },
  };
}

function csvAnswer(db: Database, statement: Statement): Answer {
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
  { cursor, limit = limits.unlessTold }: Asked,
): Promise<Answer> {
  const from = cursor === undefined ? beginningOf(statement) : await positionAt(trx, statement, cursor);
  if (!from) throw invalid([{ field: 'cursor', message: 'cursor is of no page of this statement' }]);
  const { movements, next } = await pageOf(trx, statement, from, limit);
  const told: TypeOf<typeof answer> = {
    success: true,
    ...headOfStatement(statement),
    movements: movements.map((movement) => toldMovement(movement, statement.currency)),
    next_cursor: next ? cursorOf(statement, next, movements.at(-1)) : null,
  };
  return { status: 200, body: told };
}
