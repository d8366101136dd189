import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { v7 as uuid } from 'uuid';
import { holdsCardNumber } from '../domain/card-number';
import { cutText } from '../domain/cut-text';
import { finish, mapSliced } from '../domain/in-slices';
import type { Database, Transaction } from '../store/database';
import { inChunks } from '../store/in-chunks';
import type { StatementLineRow } from '../store/tables';
import { withoutWithdrawn } from './outcomes';
import { StatementError, type StatementFormat, type StatementLine, type ReadOptions } from './statement';
import { withProviderLock } from './provider-lock';

export interface StatementFile extends ReadOptions {
  name: string;
  content: Buffer;
  /** The period of the statement, without its end. */
  from: Date;
  to: Date;
  /** Fetched statements overlap, so only lines that are not stored yet are stored. */
  isFetched?: true;
  /** The latest time of a line in an uploaded file. Not for fetched ones, because the provider's clock may be ahead. */
  latest?: Date;
}

export interface KeptStatement {
  statementId: string;
  /** The number of stored lines. */
  lines: number;
  /** True if the same file was stored before: then nothing has changed. */
  isKnown: boolean;
}

const referenceLengthMax = 120;
const amountMax = 10n ** 18n;

/**
 * Reads a statement and stores its lines once: the same file again changes nothing. For a fetched statement, lines that are
 * already stored are left out; its hash and period are stored in any case.
 * @throws StatementError if a line is unreadable; then nothing is stored.
 */
export async function keepStatement(
  db: Database,
  format: StatementFormat,
  file: StatementFile,
): Promise<KeptStatement> {
  const hash = createHash('sha256').update(file.content).digest();
  const known = await db('provider_statements')
    .where({ provider: format.provider, file_hash: hash, withdrawn_no: 0 })
    .first('statement_id', 'line_count');
  if (known) return { statementId: known.statement_id, lines: known.line_count, isKnown: true };

  const statementId = uuid();
  const all = await readStatement(format, file, statementId);
  return withProviderLock(db, format.provider, async (trx) => {
    const rows = file.isFetched ? await unreported(trx, format, all) : all;
    await trx('provider_statements')
      .insert({
        statement_id: statementId,
        provider: format.provider,
        file_hash: hash,
        file_name: basename(file.name).slice(-255),
        covers_from: file.from,
        covers_to: file.to,
        covers_currencies: format.fileIsOneWallet && !file.isFetched ? currenciesIn(all) : null,
        line_count: rows.length,
        stored_at: new Date(),
        withdrawn_no: 0,
      })
      .onConflict(['provider', 'file_hash', 'withdrawn_no'])
      .ignore();
    // Another process may store the same file at the same time: the unique key lets only one of them write.
    const kept = await trx('provider_statements')
      .where({ provider: format.provider, file_hash: hash, withdrawn_no: 0 })
      .first('statement_id', 'line_count');
    if (kept?.statement_id !== statementId)
      return { statementId: kept?.statement_id ?? '', lines: kept?.line_count ?? 0, isKnown: true };
    for (const some of inChunks(rows)) await trx('statement_lines').insert(some);
    return { statementId, lines: rows.length, isKnown: false };
  });
}

/**
 * Reads a statement and stores nothing.
 * @throws StatementError if a line is unreadable.
 */
export async function readStatement(
  format: StatementFormat,
  file: StatementFile,
  statementId = uuid(),
): Promise<NewLine[]> {
  const lines = await finish(format.read(file.content, file));
  const asRow = (line: StatementLine) => {
    assertStorable(line);
    if (!file.isFetched && file.latest && line.at > file.latest)
      throw new StatementError(`its time ${line.at.toISOString()} is in the future`, line.n);
    return rowOf(line, statementId, format.provider);
  };
  return finish(mapSliced(lines, asRow));
}

const currenciesIn = (lines: readonly NewLine[]): string =>
  [...new Set(lines.map(({ currency }) => currency))].sort().join(',');

type NewLine = Omit<StatementLineRow, 'line_id'>;

/** The lines that no other statement has. A line that is twice in this statement stays twice. */
async function unreported(
  trx: Transaction,
  format: StatementFormat,
  lines: readonly NewLine[],
): Promise<NewLine[]> {
  const wordsOf = (line: NewLine) => wordsIn(line, format.datesChange === true);
  const left: NewLine[] = [];
  for (const some of inChunks(lines)) {
    const standing = await withoutWithdrawn(trx('statement_lines'))
      .where({ provider: some[0]?.provider ?? '' })
      .whereIn('provider_reference', [...new Set(some.map(({ provider_reference: id }) => id))]);
    const reported = new Set(standing.map(wordsOf));
    left.push(...some.filter((line) => !reported.has(wordsOf(line))));
  }
  return left;
}

/** All fields that decide whether two lines are the same. */
function wordsIn(line: NewLine, datesChange: boolean): string {
  const { provider_reference: id, our_reference: ours, original_reference: original } = line;
  const { kind, state, currency, amount_minor: minor, fee_minor: fee } = line;
  const at = datesChange ? null : line.occurred_at;
  return JSON.stringify([id, ours, original, kind, state, currency, minor, fee, at]);
}

function assertStorable({ n, providerReference, amountMinor, feeMinor = 0n, at }: StatementLine): void {
  if (providerReference === '') throw new StatementError('the transaction has no id', n);
  if (/[\0-\x1f\x7f]/.test(providerReference))
    throw new StatementError('the id of the transaction has control characters', n);
  if (providerReference.length > referenceLengthMax)
    throw new StatementError('the id of the transaction is too long', n);
  if ([amountMinor, feeMinor].some((minor) => minor > amountMax || minor < -amountMax))
    throw new StatementError('the amount is too large', n);
  const year = at.getUTCFullYear();
  if (!(year >= 2000 && year < 2100)) throw new StatementError('the year of the date is not plausible', n);
}

const cut = (text: string | undefined, lengthMax: number) =>
  text === undefined ? null : cutText(text, lengthMax);

function rowOf(line: StatementLine, statementId: string, provider: string): NewLine {
  return {
    statement_id: statementId,
    n: line.n,
    provider,
    provider_reference: line.providerReference,
    our_reference: cut(line.ourReference, referenceLengthMax),
    original_reference: cut(line.originalReference, referenceLengthMax),
    kind: line.kind,
    state: line.state,
    currency: line.currency,
    amount_minor: String(line.amountMinor),
    fee_minor: line.feeMinor === undefined ? null : String(line.feeMinor),
    occurred_at: line.at,
    phone: cut(line.phone, 40),
    // A card number is never stored.
    description: holdsCardNumber(line.description ?? '') ? null : cut(line.description, 200),
    rule: cut(line.rule, 40),
  };
}

/** A later run continues a killed run within this time. */
const takenUpWithinMs = 40 * 86_400_000;

/** Ids of stored lines that are not compared with our books yet, also those of killed runs. */
export async function unjudgedLines(db: Database, provider: string): Promise<string[]> {
  const ids = await db('provider_statements as s')
    .join('statement_lines as l', 'l.statement_id', 's.statement_id')
    .leftJoin('reconciliation_results as r', 'r.line_id', 'l.line_id')
    .where('s.provider', provider)
    .where('s.stored_at', '>=', new Date(Date.now() - takenUpWithinMs))
    .whereNull('r.line_id')
    .pluck('l.line_id');
  return ids as string[];
}
