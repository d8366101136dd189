/**
 * Where a page of a statement ended, as its merchant keeps it: by the movement itself, and by no number of ours, which
 * would tell how much others move.
 */
import { bytesOf } from '../domain/canonical';
import type { Database, Transaction } from '../store/database';
import { balanceAt, type Movement, type Position, type Statement } from './statement';

/** @param last the movement before the position; none where its account begins there. */
export function cursorOf(statement: Statement, position: Position, last: Movement | undefined): string {
  const name = statement.accounts[position.account]?.name ?? '';
  const parts = last?.account === name ? [name, ...last.source] : [name];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** @returns undefined for what is no place in this statement. */
export async function positionAt(
  db: Database | Transaction,
  statement: Statement,
  cursor: string,
): Promise<Position | undefined> {
  const [name, type, id, leg, ...more] = partsOf(cursor);
  const account = statement.accounts.findIndex((each) => each.name === name);
  const on = statement.accounts[account];
  if (!on || more.length > 0) return undefined;
  if (type === undefined) return { account, seq: statement.after, balanceMinor: on.openingMinor };
  const row = await db('ledger_entries as e')
    .join('ledger_postings as p', 'p.entry_id', 'e.entry_id')
    .where({
      'e.source_type': type,
      'e.source_id': id ?? '',
      'e.leg': leg ?? '',
      'p.account_id': on.accountId,
    })
    .where('p.seq', '>', statement.after)
    .where('p.seq', '<=', statement.last)
    .orderBy('p.seq', 'desc')
    .first<{ seq: string } | undefined>('p.seq');
  return row && { account, seq: row.seq, balanceMinor: await balanceAt(db, on.accountId, row.seq) };
}

/** The columns are ASCII: the database refuses to compare them with more. */
const partText = /^[\x20-\x7e]{0,64}$/;
const isPart = (part: unknown): part is string => typeof part === 'string' && partText.test(part);

function partsOf(cursor: string): string[] {
  try {
    const text = bytesOf(cursor, 'base64url')?.toString('utf8') ?? '';
    const parts: unknown = JSON.parse(text);
    return Array.isArray(parts) && parts.every(isPart) && JSON.stringify(parts) === text ? parts : [];
  } catch {
    return [];
  }
}
