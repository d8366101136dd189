/**
 * Brings the database to the newest schema, as the account that owns it (MALIPO_MIGRATE_DATABASE_URL), and grants the
 * service's account (DATABASE_URL) what it needs.
 */
import { readSecretFiles } from '../../secret-files';
import { prepareSchema } from '../../store/prepare-schema';

async function main(): Promise<void> {
  const env = readSecretFiles(process.env);
  const serviceUrl = env.DATABASE_URL;
  if (!serviceUrl) throw new Error('DATABASE_URL is not set');
  const given = env['MALIPO_MIGRATE_DATABASE_URL'] ?? '';
  // Empty where a file of settings leaves it out: then one account does both.
  const applied = await prepareSchema({ migrateUrl: given === '' ? serviceUrl : given, serviceUrl });
  process.stdout.write(`${applied.length > 0 ? `applied ${applied.join(', ')}` : 'the schema is current'}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`migrating: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
