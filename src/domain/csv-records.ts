/** CSV files from users: measured before they are parsed, and parsed in slices. */
import { parse, type Options } from 'csv-parse';
import type { Sliced } from './in-slices';

export interface CsvRecord {
  record: string[];
  /** The file's line where the record ends, from 1. */
  line: number;
}

export interface CsvSize {
  /** The number of lines, including empty ones. LF, CR and CR LF end a line. */
  lines: number;
  /** How often each separator occurs in the whole file, quoted or not. */
  separators: ReadonlyMap<string, number>;
  /** The line with the most of one separator. */
  widest: { line: number; columns: number };
}

const [lf, cr] = [10, 13];
const charactersAtOnce = 500_000;

/** Estimates a parser's work, at the cost of reading each character once. */
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

/** In the worst case each byte is a field, and every second one a record: this many bytes take only milliseconds. */
const bytesAtOnce = 4 * 1_024;
/** Longer than any real line: a longer record has an unclosed quotation mark. */
const recordSizeMax = 64 * 1_024;

/** @throws CsvError where the text is no CSV. */
export function* csvRecords(text: string, options: Options): Sliced<CsvRecord[]> {
  const records: CsvRecord[] = [];
  const parser = parse({
    ...options,
    // Some exports write CR LF, and a few lines with LF only.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    trim: true,
    max_record_size: recordSizeMax,
    on_record: (record: string[], { lines: line }) => void records.push({ record, line }),
  });
  // As a stream the parser would report an error at any later time; its own steps report it at once.
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
