import type { Command } from 'commander';
import { formatAmount } from '../domain/money';
import { getMerchantOrThrow } from '../merchants/merchants';
import { InputError } from '../operator-actions/errors';
import { readCurrency } from '../operator-actions/read';
import {
  faultsOfPeriod,
  beginningOf,
  openStatement,
  pageOf,
  type Movement,
  type Statement,
} from '../statements/statement';
import { csvOf, headOfStatement, shownMovement } from '../statements/statement-csv';
import type { Database } from '../store/database';
import type { Report, Running } from './report';
import type { Session } from './session';
import { table } from './table';

export function statementCommand(program: Command, { run }: Running): void {
  program
    .command('statement <merchant_id>')
    .description('print the statement of a merchant: all movements of its accounts in the ledger')
    .requiredOption('--from <day>', 'the first day, such as 2026-01-01, in the time zone of the merchant')
    .requiredOption('--to <day>', 'the last day, inclusive')
    .requiredOption('--currency <currency>', 'such as KES', readCurrency)
    .option('--csv', 'print CSV for a spreadsheet, the same as the API returns')
    .action(run(statement));
}

interface StatementOptions {
  from: string;
  to: string;
  currency: ReturnType<typeof readCurrency>;
  csv?: true;
}

async function statement(
  { context: { db }, config }: Session,
  merchant: string,
  { from, to, currency, csv }: StatementOptions,
): Promise<Report> {
  const { merchant_id: merchantId, time_zone: own } = await getMerchantOrThrow(db, merchant);
  const zone = own ?? config.timezone;
  const [fault] = faultsOfPeriod({ from, to }, zone);
  if (fault) throw new InputError(`--${fault.field} ${fault.text.replace(/\bto\b$|\bfrom\b$/, '--$&')}.`);
  const opened = await openStatement(db, { merchantId, currency, from, to, zone });
  if (csv) {
    const parts: string[] = [];
    for await (const part of csvOf(db, opened)) parts.push(part);
    // `tell` adds a line feed at the end, so the file's own last one is removed.
    return { json: { csv: parts.join('') }, text: parts.join('').replace(/\n$/, '') };
  }
  const movements = await allOf(db, opened);
  return {
    json: {
      ...headOfStatement(opened),
      movements: movements.map((movement) => shownMovement(movement, currency)),
    },
    text: textOf(opened, movements),
  };
}

async function allOf(db: Database, opened: Statement): Promise<Movement[]> {
  const all: Movement[] = [];
  for (let position = beginningOf(opened); ;) {
    const { movements, next } = await pageOf(db, opened, position, 1_000);
    all.push(...movements);
    if (!next) return all;
    position = next;
  }
}

function textOf(
  { currency, zone, from, to, isFinal, accounts }: Statement,
  movements: readonly Movement[],
): string {
  const shown = (minor: bigint) => formatAmount(minor, currency);
  const balances = accounts.map(({ name, openingMinor, closingMinor }) => [
    ...[name, shown(openingMinor), shown(closingMinor)],
  ]);
  const rows = movements.map((movement) => [
    ...[movement.account, movement.at.toISOString(), movement.type],
    movement.paymentId ?? movement.sourceId ?? '',
    ...[shown(movement.amountMinor), shown(movement.balanceMinor)],
  ]);
  const verdict = isFinal
    ? 'Final: all of its days have a digest, so it will not change.'
    : 'NOT FINAL: not all of its days have a digest yet.';
  return [
    `${currency} from ${from} to ${to} (${zone})`,
    accounts.length === 0 ? 'There is no booking.' : table(['account', 'opening', 'closing'], balances),
    ...(rows.length === 0
      ? []
      : [table(['account', 'time', 'type', 'payment or other', 'amount', 'balance'], rows)]),
    verdict,
  ].join('\n\n');
}
