/** Finds, and where need be fetches, what `npm run test:cluster` runs: done before jest, where progress can be seen. */
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
  if (prometheus === undefined) say('no Prometheus was found: that it watches the cluster is not tried');
}

main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
