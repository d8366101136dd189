import type { Statements } from './migration';
import { at, tableOptions, word } from './columns';

export const kind = 'expand';

/** The seals of the ledger's days, each made of the one before. Like what they seal, they are never changed. */
export async function up(schema: Statements): Promise<void> {
  await schema.raw(`
    CREATE TABLE ledger_links (
      n BIGINT PRIMARY KEY,
      day ${word(10)} NOT NULL,
      after_seq BIGINT NOT NULL,
      last_seq BIGINT NOT NULL,
      postings BIGINT NOT NULL,
      previous BINARY(32) NOT NULL,
      head BINARY(32) NOT NULL,
      sealed_at ${at} NOT NULL,
      UNIQUE KEY one_day (day),
      CHECK (last_seq >= after_seq)
    ) ${await tableOptions(schema)}`);
  for (const action of ['UPDATE', 'DELETE']) {
    await schema.raw(
      `CREATE TRIGGER ledger_links_no_${action.toLowerCase()} BEFORE ${action} ON ledger_links FOR EACH ROW
       SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'ledger_links is append-only'`,
    );
  }
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw('DROP TABLE IF EXISTS ledger_links');
}
