/**
 * Detects identifiers that a spreadsheet has changed. Different ids may then look the same, so the whole file is rejected.
 */
import { cutText } from '../../domain/cut-text';
import { mapSliced, type Sliced } from '../../domain/in-slices';
import { StatementError } from '../statement';

/** One cell of a column: its line in the file, and its text. */
export interface Cell {
  n: number;
  text: string;
}

/** The content of a column: the provider's id, our reference, or a phone number. */
export type IdentifierKind = 'id' | 'reference' | 'phone';

/** Texts that are never an identifier. */
const losses: [pattern: RegExp, what: string][] = [
  [/^#{2,}$|^#(?:NAME\?|REF!|VALUE!|N\/A|DIV\/0!|NUM!|NULL!)$/i, 'a spreadsheet has replaced it'],
  [
    /^[+-]?\d{1,30}(?:[.,]\d{1,30})?e[+-]\d{1,4}$|^[+-]?\d{1,30}[.,]\d{1,30}e\d{1,4}$/i,
    'a spreadsheet has shortened it, and its digits are lost',
  ],
];
/** Texts that are suspicious only in a file that a spreadsheet may have written. */
const changes: typeof losses = [
  // 01-Mar, 1-Mar-26 and Mar-26, in the languages of those who use them here.
  [
    /^\d{1,2}[-/. ] ?(?:jan|feb|fev|mar|apr|avr|abr|may|mai|mei|jun|jui|jul|aug|aou|ago|sep|oct|okt|nov|dec|dez|des|dic)[a-z]{0,7}\.?(?:[-/. ]\d{2,4})?$/i,
    'a spreadsheet has turned it into a date',
  ],
  [
    /^(?:jan|feb|fev|mar|apr|avr|abr|may|mai|mei|jun|jui|jul|aug|aou|ago|sep|oct|okt|nov|dec|dez|des|dic)[a-z]{0,7}\.?[-/. ]\d{2,4}$/i,
    'a spreadsheet has turned it into a date',
  ],
  [
    /^\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}(?:[ T][\d:.]{1,15}(?: ?[AP]M)?)?$/i,
    'a spreadsheet has turned it into a date',
  ],
  [
    /^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[ T][\d:.]{1,15}(?: ?[AP]M)?)?$/i,
    'a spreadsheet has turned it into a date',
  ],
  [/^\d{1,4}:\d{2}(?::\d{2})?(?:\.\d{1,6})?(?: ?[AP]M)?$/i, 'a spreadsheet has turned it into a time'],
  [
    /^[+-]?\d{1,30}[.,]0{1,6}$|^\d{1,3}(?:[.,' \u00a0\u202f]\d{3}){1,9}(?:[.,]0{1,6})?$/,
    'a spreadsheet has turned it into an amount',
  ],
  [/^(?:TRUE|FALSE)$/, 'a spreadsheet has turned it into a truth value'],
  [/^['=]|\ufffd/, 'it has characters of a spreadsheet'],
];

const names: Record<IdentifierKind, string> = {
  id: 'transaction id',
  reference: 'reference',
  phone: 'phone number',
};

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Our own name of a payment: an id or a token, and optionally the number of the attempt. */
const ownName =
  /^(?:[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:-\d{1,4})?$/i;

/** Removes invisible characters, and makes every kind of space a plain one. */
export const typed = (text: string): string =>
  text
    .replaceAll(/\p{Zs}/gu, ' ')
    .replaceAll(/[\p{Cf}\p{Cc}]/gu, '')
    .trim();

/** An M-Pesa receipt, which is written in capitals. */
const receipt = /^[a-z][0-9a-z]{9}$/i;

/**
 * The provider's identifier in its usual spelling: UUIDs in lower case, M-Pesa receipts in upper case.
 * @throws StatementError for an id with unusual or invisible characters.
 */
export function spelled({ n, text }: Cell, kind: Exclude<IdentifierKind, 'reference'>): string {
  if (kind === 'phone') return typed(text);
  const plain = text.replaceAll(/\p{Zs}/gu, ' ').trim();
  if (unseen.test(plain)) throw complaint({ n, text }, kind, 'it has an invisible character');
  if (/[^\x20-\x7e\ufffd]/.test(plain))
    throw complaint({ n, text }, kind, 'it has a letter that is not ASCII');
  if (uuid.test(plain)) return plain.toLowerCase();
  return receipt.test(plain) ? plain.toUpperCase() : plain;
}

const unseen = /[\p{Cf}\p{Cc}]/u;
const isOfNoWord = /[\p{Cf}\p{Cc}\p{Zs}]/u;

/**
 * Our reference without invisible characters at its ends. If it has one inside, it is damaged: then it is empty, so that it
 * matches nothing, and `damage` says why.
 */
function referenceIn(text: string): { reference: string; damage?: string } {
  const signs = Array.from(text);
  const isSeen = (sign: string) => !isOfNoWord.test(sign);
  const within = signs.slice(Math.max(0, signs.findIndex(isSeen)), signs.findLastIndex(isSeen) + 1).join('');
  const plain = within.replaceAll(/\p{Zs}/gu, ' ');
  if (!unseen.test(plain)) return { reference: ownName.test(plain) ? plain.toLowerCase() : plain };
  const shown = cutText(plain.replaceAll(/[\p{Cf}\p{Cc}]/gu, '\ufffd'), 60);
  return { reference: '', damage: `the reference "${shown}" has an invisible character` };
}

/** Normalises an identifier of a row for comparison. A damaged reference is left out, and `damage` says why. */
export function spell<Name extends string>(
  row: { n: number; cells: Record<Name, string>; damage?: string },
  name: Name,
  kind: IdentifierKind,
): void {
  const { n, cells } = row;
  if (kind !== 'reference') cells[name] = spelled({ n, text: cells[name] }, kind);
  else {
    const { reference, damage } = referenceIn(cells[name]);
    cells[name] = reference;
    if (damage !== undefined) row.damage = damage;
  }
}

const complaint = ({ n, text }: Cell, kind: IdentifierKind, what: string) =>
  new StatementError(
    `"${cutText(text, 40)}" is not a valid ${names[kind]}: ${what}; upload the provider's original export`,
    n,
  );

function assertNone(found: typeof losses, cell: Cell, kind: IdentifierKind): void {
  const [, what] = found.find(([pattern]) => pattern.test(cell.text)) ?? [];
  // Phone numbers are also written in groups of digits.
  const isGrouped = kind === 'phone' && /^\d{1,4}(?: \d{2,4}){1,5}$/.test(cell.text);
  if (what !== undefined && !isGrouped) throw complaint(cell, kind, what);
}

/** For identifiers from JSON. @throws StatementError for an identifier whose digits are lost. */
export function assertDigits(cell: Cell, kind: IdentifierKind): void {
  assertNone(losses, cell, kind);
}

/** A spreadsheet keeps this many digits of a number and replaces the others by zeros. */
const digitsKept = 15;
/** An unchanged file is rejected by chance once in 10 to the power of this. */
const refusedOnceIn = 6;

/** @throws StatementError if a cell, or all cells of the column together, show a change by a spreadsheet. */
export function* assertColumnIntact(column: readonly Cell[], kind: IdentifierKind): Sliced<void> {
  const all = [...losses, ...changes];
  yield* mapSliced(column, (cell) => {
    assertNone(all, cell, kind);
  });
  assertNotRounded(column, kind);
  // A number such as 2.54712E+11 that was expanded to all digits again.
  if (kind === 'phone') {
    const numbers = column.filter(({ text }) => /^\d{11,13}$/.test(text));
    const [first] = numbers;
    if (first && numbers.length > 2 && numbers.every(({ text }) => /^0+$/.test(text.slice(6))))
      throw complaint(first, kind, wasRounded);
  }
}

const wasRounded = 'a spreadsheet has rounded it, and its last digits are lost';

/**
 * The chance that m of n codes end in z zeros each is at most (n choose m) * 10^(-z * m). Of a thousand codes with 22 digits, two
 * such codes are enough to reject; with 16 digits it takes 248. Each code counts once, even with several lines.
 */
function assertNotRounded(column: readonly Cell[], kind: IdentifierKind): void {
  const byLength = new Map<number, Map<string, Cell>>();
  for (const cell of column.filter(({ text }) => /^\d{16,40}$/.test(text))) {
    const same = byLength.get(cell.text.length) ?? new Map<string, Cell>();
    byLength.set(cell.text.length, same.set(cell.text, same.get(cell.text) ?? cell));
  }
  for (const [length, codes] of byLength) {
    const zeros = length - digitsKept;
    const rounded = [...codes.values()].filter(({ text }) => text.endsWith('0'.repeat(zeros)));
    const [first] = rounded;
    const chance = log10Choose(codes.size, rounded.length) - zeros * rounded.length;
    if (first && chance <= -refusedOnceIn - Math.log10(byLength.size))
      throw complaint(first, kind, wasRounded);
  }
}

function log10Choose(n: number, m: number): number {
  let sum = 0;
  for (let i = 1; i <= m; i += 1) sum += Math.log10((n - m + i) / i);
  return sum;
}

/**
 * A masked phone number at the beginning of a text, such as `2547****149`, `0712***678` or `254700xxx000`. Undefined for any
 * other text.
 */
export function maskedPhoneIn(text: string): string | undefined {
  const shown = [text, text.replaceAll(' ', '')].flatMap(
    (each) => /^\+?[\d*xX•#]{7,20}(?=$|[^\w*•#])/.exec(each) ?? [],
  );
  return shown.find((each) => /[*xX•#]/.test(each) && /\d.*\d/.test(each));
}

/** Rejects a local number of nine digits: a spreadsheet has removed the zero in front. */
export function assertZeroKept(cell: Cell): void {
  if (/^[17]\d{8}$/.test(cell.text)) throw complaint(cell, 'phone', 'it has lost the zero in front');
}
