/** Parses the amounts of statements to minor units, without floating point. */
import { cutText } from '../../domain/cut-text';
import { isCurrency, parseAmount, type Currency } from '../../domain/money';
import { StatementError } from '../statement';

// No zero in front: `000.00` is the rest of a `1,000.00` that lost its quotation marks.
const grouped = /^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/;
const plain = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;
/** A longer text is not an amount. */
const lengthMax = 60;
/** Groups of digits with spaces between them, as some exports write them. */
const spaced = /^([^\d]*)([1-9]\d{0,2}(?: \d{3})+)((?:\.\d+)?[^\d]*)$/;

/**
 * Reads `1200.00`, `1,200.00`, `KES 1,200.00`, `-1,200.00`, `(1,200.00)` and the like. Commas group thousands, and a point
 * starts the decimals. Ambiguous texts are rejected, such as `1.250`, which may be a thousand.
 * @param line the line of the file, for the error
 * @throws StatementError for anything else, and for more decimals than the currency has.
 */
export function readStatementAmount(text: string, currency: Currency, line: number): bigint {
  const refused = () => new StatementError(`"${cutText(text, 40)}" is not an amount in ${currency}`, line);
  // `KES .50` and `KES.50` are half a shilling, or fifty.
  if (text.length > lengthMax || /\s\.\d|[a-z$]\.\d+(?![\d,.])/i.test(text)) throw refused();
  let digits = ungrouped(text);
  const isBracketed = digits.startsWith('(') && digits.endsWith(')');
  if (isBracketed) digits = digits.slice(1, -1);
  digits = withoutCurrency(digits, currency);
  const sign = /^[+\-\u2212]/.exec(digits)?.[0] ?? '';
  digits = withoutCurrency(digits.slice(sign.length), currency);
  if (isBracketed && sign !== '') throw refused();
  if (!grouped.test(digits) && !plain.test(digits)) throw refused();
  const minor = parseAmount(digits.replaceAll(',', ''), currency);
  if (minor === undefined) throw refused();
  return isBracketed || (sign !== '' && sign !== '+') ? -minor : minor;
}

/** Removes the code or sign of the currency, before or after the digits. */
function withoutCurrency(text: string, currency: Currency): string {
  const signs: Partial<Record<Currency, string[]>> = {
    KES: ['KSH', 'KSHS', 'SH'],
    UGX: ['USH', 'SH'],
    TZS: ['TSH', 'SH'],
    USD: ['$'],
  };
  const upper = text.toUpperCase();
  for (const name of [currency, ...(signs[currency] ?? [])].sort((a, b) => b.length - a.length)) {
    if (upper.startsWith(name)) return text.slice(name.length).replace(/^\.(?=\d{1,3}(?:,|$|\.\d))/, '');
    if (upper.endsWith(name)) return text.slice(0, -name.length);
  }
  return text;
}

/** Removes spaces between groups, and next to the currency or the sign. Other spaces stay, so the text is rejected. */
function ungrouped(text: string): string {
  const plainSpaces = text.replaceAll(/[\s\u00a0\u202f]/g, ' ').trim();
  const [, before = '', groups, after = ''] = spaced.exec(plainSpaces) ?? [];
  const joined = groups === undefined ? plainSpaces : `${before}${groups.replaceAll(' ', '')}${after}`;
  return joined.replaceAll(/(?<!\d) | (?!\d)/g, '');
}

/** @throws StatementError for an unknown currency. */
export function readStatementCurrency(text: string, line: number): Currency {
  const code = text.trim().toUpperCase();
  if (isCurrency(code)) return code;
  throw new StatementError(`"${cutText(text, 20)}" is not a known currency`, line);
}
