/**
 * How rows of one payment become those of another: equal in every column, except its id wherever it occurs, its times,
 * and unique values. `s` is the source row; `c` describes the copy (copies.ts).
 */

export interface TableCopy {
  table: string;
  /** How a row without a payment id finds its payment: a table that has it, and their common column. */
  through?: { table: string; column: string };
  columns: Record<string, string>;
}

/** Another value of the same length that no other copy has. */
const another = (column: string) =>
  `IF(s.${column} IS NULL, NULL, LEFT(SHA2(CONCAT(s.${column}, c.payment_id), 256), CHAR_LENGTH(s.${column})))`;
const anotherHash = (column: string) => `UNHEX(SHA2(CONCAT(HEX(s.${column}), c.payment_id), 256))`;
/** Names that contain the payment's id get the new id; others get a number. */
const anotherName = (column: string) =>
  `IF(LOCATE(c.source_id, s.${column}) > 0, REPLACE(s.${column}, c.source_id, c.payment_id), CONCAT(s.${column}, '-', c.k))`;
const numbered = (column: string) => `CONCAT(s.${column}, '-', c.k)`;
/** Like our ids: time first. */
const anotherId = (column: string) => {
  const hash = `(CONVERT(MD5(CONCAT(s.${column}, c.payment_id)) USING ascii) COLLATE ascii_bin)`;
  return `CONCAT(LEFT(c.payment_id, 15), SUBSTR(${hash}, 1, 3), '-8', SUBSTR(${hash}, 4, 3), '-', SUBSTR(${hash}, 7, 12))`;
};

/** The next check of open or watched payments is on one of the thirty days after tomorrow. */
const lateCheck = `IF(s.next_check_at IS NULL, NULL, UTC_TIMESTAMP(3) + INTERVAL 1440 + MOD(c.k * 7919, 43200) MINUTE)`;

/** The most entries of one payment. */
export const entriesEach = 8;
const entryId = `c.first_entry_id + c.k * ${entriesEach} + s.nth`;

/**
 * Any other table with a `payment_id` must have no row of a template. Rows that expire within minutes are not copied.
 */
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
  // The last: readers of the log expect the webhook of a final payment.
  { table: 'payment_log', columns: {} },
];

/** Rows that expire within minutes. */
export const notCopied: readonly string[] = ['duplicate_guards'];

export interface Column {
  name: string;
  /** The database's name of its type, such as `varchar`. */
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
