/**
 * Finds, and if necessary fetches, the programs of `npm run test:cluster`: before jest, so that progress is visible.
 */
import { findHaproxy } from '../sandbox/services/find-haproxy';
import { findMysql } from '../sandbox/services/find-mysql';
import { findOrFetchPrometheus } from '../sandbox/services/find-prometheus';
import { optional } from '../sandbox/services/optional';
import { say } from '../sandbox/services/progress';
import { findPostgres } from './find-postgres';
import { findTemporalServer } from './find-temporal-server';

async function main(): Promise<void> {
  await findMysql({});
  await findHaproxy();
  await findPostgres();
  await findTemporalServer();
  const prometheus = await optional(findOrFetchPrometheus);
  if (prometheus === undefined) say('no Prometheus was found: its test with the cluster is skipped');
}

main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
