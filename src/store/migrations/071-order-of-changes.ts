import type { SchemaChange, Statements } from './migration';
import { at, id } from './columns';

export const kind = 'expand';

/**
 * Each payment counts its changes, and each webhook and event says which change it tells. A webhook or event of a status
 * that a later one has replaced is not sent any more: `replaceable` and `replaces` say which replaces which
 * (payments/transition/write-webhook.ts), `superseded_by` names the later one, and `claimed_until` says that a try is under way.
 */
export async function up(schema: SchemaChange): Promise<void> {
  await schema.raw('ALTER TABLE payments ADD COLUMN sequence INT NOT NULL DEFAULT 1, ALGORITHM=INSTANT');
  await schema.raw(`
    ALTER TABLE outbox
      ADD COLUMN sequence INT NULL,
      ADD COLUMN replaceable TINYINT NOT NULL DEFAULT 0,
      ADD COLUMN replaces TINYINT NOT NULL DEFAULT 0,
      ADD COLUMN superseded_by ${id} NULL,
      ADD COLUMN claimed_until ${at} NULL,
      ALGORITHM=INSTANT`);
  await schema.raw(`
    ALTER TABLE events
      ADD COLUMN sequence INT NULL,
      ADD COLUMN replaceable TINYINT NOT NULL DEFAULT 0,
      ADD COLUMN replaces TINYINT NOT NULL DEFAULT 0,
      ALGORITHM=INSTANT`);
  await schema.raw(`ALTER TABLE endpoint_tries ADD COLUMN superseded_by ${id} NULL, ALGORITHM=INSTANT`);
  await schema.raw(`ALTER TABLE endpoint_resends ADD COLUMN claimed_until ${at} NULL, ALGORITHM=INSTANT`);
  await dropCheckOfStates(schema);
}

export async function down(schema: Statements): Promise<void> {
  await schema.raw(`UPDATE outbox SET state = 'dead' WHERE state = 'superseded'`);
  await schema.raw(`ALTER TABLE outbox ADD CHECK (state IN ('pending', 'delivered', 'dead', 'unaddressed'))`);
  await schema.raw('ALTER TABLE endpoint_resends DROP COLUMN claimed_until');
  await schema.raw('ALTER TABLE endpoint_tries DROP COLUMN superseded_by');
  await schema.raw('ALTER TABLE events DROP COLUMN sequence, DROP COLUMN replaceable, DROP COLUMN replaces');
  await schema.raw(`
    ALTER TABLE outbox DROP COLUMN sequence, DROP COLUMN replaceable, DROP COLUMN replaces,
      DROP COLUMN superseded_by, DROP COLUMN claimed_until`);
  await schema.raw('ALTER TABLE payments DROP COLUMN sequence');
}

/**
 * The check of the states names each of them, and to check another one would copy the table. The two servers name
 * differently what was given no name.
 */
async function dropCheckOfStates(schema: Statements): Promise<void> {
  const [checks] = (await schema.raw(
    `SELECT CONSTRAINT_NAME AS name FROM information_schema.CHECK_CONSTRAINTS
     WHERE CONSTRAINT_SCHEMA = DATABASE() AND CHECK_CLAUSE LIKE '%unaddressed%'`,
  )) as [{ name: string }[]];
  for (const { name } of checks)
    await schema.raw(`ALTER TABLE outbox DROP CONSTRAINT \`${name}\`, ALGORITHM=INPLACE, LOCK=NONE`);
}
