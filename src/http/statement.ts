/** The merchant's statement of a period: JSON by pages, or the whole of it as CSV. */
import Joi from 'joi';
import { invalid } from '../domain/errors';
import type { Currency } from '../domain/money';
import { utcDay } from '../ledger/utc-days';
import type { Answer, Endpoint } from '../payments/rail/endpoint';
import { anyCurrencyField, optionalText, refuse, requiredText } from '../payments/rail/fields';
import { cursorOf, positionAt } from '../statements/cursor';
import { faultsOfPeriod } from '../statements/period';
import { beginningOf, openStatement, pageOf, type Statement } from '../statements/statement';
import { csvName, csvOf } from '../statements/statement-csv';
import { headOfStatement, toldMovement } from '../statements/statement-json';
import type { Database } from '../store/database';

const limits = { min: 10, max: 1_000, unlessTold: 500 };

const limitField = optionalText(4).custom((text: string, helpers) => {
  const limit = /^\d+$/.test(text) ? Number(text) : 0;
  return limit >= limits.min && limit <= limits.max
    ? limit
    : refuse(helpers, `must be a whole number from ${String(limits.min)} to ${String(limits.max)}`);
});

const query = Joi.object({
  from: requiredText(10),
  to: requiredText(10),
  currency: anyCurrencyField().required(),
  format: optionalText(4).valid('json', 'csv'),
  limit: limitField,
  cursor: optionalText(600),
});

interface Asked {
  from: string;
  to: string;
  currency: Currency;
  format?: 'json' | 'csv';
  limit?: number;
  cursor?: string;
}

export function statementEndpoint(db: Database): Endpoint {
  return {
    method: 'GET',
    path: '/api/v1/statement',
    access: 'headers',
    rateLimit: 'api',
    input: query,
    starts: false,
    async handle({ merchant, input, accept }) {
      const asked = input as unknown as Asked;
      const faults = faultsOfPeriod(asked, utcDay(new Date()));
      if (faults.length > 0)
        throw invalid(faults.map(({ field, text }) => ({ field, message: `${field} ${text}` })));
      const { from, to, currency } = asked;
      const wanted = { merchantId: merchant.merchant_id, currency, from, to };
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
  return {
    status: 200,
    body: {
      success: true,
      ...headOfStatement(statement),
      movements: movements.map((movement) => toldMovement(movement, statement.currency)),
      next_cursor: next ? cursorOf(statement, next, movements.at(-1)) : null,
    },
  };
}
