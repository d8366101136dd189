/** Reads a payout file from a spreadsheet. It guesses nothing: every unclear value is a fault with its line. */
import { CsvError } from 'csv-parse';
import { wouldRun } from '../../domain/csv-field';
import { csvRecords, sizeOfCsv, type CsvRecord } from '../../domain/csv-records';
import { mapSliced, type Sliced } from '../../domain/in-slices';
import type { PayoutFields, PayoutForm } from '../../rail-kit/rail-definition';
import { findRailDefinition } from '../../rails';

/** The same maximum as the rails' bulk endpoints. */
const rowsMax = 1_000;
/** Lines of the file. A message may have several lines, and spreadsheets add empty ones. */
const linesMax = 3_000;
const columnsMax = 200;
const cellMax = 4_000;

export interface FileFault {
  /** The word in the catalogue is `payouts.file.<what>`. */
  what:
    | 'workbook'
    | 'encoding'
    | 'empty'
    | 'broken'
    | 'missing'
    | 'unknown'
    | 'twice'
    | 'width'
    | 'many'
    | 'lines'
    | 'formula'
    | 'shortened';
  /** The line in the file, from 1; 0 for a fault of the whole file. */
  line: number;
  column: string;
}

export interface ReadFile {
  rows: { line: number; fields: PayoutFields }[];
  faults: FileFault[];
}

const notText = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
  [0x25, 0x50, 0x44, 0x46],
];
const separators = [',', ';', '\t'];
/** 2.60763E+11, or `###` of a narrow column: digits are lost. */
const shortened = /^\d(?:[.,]\d+)?e[+-]?\d+$|^#{2,}$/i;

/** @param file UTF-8 with commas, semicolons or tabs as separators; the first line has the column names. */
export function* readPayoutFile(rail: string, file: Buffer): Sliced<ReadFile> {
  const only = (what: FileFault['what'], { line = 0, column = '' } = {}): ReadFile => ({
    rows: [],
    faults: [{ what, line, column }],
  });
  if (notText.some((bytes) => bytes.every((byte, at) => file[at] === byte))) return only('workbook');
  const text = textOf(file);
  if (text === undefined) return only('encoding');
  const first = text.split(/[\r\n]/, 1)[0] ?? '';
  const delimiter = separators.find((one) => first.includes(one)) ?? ',';
  const size = yield* sizeOfCsv(text, [delimiter]);
  if (size.lines > linesMax) return only('lines');
  if (size.widest.columns > columnsMax) return only('width', { line: size.widest.line });
  let lines: CsvRecord[];
  try {
    lines = yield* csvRecords(text, { delimiter, skip_records_with_empty_values: true });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return only('broken', { line: Number(error['lines'] ?? 0) });
  }
  const [heading, ...body] = lines;
  if (!heading || body.length === 0) return only('empty');
  if (body.length > rowsMax) return only('many');
  const names = heading.record.map((name) => name.toLowerCase());
  const faults = faultsOfHeading(rail, names, heading.line);
  if (faults.length > 0) return { rows: [], faults };
  const read = yield* mapSliced(body, (line) => readLine(rail, names, line));
  return { rows: read.map(({ row }) => row), faults: read.flatMap((one) => one.faults) };
}

/** @returns undefined if the file is not UTF-8 or has a NUL character. */
function textOf(file: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(file);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

function faultsOfHeading(rail: string, names: string[], line: number): FileFault[] {
  const { columns = [], needed = [] } = payoutFormOf(rail) ?? {};
  const fault = (what: FileFault['what']) => (column: string) => ({ what, line, column });
  return [
    ...needed.filter((name) => !names.includes(name)).map(fault('missing')),
    ...names.filter((name) => !columns.includes(name)).map(fault('unknown')),
    ...names.filter((name, at) => names.indexOf(name) < at).map(fault('twice')),
  ];
}

function readLine(rail: string, names: string[], { record, line }: CsvRecord) {
  const cells = Object.fromEntries(names.map((name, at) => [name, record[at] ?? '']));
  const faults: FileFault[] = [];
  if (record.length !== names.length) faults.push({ what: 'width', line, column: '' });
  for (const [column, cell] of Object.entries(cells)) {
    if (wouldRun(cell)) faults.push({ what: 'formula', line, column });
    if (shortened.test(cell)) faults.push({ what: 'shortened', line, column });
    if (cell.length > cellMax) faults.push({ what: 'width', line, column });
  }
  return { row: { line, fields: payoutOf(rail, cells) }, faults };
}

// The columns of a payout; each rail defines its own.

/** @returns undefined for a rail without payouts. */
export function payoutFormOf(rail: string): PayoutForm | undefined {
  return findRailDefinition(rail)?.payoutForm;
}

/** @returns the payout in the rail's form, without empty fields. */
export function payoutOf(rail: string, cells: PayoutFields): PayoutFields {
  const filled = Object.fromEntries(Object.entries(cells).filter(([, text]) => text !== ''));
  return payoutFormOf(rail)?.read?.(cells, filled) ?? filled;
}
