/**
 * By what a line is explained: `<outcome>:<rule>`. The sum of each is listed by day (rule-sums.ts). Those that conclude are
 * watched: a line is no payment's, or is a payment's by its likeness alone. Those that prove are not: by an id of the payment
 * and its amount, a person's word, what neither side has moved, and what another file has word by word of a line that is
 * judged already.
 */
import type { Knex } from 'knex';
import { isSettled } from '../domain/payment';
import type { StatementLineRow } from '../store/tables';
import type { Evidence, Judgement } from './judge';
import { namedFrom } from './without-receipt';

const notMovedAsOurs = 'not_moved:nor_in_our_books';
/** In one file; what an overlapping file has again, word by word, is no news. */
const seenTwice = 'seen_before:twice_in_one_file';

/** By amount, time and phone or reference; see without-receipt.ts. */
const alike = 'agreed:without_receipt';

/** Which of them are watched: a fee, money that did not move, a line that a file has twice, and one that is like a payment. */
const watchedBy = {
  prefixes: ['fee:', 'not_moved:'],
  rules: [seenTwice, alike],
  but: [notMovedAsOurs],
} as const;

export function watchedRules(query: Knex.QueryBuilder, column: string): void {
  void query.whereNot(column, watchedBy.but[0]).where((either) => {
    for (const prefix of watchedBy.prefixes) void either.orWhere(column, 'like', `${prefix}%`);
    for (const rule of watchedBy.rules) void either.orWhere(column, rule);
  });
}

export function ruleOf(
  line: StatementLineRow,
  { before, payment, decided }: Evidence,
  { outcome, gaveBack }: Omit<Judgement, 'rule'>,
): string | null {
  const read = line.rule ?? undefined;
  switch (outcome) {
    case 'agreed':
      if (gaveBack !== undefined) return 'agreed:went_back';
      if (decided) return 'agreed:said_by_a_person';
      if (payment?.details[namedFrom] !== undefined) return alike;
      if (payment?.provider_receipt === line.provider_reference) return 'agreed:receipt';
      if (payment?.provider_reference === line.provider_reference) return 'agreed:reference';
      return line.kind === 'refund' ? 'agreed:what_went_back' : 'agreed:our_reference';
    case 'seen_before':
      return before?.statement_id === line.statement_id ? seenTwice : 'seen_before:another_file';
    case 'not_moved':
      if (payment && !isSettled(payment.state)) return notMovedAsOurs;
      return `not_moved:${read ?? line.state}`;
    case 'fee':
      return `fee:${read ?? 'kind_of_line'}`;
    default:
      return null;
  }
}
