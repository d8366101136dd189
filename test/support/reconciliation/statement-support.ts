/** A provider with JSON statements, so that a test writes their contents directly. */
import { randomUUID } from 'node:crypto';
import { mapSliced } from '../../../src/domain/in-slices';
import type { ProviderResponse } from '../../../src/rail-kit/provider-http';
import {
  StatementError,
  type StatementFormat,
  type StatementLine,
} from '../../../src/reconciliation/statement';
import type { StatementCall } from '../../../src/reconciliation/statement-source';
import type { Database } from '../../../src/store/database';

export const hourMs = 3_600_000;

export const format: StatementFormat = {
  provider: 'loudpay',
  payments: [{ rail: 'loud' }, { rail: 'quiet', provider: 'shared' }],
  knownBy: ['provider_reference', 'provider_receipt'],
  oursIs: 'payment_id',
  read(file) {
    const lines = JSON.parse(file.toString()) as Written[];
    return mapSliced(lines, ({ amountMinor, feeMinor, at, ...line }, index) => {
      if (!/^-?\d+$/.test(amountMinor)) throw new StatementError(`"${amountMinor}" is no amount`, index + 1);
      const fee = feeMinor === undefined ? {} : { feeMinor: BigInt(feeMinor) };
      return { n: index + 1, ...line, ...fee, amountMinor: BigInt(amountMinor), at: new Date(at) };
    });
  },
};

const { oursIs: _, ...withoutOurs } = format;
/** A provider like Daraja: its lines contain its receipt, and our reference cut to its maximal length. */
export const receiptsOnly: StatementFormat = {
  ...withoutOurs,
  knownBy: ['provider_receipt'],
  referenceMax: 12,
  dialCode: '254',
};

export type Written = Omit<StatementLine, 'n' | 'amountMinor' | 'feeMinor' | 'at'> & {
  amountMinor: string;
  feeMinor?: string;
  at: string;
};

export function line(providerReference: string, more: Partial<Written> = {}): Written {
  return {
    providerReference,
    kind: 'collection',
    state: 'completed',
    currency: 'KES',
    amountMinor: '10000',
    at: new Date().toISOString(),
    ...more,
  };
}

export const file = (lines: Written[], name = 'statement.json') => ({
  name,
  content: Buffer.from(JSON.stringify(lines)),
});

/** A statement call without a time limit. */
export const patiently: StatementCall = { alive: () => undefined, signal: new AbortController().signal };

/** An interval around now. */
export const period = () => ({
  from: new Date(Date.now() - 3 * hourMs),
  to: new Date(Date.now() + 3 * hourMs),
});

export async function forgetStatements(db: Database): Promise<void> {
  await emptySuspense(db);
  await db('unmatched_receipts').delete();
  const booked = await db('reconciliation_results').where('fee_booked_minor', '<>', '0').pluck('line_id');
  await db('reconciliation_results')
    .where({ fee_booked_minor: '0' })
    .orWhereNull('fee_booked_minor')
    .delete();
  await db('statement_lines').whereNotIn('line_id', booked).delete();
  await db('provider_statements')
    .whereNotIn('statement_id', db('statement_lines').select('statement_id'))
    .delete();
  await banish(db);
}

const forgottenAt = new Date('2001-01-01T00:00:00Z');

/**
 * Lines with booked fees stay, because ledger entries cannot be deleted: they get a time and a reference that no test
 * reads.
 */
async function banish(db: Database): Promise<void> {
  await db('reconciliation_results').update({ occurred_at: forgottenAt, outcome: 'fee', payment_id: null });
  await db('statement_lines').update({ occurred_at: forgottenAt, provider_reference: db.raw('UUID()') });
  await db('provider_statements').update({
    covers_from: forgottenAt,
    covers_to: new Date(forgottenAt.getTime() + hourMs),
    file_hash: db.raw('UNHEX(SHA2(UUID(), 256))'),
    line_count: db.raw(
      '(SELECT COUNT(*) FROM statement_lines l WHERE l.statement_id = provider_statements.statement_id)',
    ),
  } as never);
}

/** Books the amounts of forgotten statements back, because ledger entries cannot be deleted. */
async function emptySuspense(db: Database): Promise<void> {
  const accounts = await db('ledger_accounts as a')
    .join('ledger_postings as p', 'p.account_id', 'a.account_id')
    .where('a.class', 'suspense')
    .whereNotNull('a.rail')
    .groupBy('a.account_id', 'a.currency')
    .select('a.account_id', 'a.currency')
    .sum<{ account_id: string; currency: 'KES'; minor: string }[]>({ minor: 'p.amount' });
  for (const { account_id: from, currency, minor } of accounts.filter((account) => account.minor !== '0')) {
    const clearing = await db('ledger_accounts').where({ class: 'clearing', currency }).first('account_id');
    const source = { source_type: 'unmatched', source_id: randomUUID(), leg: 'explained:1', at: new Date() };
    const [entryId] = (await db('ledger_entries').insert(source)) as [number];
    const of = { entry_id: String(entryId), currency };
    await db('ledger_postings').insert([
      { ...of, account_id: from, amount: String(-BigInt(minor)) },
      { ...of, account_id: clearing?.account_id ?? '', amount: minor },
    ]);
  }
}

/** All stored data of statements since they were forgotten. */
export const remembered = async (db: Database) => ({
  statements: await db('provider_statements').where('covers_from', '>', forgottenAt).orderBy('statement_id'),
  lines: await db('statement_lines').where('occurred_at', '>', forgottenAt).orderBy('line_id'),
  results: await db('reconciliation_results').where('occurred_at', '>', forgottenAt).orderBy('subject'),
  unmatchedReceipts: await db('unmatched_receipts').orderBy('receipt_id'),
});

/** A page of a statement as a provider's HTTP client passes it on: complete, and not parsed as JSON yet. */
export const answered = (status: number, body: string): ProviderResponse => ({
  kind: 'answered',
  status,
  json: undefined,
  text: '',
  body,
});

/** How many connections to this database wait for the lock of a provider's lines. */
export async function waitingForProviderLock(db: Database): Promise<number> {
  const [rows] = (await db.raw(
    "SELECT COUNT(*) AS n FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND INFO LIKE '%reconciliation\\_locks%for update%' AND ID <> CONNECTION_ID()",
  )) as unknown as [{ n: string }[]];
  return Number(rows[0]?.n ?? 0);
}

/** The sum of all postings of an account, in minor units. */
export async function bookedOn(db: Database, code: string): Promise<bigint> {
  const [row] = await db('ledger_postings as p')
    .join('ledger_accounts as a', 'a.account_id', 'p.account_id')
    .where('a.code', code)
    .sum<{ sum: string | null }[]>({ sum: 'p.amount' });
  return BigInt(row?.sum ?? 0);
}
