/**
 * Whether a line is the very one that stood in a statement before: by its moment, amount and references, and in one file by
 * its kind and description, not by its id alone.
 */
import { formatAmount } from '../domain/money';
import type { StatementLineRow } from '../store/tables';

const minuteMs = 60_000;

/**
 * @param datesChange whether the provider dates a line by when it was changed last.
 * @returns what the earlier line says otherwise, for people; undefined where both are the same.
 */
export function differenceBetween(
  before: StatementLineRow,
  line: StatementLineRow,
  datesChange = false,
): string | undefined {
  if (before.amount_minor !== line.amount_minor || before.currency !== line.currency)
    return `${formatAmount(BigInt(before.amount_minor), before.currency)} ${before.currency}`;
  if (!datesChange && !isSameMoment(before.occurred_at, line.occurred_at))
    return `another moment, ${before.occurred_at.toISOString()}`;
  if (isOther(before.our_reference, line.our_reference))
    return `another reference, ${before.our_reference ?? ''}`;
  if (isOther(before.original_reference, line.original_reference))
    return `another transaction, ${before.original_reference ?? ''}`;
  if (isOther(before.fee_minor, line.fee_minor))
    return `another fee, ${formatAmount(BigInt(before.fee_minor ?? 0), before.currency)} ${before.currency}`;
  // Two files may have other words for the same; one file has not.
  const isSameFile = before.statement_id === line.statement_id;
  if (isSameFile && (before.kind !== line.kind || isOther(before.description, line.description)))
    return `another transaction, ${before.description ?? before.kind}`;
  return undefined;
}

/** Some exports have a column that others of the same provider lack. */
const isOther = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && one !== other;

/** Spreadsheets leave the seconds out, and some exports have the moment at which it began. */
const isSameMoment = (one: Date, other: Date): boolean =>
  Math.abs(one.getTime() - other.getTime()) < minuteMs;
