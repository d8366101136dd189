/** A list of payouts as spreadsheets write it. Nothing in it is guessed: what is unclear is told, by its line. */
import { CsvError, parse } from 'csv-parse/sync';
import { wouldRun } from '../../domain/csv-field';
import { payoutForms, payoutOf, type PayoutFields } from './columns';

/** As many as the rails' own endpoints take. */
const rowsMax = 1_000;
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

interface Parsed {
  record: string[];
  info: { lines: number };
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
export function readPayoutFile(rail: string, file: Buffer): ReadFile {
  const only = (what: FileFault['what'], { line = 0, column = '' } = {}): ReadFile => ({
    rows: [],
    faults: [{ what, line, column }],
  });
  if (notText.some((bytes) => bytes.every((byte, at) => file[at] === byte))) return only('workbook');
  const text = textOf(file);
  if (text === undefined) return only('encoding');
  let lines: Parsed[];
  try {
    lines = linesOf(text);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return only('broken', { line: Number(error['lines'] ?? 0) });
  }
  const [heading, ...body] = lines;
  if (!heading || body.length === 0) return only('empty');
  if (body.length > rowsMax) return only('many');
  const names = heading.record.map((name) => name.toLowerCase());
  const faults = faultsOfHeading(rail, names, heading.info.lines);
  if (faults.length > 0) return { rows: [], faults };
  const read = body.map((line) => readLine(rail, names, line));
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

function linesOf(text: string): Parsed[] {
  const first = text.split(/[\r\n]/, 1)[0] ?? '';
  const delimiter = separators.find((one) => first.includes(one)) ?? ',';
  return parse(text, {
    delimiter,
    info: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_records_with_empty_values: true,
    trim: true,
    max_record_size: 64 * 1_024,
    to: rowsMax + 2,
  }) as unknown as Parsed[];
}

function faultsOfHeading(rail: string, names: string[], line: number): FileFault[] {
  const { columns = [], needed = [] } = payoutForms[rail] ?? {};
  const fault = (what: FileFault['what']) => (column: string) => ({ what, line, column });
  return [
    ...needed.filter((name) => !names.includes(name)).map(fault('missing')),
    ...names.filter((name) => !columns.includes(name)).map(fault('unknown')),
    ...names.filter((name, at) => names.indexOf(name) < at).map(fault('twice')),
  ];
}

function readLine(rail: string, names: string[], { record, info: { lines: line } }: Parsed) {
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
