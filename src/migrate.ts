/**
 * Brings the database to the newest schema, as the account that owns it (MALIPO_MIGRATE_DATABASE_URL), and grants the
 * service's account (DATABASE_URL) what it needs.
 */
import { showControls } from './domain/controls';
import { readSecretFiles } from './secret-files';
import { prepareSchema } from './store/prepare-schema';
import { toldRunning } from './store/processes';

async function main(): Promise<void> {
  const env = readSecretFiles(process.env);
  const serviceUrl = env.DATABASE_URL;
  if (!serviceUrl) throw new Error('DATABASE_URL is not set');
  const given = env['MALIPO_MIGRATE_DATABASE_URL'] ?? '';
  // Empty where a file of settings leaves it out: then one account does both.
  const { applied, held } = await prepareSchema({
    migrateUrl: given === '' ? serviceUrl : given,
    serviceUrl,
  });
  const lines = [
    applied.length > 0 ? `applied ${applied.join(', ')}` : held ? 'applied nothing' : 'the schema is current',
    // The next deployment applies it, or malipo migrate up: what this one needs is there.
    held && `left ${held.name} out, which takes away what ${toldRunning(held.running)} need`,
  ];
  process.stdout.write(`${lines.filter((line) => line !== undefined).join('\n')}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(
    showControls(`migrating: ${error instanceof Error ? error.message : String(error)}\n`),
  );
  process.exitCode = 1;
});
