/** A list of payouts as spreadsheets write it. Nothing in it is guessed: what is unclear is told, by its line. */
import { CsvError } from 'csv-parse';
import { wouldRun } from '../../domain/csv-field';
import { csvRecords, sizeOfCsv, type CsvRecord } from '../../domain/csv-records';
import { mapSliced, type Sliced } from '../../domain/in-slices';
import type { PayoutFields, PayoutForm } from '../../rail-kit/rail-definition';
import { findRailDefinition } from '../../rails';

/** As many as the rails' own endpoints take. */
const rowsMax = 1_000;
/** Of the file: notes may have several, and spreadsheets add empty ones. */
const linesMax = 3_000;
const columnsMax = 200;
const cellMax = 4_000;

export interface FileFault {
  /** Its word in the catalogue is `payouts.file.<what>`. */
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
  /** In the file, from 1; 0 where it is about the whole. */
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
/** 2.60763E+11, or a column too narrow to be shown: the digits are lost. */
const shortened = /^\d(?:[.,]\d+)?e[+-]?\d+$|^#{2,}$/i;

/** @param file UTF-8, with commas, semicolons or tabs between its fields, and the names of the columns in its first line. */
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

/** @returns undefined for what is no UTF-8, or holds what is no text. */
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

// What a payout has, for who fills it in: each rail says it of its own.

/** @returns undefined for a rail that pays nobody. */
export function payoutFormOf(rail: string): PayoutForm | undefined {
  return findRailDefinition(rail)?.payoutForm;
}

/** @returns the payout as its rail takes it, what is empty left out. */
export function payoutOf(rail: string, cells: PayoutFields): PayoutFields {
  const filled = Object.fromEntries(Object.entries(cells).filter(([, text]) => text !== ''));
  return payoutFormOf(rail)?.read?.(cells, filled) ?? filled;
}
