/** Brings the database that DATABASE_URL names to the newest schema. */
import { openDatabase } from '../../store/database';
import { migrate } from '../../store/migrations';

async function main(): Promise<void> {
  const url = process.env.DATABASE_URL;
  if (!url) throw new Error('DATABASE_URL is not set');
  const db = openDatabase(url, { poolMax: 1 });
  try {
    const applied = await migrate(db);
    process.stdout.write(
      `${applied.length > 0 ? `applied ${applied.join(', ')}` : 'the schema is current'}\n`,
    );
  } finally {
    await db.destroy();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`migrating: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
