/**
 * Brings the database to the newest schema, as the account that owns it (MALIPO_MIGRATE_DATABASE_URL), and grants the
 * service's account (DATABASE_URL) what it needs.
 */
import { prepareSchema } from '../../store/prepare-schema';

async function main(): Promise<void> {
  const serviceUrl = process.env.DATABASE_URL;
  if (!serviceUrl) throw new Error('DATABASE_URL is not set');
  const migrateUrl = process.env['MALIPO_MIGRATE_DATABASE_URL'];
  // Empty where it is not set in a file of settings: then one account does both.
  const applied = await prepareSchema({ migrateUrl: migrateUrl ? migrateUrl : serviceUrl, serviceUrl });
  process.stdout.write(`${applied.length > 0 ? `applied ${applied.join(', ')}` : 'the schema is current'}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`migrating: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
