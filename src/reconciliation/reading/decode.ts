import { StatementError } from '../statement';

/** First bytes of files that are not text, and what to do with each. */
const notText: [bytes: number[], what: string][] = [
  [[0x50, 0x4b, 0x03, 0x04], 'an Excel workbook or a ZIP: export it as CSV, or unpack it'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'an old Excel workbook: export it as CSV'],
  [[0x25, 0x50, 0x44, 0x46], 'a PDF: export the statement as CSV'],
  [[0x1f, 0x8b], 'compressed: unpack it'],
];

/**
 * The text of a file in UTF-8 or UTF-16, with or without a byte order mark, or in Windows-1252, which spreadsheets write.
 * @throws StatementError if the file is not text.
 */
export function decode(file: Buffer): string {
  const found = notText.find(([bytes]) => bytes.every((byte, at) => file[at] === byte));
  if (found) throw new StatementError(`this is ${found[1]}`);
  const text = new TextDecoder(encodingOf(file)).decode(file);
  if (text.trim() === '') throw new StatementError('the file is empty');
  if (text.includes('\0')) throw new StatementError('this is not text');
  return text;
}

function encodingOf(file: Buffer): string {
  if (file[0] === 0xff && file[1] === 0xfe) return 'utf-16le';
  if (file[0] === 0xfe && file[1] === 0xff) return 'utf-16be';
  // Headings have ASCII letters; in UTF-16 every second byte of those is zero.
  const [evenZeros = 0, oddZeros = 0] = [0, 1].map(
    (offset) => [...file.subarray(0, 200)].filter((byte, at) => at % 2 === offset && byte === 0).length,
  );
  if (oddZeros > 40 && evenZeros === 0) return 'utf-16le';
  if (evenZeros > 40 && oddZeros === 0) return 'utf-16be';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(file);
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}
