/**
 * How the rows of a payment become those of another: the same in every column, but for its id wherever it stands, its
 * times, and what may be there once. `s` is the row that is copied; `c` tells what of (see copies.ts).
 */

export interface TableCopy {
  table: string;
  /** How a row finds its payment, where it does not name it: the table that does, and the column that they share. */
  through?: { table: string; column: string };
  columns: Record<string, string>;
}

/** A value of the same length that no other copy has. */
const another = (column: string) =>
  `IF(s.${column} IS NULL, NULL, LEFT(SHA2(CONCAT(s.${column}, c.payment_id), 256), CHAR_LENGTH(s.${column})))`;
const anotherHash = (column: string) => `UNHEX(SHA2(CONCAT(HEX(s.${column}), c.payment_id), 256))`;
/** What names the payment is renamed with it; what does not gets a number. */
const anotherName = (column: string) =>
  `IF(LOCATE(c.source_id, s.${column}) > 0, REPLACE(s.${column}, c.source_id, c.payment_id), CONCAT(s.${column}, '-', c.k))`;
const numbered = (column: string) => `CONCAT(s.${column}, '-', c.k)`;
/** As ids are made: the time first. */
const anotherId = (column: string) => {
  const hash = `(CONVERT(MD5(CONCAT(s.${column}, c.payment_id)) USING ascii) COLLATE ascii_bin)`;
  return `CONCAT(LEFT(c.payment_id, 15), SUBSTR(${hash}, 1, 3), '-8', SUBSTR(${hash}, 4, 3), '-', SUBSTR(${hash}, 7, 12))`;
};

/** What waits, or is watched though it ended, is next looked at on one of the thirty days after tomorrow. */
const lateCheck = `IF(s.next_check_at IS NULL, NULL, UTC_TIMESTAMP(3) + INTERVAL 1440 + MOD(c.k * 7919, 43200) MINUTE)`;

/** Room for the entries of one payment. */
export const entriesEach = 8;
const entryId = `c.first_entry_id + c.k * ${entriesEach} + s.nth`;

/** Whatever else has a `payment_id` must have no row of a template; what is forgotten in minutes is not copied. */
export const tableCopies: readonly TableCopy[] = [
  {
    table: 'payments',
    columns: {
      callback_token: another('callback_token'),
      provider_reference: anotherName('provider_reference'),
      provider_receipt: anotherName('provider_receipt'),
      order_id: numbered('order_id'),
      account_reference: numbered('account_reference'),
      key_hash: anotherHash('key_hash'),
      guard_hash: anotherHash('guard_hash'),
      next_check_at: lateCheck,
    },
  },
  { table: 'attempts', columns: {} },
  { table: 'inbox', columns: { event_key: anotherHash('event_key') } },
  { table: 'outbox', columns: { webhook_id: anotherId('webhook_id') } },
  {
    table: 'webhook_deliveries',
    through: { table: 'outbox', column: 'webhook_id' },
    columns: { webhook_id: anotherId('webhook_id') },
  },
  { table: 'events', columns: { event_id: anotherId('event_id'), position: 'NULL' } },
  { table: 'ledger_entries', columns: { entry_id: entryId } },
  {
    table: 'ledger_postings',
    through: { table: 'ledger_entries', column: 'entry_id' },
    columns: { entry_id: entryId },
  },
  { table: 'holds', columns: {} },
  { table: 'outflows', columns: {} },
  { table: 'order_ids', columns: { order_hash: anotherHash('order_hash') } },
  { table: 'paid_references', columns: { reference_key: anotherHash('reference_key') } },
  { table: 'fx_quotes', columns: {} },
  { table: 'cases', columns: {} },
  // The last: whoever reads in the log that a payment has ended looks for what was told of it.
  { table: 'payment_log', columns: {} },
];

/** Of minutes: nobody misses them. */
export const notCopied: readonly string[] = ['duplicate_guards'];

export interface Column {
  name: string;
  /** As the database calls its type, such as `varchar`. */
  type: string;
  isGenerated: boolean;
}

const times = ['datetime', 'timestamp'];
const texts = ['char', 'varchar', 'text', 'mediumtext', 'longtext', 'json'];

/** The expression for one column of a copy. */
export function copyOf({ name, type }: Column, own: Record<string, string>): string {
  if (own[name] !== undefined) return own[name];
  if (name === 'payment_id') return 'c.payment_id';
  if (times.includes(type)) return `s.${name} - INTERVAL c.ago_s SECOND`;
  if (texts.includes(type)) return `REPLACE(s.${name}, c.source_id, c.payment_id)`;
  return `s.${name}`;
}
