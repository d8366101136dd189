/**
 * Migrates the database to the newest schema, with the account that owns it (MALIPO_MIGRATE_DATABASE_URL). Then it
 * grants the service's account (DATABASE_URL) its rights.
 */
import { showControls } from './domain/controls';
import { readSecretFiles } from './secret-files';
import { prepareSchema } from './store/prepare-schema';
import { runningText } from './store/processes';

async function main(): Promise<void> {
  const env = readSecretFiles(process.env, 'migrate');
  const serviceUrl = env.DATABASE_URL;
  if (!serviceUrl) throw new Error('DATABASE_URL is not set');
  const given = env['MALIPO_MIGRATE_DATABASE_URL'] ?? '';
  // A file of settings may leave it empty: then one account does both.
  const { applied, held } = await prepareSchema({
    migrateUrl: given === '' ? serviceUrl : given,
    serviceUrl,
  });
  const lines = [
    applied.length > 0
      ? `applied ${applied.join(', ')}`
      : held
        ? 'no migration was pending'
        : 'the schema is current',
    // The next deployment applies it, or `malipo migrate up`. This version has all it needs.
    held && `did not apply ${held.name}: it removes columns or tables that ${runningText(held.running)} need`,
  ];
  process.stdout.write(`${lines.filter((line) => line !== undefined).join('\n')}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(
    showControls(`migration failed: ${error instanceof Error ? error.message : String(error)}\n`),
  );
  process.exitCode = 1;
});
