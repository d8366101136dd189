/** Finds, and where need be fetches, what the tests run against: done before jest, where progress can be seen. */
import { findOrFetchBackupTools } from './find-backup-tools';
import { findOrBuildDeployTools } from './deploy-tools';
import { findOrInstallChromium } from './find-chromium';
import { findMysql } from './find-mysql';
import { findOrFetchPrometheus } from './find-prometheus';
import { findOrInstallShells } from './find-shells';
import { findTemporal } from './find-temporal';
import { findOrInstallLanguage, languages, type LanguageName } from './languages';
import { optional } from './optional';
import { say } from './progress';

async function main(): Promise<void> {
  const env = process.env;
  if (!env.MALIPO_TEST_TEMPORAL_ADDRESS) await findTemporal({});
  if (!env.MALIPO_TEST_DATABASE_URL) await findMysql({});
  const chromium = await optional(findOrInstallChromium);
  if (chromium === undefined) say('no Chromium was found: the tests that drive pages are skipped');
  const prometheus = await optional(findOrFetchPrometheus);
  if (prometheus === undefined) say('no promtool was found: the tests of the alert rules are not run');
  for (const name of Object.keys(languages) as LanguageName[]) {
    if ((await optional(() => findOrInstallLanguage(name))) === undefined)
      say(
        `no ${languages[name].commands.join(', ')} was found: clients and samples in ${name} are not tested`,
      );
  }
  if ((await optional(findOrInstallShells)) === undefined)
    say('no zsh and fish were found: completion is tested in bash alone');
  const backupTools = await optional(findOrFetchBackupTools);
  if (backupTools === undefined)
    say('no mariadb-dump and mariadb-binlog were found: the drill of a restore is skipped');
  if (!(await optional(findOrBuildDeployTools)))
    say('no Go was found that builds Kustomize: the tests of the deployment files are skipped');
}

main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
