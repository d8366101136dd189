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

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** What we call a payment: an id or a token, with the number of the attempt. */
const ownName =
  /^(?:[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:-\d{1,4})?$/i;

/** What nobody sees is no part of what somebody typed, and a space that breaks no line is a space. */
export const typed = (text: string): string =>
  text
    .replaceAll(/\p{Zs}/gu, ' ')
    .replaceAll(/[\p{Cf}\p{Cc}]/gu, '')
    .trim();

/** What M-Pesa calls a transaction, in capitals. */
const receipt = /^[a-z][0-9a-z]{9}$/i;

/**
 * An identifier of the provider as it spells it: UUIDs in small letters, receipts of M-Pesa in capitals.
 * @throws StatementError for an id with signs that no id has, and for signs that nobody sees.
 */
export function spelled({ n, text }: Cell, kind: Exclude<IdentifierKind, 'reference'>): string {
  if (kind === 'phone') return typed(text);
  const plain = text.replaceAll(/\p{Zs}/gu, ' ').trim();
  if (unseen.test(plain)) throw complaint({ n, text }, kind, 'it has a sign that nobody sees');
  if (/[^\x20-\x7e\ufffd]/.test(plain)) throw complaint({ n, text }, kind, 'it has a letter that no id has');
  if (uuid.test(plain)) return plain.toLowerCase();
  return receipt.test(plain) ? plain.toUpperCase() : plain;
}

const unseen = /[\p{Cf}\p{Cc}]/u;
const isOfNoWord = /[\p{Cf}\p{Cc}\p{Zs}]/u;

/**
 * What we called a payment, without the signs at its ends that nobody sees. One with such a sign within it may be any other:
 * then it is empty, so that it finds nothing, and `damage` says why.
 */
function referenceIn(text: string): { reference: string; damage?: string } {
  const signs = Array.from(text);
  const isSeen = (sign: string) => !isOfNoWord.test(sign);
  const within = signs.slice(Math.max(0, signs.findIndex(isSeen)), signs.findLastIndex(isSeen) + 1).join('');
  const plain = within.replaceAll(/\p{Zs}/gu, ' ');
  if (!unseen.test(plain)) return { reference: ownName.test(plain) ? plain.toLowerCase() : plain };
  const shown = cutText(plain.replaceAll(/[\p{Cf}\p{Cc}]/gu, '\ufffd'), 60);
  return { reference: '', damage: `the reference "${shown}" has a sign that nobody sees` };
}

/** Writes an identifier of a row as it is compared. A reference that may be any other is left out, and `damage` says why. */
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
/** A file that nobody has changed is refused once in 10 to the power of this. */
const refusedOnceIn = 6;

/** @throws StatementError for what a spreadsheet has changed, by each cell and by what all cells of the column show. */
export function* assertColumnIntact(column: readonly Cell[], kind: IdentifierKind): Sliced<void> {
  const all = [...losses, ...changes];
  yield* mapSliced(column, (cell) => {
    assertNone(all, cell, kind);
  });
  assertNotRounded(column, kind);
  // 2.54712E+11 that was made a number of all digits again.
  if (kind === 'phone') {
    const numbers = column.filter(({ text }) => /^\d{11,13}$/.test(text));
    const [first] = numbers;
    if (first && numbers.length > 2 && numbers.every(({ text }) => /^0+$/.test(text.slice(6))))
      throw complaint(first, kind, wasRounded);
  }
}

const wasRounded = 'a spreadsheet has rounded it, and its last digits are lost';

/**
 * That m of n codes end in z zeros each happens by chance at most (n choose m) * 10^(-z * m) times. Of a thousand codes
 * with 22 digits two have to, with 16 digits 248. Each code counts once, however many lines it has.
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
 * A telephone number some of whose digits a provider hides, such as `2547****149`, `0712***678` or `254700xxx000`, at the
 * beginning of a text: its digits and signs as they are written. Undefined for any other text.
 */
export function maskedPhoneIn(text: string): string | undefined {
  const shown = [text, text.replaceAll(' ', '')].flatMap(
    (each) => /^\+?[\d*xX•#]{7,20}(?=$|[^\w*•#])/.exec(each) ?? [],
  );
  return shown.find((each) => /[*xX•#]/.test(each) && /\d.*\d/.test(each));
}

/** A local number of nine digits in a cell of its own: a spreadsheet takes the zero in front away. */
export function assertZeroKept(cell: Cell): void {
  if (/^[17]\d{8}$/.test(cell.text)) throw complaint(cell, 'phone', 'it has lost the zero in front');
}
