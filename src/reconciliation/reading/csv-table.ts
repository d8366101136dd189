import { CsvError } from 'csv-parse';
import { csvRecords, sizeOfCsv, type CsvRecord } from '../../domain/csv-records';
import type { Sliced } from '../../domain/in-slices';
import { StatementError } from '../statement';
import { decode } from './decode';
import { assertColumnIntact, spell, type IdentifierKind } from './identifiers';

/** The possible headings of each column, by our name for it. */
export type Columns<Name extends string> = Record<Name, readonly string[]>;

export interface Row<Name extends string> {
  /** The line in the file; the last one if the row has several. */
  n: number;
  /** Trimmed; empty if the file has no such column. */
  cells: Record<Name, string>;
  /** Why the reference is left out, for operators. */
  damage?: string;
}

export interface TableShape<Name extends string> {
  columns: Columns<Name>;
  /** A file without these columns is another kind of file. */
  required: readonly NoInfer<Name>[];
  /** The columns with identifiers. The file is rejected if a spreadsheet has changed them. */
  identifiers: Partial<Record<NoInfer<Name>, IdentifierKind>>;
  /** The column with the id of the transaction. A row with an id is not a total. */
  id: NoInfer<Name>;
}

const delimiters = [',', ';', '\t', '|'];
/** Limits that the statement of a busy account for one month, with tens of megabytes, does not reach. */
const linesMax = 500_000;
const columnsMax = 200;
const fieldsMax = 8_000_000;
const total = /^(?:grand |sub-? ?)?totals?\b/i;

/**
 * Reads an export, also with lines before the heading and after the end, repeated headings, totals, and commas at the end of
 * lines.
 * @throws StatementError if a line does not fit the columns of the heading, or if a spreadsheet has changed an identifier.
 */
export function* readTable<Name extends string>(file: Buffer, shape: TableShape<Name>): Sliced<Row<Name>[]> {
  const text = decode(file);
  let complaint: unknown;
  for (const delimiter of yield* possibleDelimiters(text, shape.required.length)) {
    try {
      const records = yield* csvRecords(text, { delimiter, relax_quotes: true, skip_empty_lines: true });
      const rows = yield* rowsOf(records, shape);
      if (rows) return rows;
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      complaint ??= error;
    }
  }
  if (complaint instanceof CsvError) throw new StatementError(`this is not CSV (${complaint.message})`);
  const missing = shape.required.map((name) => `"${shape.columns[name][0] ?? name}"`);
  throw new StatementError(`no line has the headings ${missing.join(', ')}: is it the right export?`);
}

/** The delimiters that are frequent enough for the headings. @throws StatementError if the file is too large for a statement. */
function* possibleDelimiters(text: string, headings: number): Sliced<string[]> {
  const { lines, widest, separators } = yield* sizeOfCsv(text, delimiters);
  const most = (max: number) => max.toLocaleString('en');
  if (lines > linesMax)
    throw new StatementError(
      `there are more than ${most(linesMax)} lines, including empty ones: upload it in parts`,
    );
  if (widest.columns > columnsMax)
    throw new StatementError(`there are more than ${most(columnsMax)} columns`, widest.line);
  if (Math.max(...separators.values()) > fieldsMax)
    throw new StatementError(`there are more than ${most(fieldsMax)} fields: upload it in parts`);
  return delimiters.filter((delimiter) => (separators.get(delimiter) ?? 0) >= headings - 1);
}

const plain = (heading: string): string => heading.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

interface Heading<Name extends string> {
  at: Partial<Record<Name, number>>;
  width: number;
  /** Without empty cells at the end. */
  named: number;
}

/** @returns the position of each column, or undefined if the line is not a heading. */
function headingIn<Name extends string>(
  record: readonly string[],
  { columns, required }: TableShape<Name>,
): Heading<Name> | undefined {
  const found = record.map(plain);
  const at: Partial<Record<Name, number>> = {};
  for (const name of Object.keys(columns) as Name[]) {
    const position = columns[name]
      .map((heading) => found.indexOf(plain(heading)))
      .find((index) => index >= 0);
    if (position !== undefined) at[name] = position;
  }
  return required.every((name) => at[name] !== undefined)
    ? { at, width: record.length, named: record.findLastIndex((cell) => cell !== '') + 1 }
    : undefined;
}

const recordsAtOnce = 200;

/** @returns undefined if no line is a heading. */
function* rowsOf<Name extends string>(
  records: readonly CsvRecord[],
  shape: TableShape<Name>,
): Sliced<Row<Name>[] | undefined> {
  const rows: Row<Name>[] = [];
  let heading: Heading<Name> | undefined;
  // All lines may end with a comma, but not a single one.
  const widths = new Set<number>();
  const above: CsvRecord[] = [];
  for (const [index, { record, line }] of records.entries()) {
    if (index % recordsAtOnce === 0) yield;
    assertOneRow(record, line, shape.required.length - 1);
    // A repeated heading, as in joined pages, may have its columns in another order.
    const next = headingIn(record, shape);
    if (next && !heading) assertNoneAbove(above, next, shape);
    heading = next ?? heading;
    if (!heading) above.push({ record, line });
    if (next || !heading || isNoTransaction(record, heading, shape, index === records.length - 1)) continue;
    if (record.length < heading.named)
      throw new StatementError('there are fewer fields than headings: the file may have been cut off', line);
    const isWider = record.length > heading.width;
    widths.add(record.length);
    if (record.slice(heading.width).some((cell) => cell !== '') || (isWider && widths.size > 1))
      throw new StatementError(
        'there are more fields than headings; an amount with commas may lack its quotation marks',
        line,
      );
    rows.push({ n: line, cells: cellsOf(record, heading, shape) });
  }
  if (!heading) return undefined;
  for (const row of rows)
    for (const [name, kind] of Object.entries(shape.identifiers) as [Name, IdentifierKind][])
      spell(row, name, kind);
  for (const [name, kind] of Object.entries(shape.identifiers) as [Name, IdentifierKind][])
    yield* assertColumnIntact(cellsIn(rows, name), kind);
  return rows;
}

/** The cells of a column that are not empty. */
export function cellsIn<Name extends string>(rows: readonly Row<Name>[], name: Name) {
  return rows.flatMap(({ n, cells }) => (cells[name] === '' ? [] : [{ n, text: cells[name] }]));
}

/** Whether the line is an empty line of commas, a remark or a total. A row with an id is none of these. */
function isNoTransaction<Name extends string>(
  record: readonly string[],
  { at }: Heading<Name>,
  { id }: TableShape<Name>,
  isLast: boolean,
): boolean {
  const filled = record.filter((cell) => cell !== '');
  const [first = ''] = filled;
  const idAt = at[id] ?? 0;
  // A single cell with a receipt is a row that was cut off. If the id has another column, the last line may be a remark.
  if (filled.length <= 1) return first === '' || (/\s/.test(first) && (idAt === 0 || !isLast));
  const firstAt = record.indexOf(first);
  return total.test(first) && (firstAt === idAt || cellAt(record, idAt) === '');
}

/** A stray quotation mark joins two rows to one cell, including their delimiters. */
function assertOneRow(record: readonly string[], line: number, separatorsMin: number): void {
  const isTwoRows = (cell: string) =>
    /[\r\n]/.test(cell) && delimiters.some((delimiter) => cell.split(delimiter).length > separatorsMin);
  if (record.some(isTwoRows))
    throw new StatementError('a cell spans several rows; a quotation mark may be unpaired', line);
}

/** Sorting can move rows above the headings. Such a file is rejected. */
function assertNoneAbove<Name extends string>(
  above: readonly CsvRecord[],
  { at }: Heading<Name>,
  { required }: TableShape<Name>,
): void {
  const isRow = ({ record }: CsvRecord) =>
    required.filter((name) => cellAt(record, at[name]) !== '').length > 2;
  const row = above.find(isRow);
  if (row) throw new StatementError('there is a row above the headings', row.line);
}

const cellAt = (record: readonly string[], position: number | undefined): string =>
  position === undefined ? '' : (record[position] ?? '');

function cellsOf<Name extends string>(
  record: readonly string[],
  { at }: Heading<Name>,
  { columns }: TableShape<Name>,
): Record<Name, string> {
  const names = Object.keys(columns) as Name[];
  const cells = names.map((name) => {
    return [name, cellAt(record, at[name])];
  });
  return Object.fromEntries(cells) as Record<Name, string>;
}
