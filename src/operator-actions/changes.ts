/** The changes of a transaction, from → to. They are read from the database, so a preview shows what really happens. */
import { isCurrency } from '../domain/money';
import type { Transaction } from '../store/database';
import { rowsChangedIn } from '../users/audit-log';
import { controlTableOf, type ControlRow, type ControlTableName } from '../users/control-rows';
import { notedChanges } from '../users/current-action';
import type { Change, ShownValue } from './action';

/** Columns with a secret or its hash: the change is shown, the value is not. */
const secretColumn = /secret|hash|password|totp|public_key|token/;
const unseen = '•••';

/** Columns of minor units, of rows with a currency. */
const minorColumns = new Set(['amount', 'fixed', 'minimum', 'maximum', 'from_minor']);

/** Call it last in the transaction. @param besides changes of other tables, from the handler. */
export async function changesIn(trx: Transaction, besides: readonly Change[] = []): Promise<Change[]> {
  return [...(await ledgerChanges(trx)), ...paymentChanges(trx), ...besides, ...(await rowChanges(trx))];
}

async function ledgerChanges(trx: Transaction): Promise<Change[]> {
  const sums = new Map<string, bigint>();
  for (const noted of notedChanges(trx))
    if (noted.kind === 'posted')
      sums.set(noted.accountId, (sums.get(noted.accountId) ?? 0n) + noted.amountMinor);
  const accounts = await trx('ledger_accounts').whereIn('account_id', [...sums.keys()]);
  return accounts.map(({ account_id: id, code, currency, balance }): Change => {
    const sum = sums.get(id) ?? 0n;
    const of = { kind: 'ledger_account', id: code };
    const value = (minor: bigint): ShownValue => ({ minor: minor.toString(), currency });
    // Accounts of the platform carry no balance row.
    return balance === null
      ? { of, field: 'posted', from: null, to: value(sum) }
      : { of, field: 'balance', from: value(BigInt(balance) - sum), to: value(BigInt(balance)) };
  });
}

function paymentChanges(trx: Transaction): Change[] {
  return notedChanges(trx).flatMap((noted) =>
    noted.kind === 'payment'
      ? [{ of: { kind: 'payment', id: noted.paymentId }, field: 'state', from: noted.from, to: noted.to }]
      : [],
  );
}

async function rowChanges(trx: Transaction): Promise<Change[]> {
  const rows = await rowsChangedIn(trx);
  return rows.flatMap(({ table, id, before, after }) =>
    columnsOf(table, before, after).flatMap((column): Change[] => {
      const [from, to] = [shown(before, column), shown(after, column)];
      if (textOf(from) === textOf(to)) return [];
      const isSecret = secretColumn.test(column);
      return [
        {
          of: { kind: table, id },
          field: column,
          from: isSecret && from !== null ? unseen : from,
          to: isSecret && to !== null ? unseen : to,
        },
      ];
    }),
  );
}

function columnsOf(table: ControlTableName, ...rows: readonly (ControlRow | undefined)[]): string[] {
  const { volatile = [] } = controlTableOf(table);
  const columns = new Set(rows.flatMap((row) => Object.keys(row ?? {})));
  return [...columns].filter((column) => !volatile.includes(column));
}

const textOf = (value: ShownValue): string => JSON.stringify(value);

function shown(row: ControlRow | undefined, column: string): ShownValue {
  const value = plain(row?.[column]);
  const currency = row?.['currency'];
  if (value === null || !minorColumns.has(column)) return value;
  return typeof currency === 'string' && isCurrency(currency)
    ? { minor: textOf(value).replaceAll('"', ''), currency }
    : value;
}

function plain(value: unknown): ShownValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value instanceof Date) return value;
  if (Buffer.isBuffer(value)) return value.toString('hex');
  return JSON.stringify(value);
}
