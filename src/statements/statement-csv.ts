/** A statement as CSV (RFC 4180): a heading, then for each account its opening balance, movements and closing balance. */
import { csvField } from '../domain/csv-field';
import { formatAmount, type Currency } from '../domain/money';
import { startOfDay } from '../domain/time';
import { dayAfter } from '../ledger/utc-days';
import type { Database } from '../store/database';
import { pageOf, type Movement, type Statement } from './statement';

const columns = [
  ...['account', 'time', 'type', 'payment_id', 'rail', 'kind', 'order_id', 'reference', 'source_id'],
  ...['amount', 'balance', 'currency'],
];
/** Columns with our own numbers: a minus sign at the beginning is not a formula. */
const numbers = new Set(['amount', 'balance']);

/** How many movements one query reads. Each query takes a connection and returns it, so a slow reader holds none. */
const batch = 1_000;

/** The zone in which users read the times; the file then has a column with the zone. */
export interface Clock {
  zone: string;
  timeOf(at: Date): string;
}

type Values = Partial<Record<string, string | null>>;

/** The file, part by part. Without a clock, times are in UTC; days always begin in the merchant's zone. */
export async function* csvOf(db: Database, statement: Statement, clock?: Clock): AsyncGenerator<string> {
  const { currency, zone, from, to, isFinal, accounts, after } = statement;
  const names = clock ? [...columns, 'time_zone'] : columns;
  const line = (at: Date, values: Values): string => {
    const time = clock?.timeOf(at) ?? at.toISOString();
    const all: Values = { ...values, time, currency, time_zone: clock?.zone ?? null };
    return `${names.map((name) => csvField(all[name] ?? null, numbers.has(name))).join(',')}\r\n`;
  };
  yield `${names.join(',')}\r\n`;
  for (const [account, { name, openingMinor }] of accounts.entries()) {
    const at = (type: string, time: Date, minor: bigint) =>
      line(time, { account: name, type, balance: formatAmount(minor, currency) });
    yield at('opening_balance', startOfDay(from, zone), openingMinor);
    let balanceMinor = openingMinor;
    for await (const movements of movementsOn(
      db,
      { ...statement, accounts: accounts.slice(0, account + 1) },
      {
        ...{ account, seq: after, balanceMinor },
      },
    )) {
      balanceMinor = movements.at(-1)?.balanceMinor ?? balanceMinor;
      yield movements.map((movement) => line(movement.at, shownMovement(movement, currency))).join('');
    }
    // The sum of the movements: in an unfinished period there may be more than when the statement was opened.
    yield at(isFinal ? 'closing_balance' : 'balance_so_far', startOfDay(dayAfter(to), zone), balanceMinor);
  }
}

async function* movementsOn(
  db: Database,
  statement: Statement,
  from: Parameters<typeof pageOf>[2],
): AsyncGenerator<Movement[]> {
  for (let position = from; ;) {
    const { movements, next } = await pageOf(db, statement, position, batch);
    if (movements.length > 0) yield movements;
    if (!next) return;
    position = next;
  }
}

/** The name contains no text of a user. */
export function csvName({ currency, from, to }: Statement): string {
  return `statement-${currency}-${from}-${to}.csv`;
}

/** The statement without its movements: merchant, period, accounts and their balances. */
export function headOfStatement(statement: Statement) {
  const { merchantId, currency, zone, from, to, isFinal, accounts } = statement;
  return {
    merchant_id: merchantId,
    currency,
    from,
    to,
    time_zone: zone,
    is_final: isFinal,
    accounts: accounts.map(({ name, rail, country, openingMinor, closingMinor }) => ({
      account: name,
      rail,
      country,
      opening_balance: formatAmount(openingMinor, currency),
      closing_balance: formatAmount(closingMinor, currency),
    })),
  };
}

export function shownMovement(movement: Movement, currency: Currency) {
  return {
    account: movement.account,
    time: movement.at.toISOString(),
    type: movement.type,
    payment_id: movement.paymentId,
    rail: movement.rail,
    kind: movement.kind,
    order_id: movement.orderId,
    reference: movement.reference,
    source_id: movement.sourceId,
    amount: formatAmount(movement.amountMinor, currency),
    balance: formatAmount(movement.balanceMinor, currency),
  };
}
