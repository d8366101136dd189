/**
 * Identifiers that a spreadsheet has changed. Two that were different may look the same afterwards, and one may look like
 * another's: nothing of the file is kept then.
 */
import { cutText } from '../../domain/cut-text';
import { mapSliced, type Sliced } from '../../domain/in-slices';
import { StatementError } from '../statement';

/** One cell of a column: its line in the file, and what stands there. */
export interface Cell {
  n: number;
  text: string;
}

/** What a column holds: an id of the provider, a reference of ours, or a telephone number. */
export type IdentifierKind = 'id' | 'reference' | 'phone';

/** What no provider writes, and no shop calls anything. */
const losses: [pattern: RegExp, what: string][] = [
  [/^#{2,}$|^#(?:NAME\?|REF!|VALUE!|N\/A|DIV\/0!|NUM!|NULL!)$/i, 'a spreadsheet shows none of it'],
  [
    /^[+-]?\d{1,30}(?:[.,]\d{1,30})?e[+-]\d{1,4}$|^[+-]?\d{1,30}[.,]\d{1,30}e\d{1,4}$/i,
    'a spreadsheet has shortened it, and its digits are lost',
  ],
];
/** What only a file is suspected of that a spreadsheet may have written. */
const changes: typeof losses = [
  // 01-Mar, 1-Mar-26 and Mar-26, in the languages of those who use them here.
  [
    /^\d{1,2}[-/. ] ?(?:jan|feb|fev|mar|apr|avr|abr|may|mai|mei|jun|jui|jul|aug|aou|ago|sep|oct|okt|nov|dec|dez|des|dic)[a-z]{0,7}\.?(?:[-/. ]\d{2,4})?$/i,
    'a spreadsheet has made a date of it',
  ],
  [
    /^(?:jan|feb|fev|mar|apr|avr|abr|may|mai|mei|jun|jui|jul|aug|aou|ago|sep|oct|okt|nov|dec|dez|des|dic)[a-z]{0,7}\.?[-/. ]\d{2,4}$/i,
    'a spreadsheet has made a date of it',
  ],
  [
    /^\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}(?:[ T][\d:.]{1,15}(?: ?[AP]M)?)?$/i,
    'a spreadsheet has made a date of it',
  ],
  [
    /^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[ T][\d:.]{1,15}(?: ?[AP]M)?)?$/i,
    'a spreadsheet has made a date of it',
  ],
  [/^\d{1,4}:\d{2}(?::\d{2})?(?:\.\d{1,6})?(?: ?[AP]M)?$/i, 'a spreadsheet has made a time of it'],
  [
    /^[+-]?\d{1,30}[.,]0{1,6}$|^\d{1,3}(?:[.,' \u00a0\u202f]\d{3}){1,9}(?:[.,]0{1,6})?$/,
    'a spreadsheet has made an amount of it',
  ],
  [/^(?:TRUE|FALSE)$/, 'a spreadsheet has made a truth value of it'],
  [/^['=]|\ufffd/, 'it has signs of a spreadsheet in it'],
];

const names: Record<IdentifierKind, string> = {
  id: 'id of a transaction',
  reference: 'reference',
  phone: 'telephone number',
};

const complaint = ({ n, text }: Cell, kind: IdentifierKind, what: string) =>
  new StatementError(
    `"${cutText(text, 40)}" is no ${names[kind]}: ${what}; bring the file as the provider exports it`,
    n,
  );

function assertNone(found: typeof losses, cell: Cell, kind: IdentifierKind): void {
  const [, what] = found.find(([pattern]) => pattern.test(cell.text)) ?? [];
  // People group the digits of a telephone number, too.
  const isGrouped = kind === 'phone' && /^\d{1,4}(?: \d{2,4}){1,5}$/.test(cell.text);
  if (what !== undefined && !isGrouped) throw complaint(cell, kind, what);
}

/** For what came as JSON. @throws StatementError for an identifier whose digits are lost. */
export function assertDigits(cell: Cell, kind: IdentifierKind): void {
  assertNone(losses, cell, kind);
}

/** A spreadsheet keeps so many digits of a number, and writes zeros for the others. */
const digitsKept = 15;
/** That so many digits are zero by chance happens once in a hundred thousand files. */
const zerosMin = 5;

/** @throws StatementError for what a spreadsheet has changed, by each cell and by what all cells of the column show. */
export function* assertColumnIntact(column: readonly Cell[], kind: IdentifierKind): Sliced<void> {
  const all = [...losses, ...changes];
  yield* mapSliced(column, (cell) => {
    assertNone(all, cell, kind);
  });
  const long = column.filter(({ text }) => /^\d{16,40}$/.test(text));
  assertNotRounded(long, kind, digitsKept);
  // 2.54712E+11 that was made a number of all digits again.
  if (kind === 'phone') {
    const numbers = column.filter(({ text }) => /^\d{11,13}$/.test(text));
    if (numbers.length > 2) assertNotRounded(numbers, kind, 6);
  }
}

function assertNotRounded(numbers: readonly Cell[], kind: IdentifierKind, kept: number): void {
  const behind = numbers.map(({ text }) => text.slice(kept));
  const [first] = numbers;
  const evident = numbers.find((_, n) => /^0{5,}$/.test(behind[n] ?? ''));
  const areAll = behind.every((digits) => /^0+$/.test(digits));
  const zeros = behind.reduce((sum, digits) => sum + digits.length, 0);
  const byAll = areAll && (kind === 'phone' || zeros >= zerosMin) ? first : undefined;
  const rounded = kind === 'phone' ? byAll : (evident ?? byAll);
  if (rounded) throw complaint(rounded, kind, 'a spreadsheet has rounded it, and its last digits are lost');
}

/** A local number of nine digits in a cell of its own: a spreadsheet takes the zero in front away. */
export function assertZeroKept(cell: Cell): void {
  if (/^[17]\d{8}$/.test(cell.text)) throw complaint(cell, 'phone', 'it has lost the zero in front');
}
