/** Finds, and where need be fetches, what `npm run test:cluster` runs: done before jest, where progress can be seen. */
import { findHaproxy } from '../services/find-haproxy';
import { findMysql } from '../services/find-mysql';
import { findTemporal } from '../services/find-temporal';
import { say } from '../services/progress';

async function main(): Promise<void> {
  await findMysql({});
  await findTemporal({});
  await findHaproxy();
}

main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
