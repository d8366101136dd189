/** CSV that people bring: measured before it is parsed, and parsed in slices. */
import { parse, type Options } from 'csv-parse';
import type { Sliced } from './in-slices';

export interface CsvRecord {
  record: string[];
  /** The file's line where it ends, from 1. */
  line: number;
}

export interface CsvSize {
  /** Those that are empty, too. LF, CR and CR LF end one. */
  lines: number;
  /** How often each separator stands in the whole file, quoted or not. */
  separators: ReadonlyMap<string, number>;
  /** The line with the most of one separator. */
  widest: { line: number; columns: number };
}

const [lf, cr] = [10, 13];
const charactersAtOnce = 500_000;

/** Counts what a parser has to do, at the cost of looking at each character once. */
export function* sizeOfCsv(text: string, separators: readonly string[]): Sliced<CsvSize> {
  const codes = separators.map((separator) => separator.charCodeAt(0));
  const inFile = codes.map(() => 0);
  const inLine = codes.map(() => 0);
  const widest = { line: 1, columns: 1 };
  let lines = 1;
  for (let at = 0; at < text.length; at += 1) {
    if (at % charactersAtOnce === 0) yield;
    const code = text.charCodeAt(at);
    const which = codes.indexOf(code);
    if (which >= 0) {
      inFile[which] = (inFile[which] ?? 0) + 1;
      const columns = (inLine[which] = (inLine[which] ?? 0) + 1) + 1;
      if (columns > widest.columns) Object.assign(widest, { line: lines, columns });
    } else if (code === cr || (code === lf && text.charCodeAt(at - 1) !== cr)) {
      lines += 1;
      inLine.fill(0);
    }
  }
  return { lines, widest, separators: new Map(separators.map((one, n) => [one, inFile[n] ?? 0])) };
}

/** Each byte may be a field, and every second one a record: some milliseconds, whatever the file is. */
const bytesAtOnce = 4 * 1_024;
/** Longer than any line that people bring: what goes beyond has a quotation mark that nobody closed. */
const recordSizeMax = 64 * 1_024;

/** @throws CsvError where it is no CSV. */
export function* csvRecords(text: string, options: Options): Sliced<CsvRecord[]> {
  const records: CsvRecord[] = [];
  const parser = parse({
    ...options,
    // Some exports write CR LF, and a few lines with LF alone.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    trim: true,
    max_record_size: recordSizeMax,
    on_record: (record: string[], { lines: line }) => void records.push({ record, line }),
  });
  // As a stream it would tell of an error when it likes; its own steps do so at once.
  const assertRead = (error?: Error | null) => {
    if (error) throw error;
  };
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += bytesAtOnce) {
    yield;
    parser._transform(bytes.subarray(at, at + bytesAtOnce), 'utf8', assertRead);
  }
  parser._flush(assertRead);
  return records;
}
