/**
 * `prepare-tests NAME…` finds, and fetches or builds where it is missing, what tests run against: done before jest, where
 * progress can be seen. `test/support/tiers.cjs` says which tests want which.
 */
import { findOrBuildDeployTools } from './deploy-tools';
import { findOrFetchBackupTools } from './find-backup-tools';
import { findOrInstallChromium } from './find-chromium';
import { findMysql } from './find-mysql';
import { findOrFetchPrometheus } from './find-prometheus';
import { findOrInstallShells } from './find-shells';
import { findTemporal } from './find-temporal';
import { findOrInstallLanguage, languages, type LanguageName } from './languages';
import { optional } from './optional';
import { say } from './progress';

const env = process.env;

/** Without these no test of the tier can run. */
const servers: Record<string, () => Promise<unknown>> = {
  mysql: async () => env.MALIPO_TEST_DATABASE_URL ?? findMysql({}),
  temporal: async () => env.MALIPO_TEST_TEMPORAL_ADDRESS ?? findTemporal({}),
};

/** Without these some tests are skipped: which, the sentence says. */
const tools: Record<string, { find: () => Promise<unknown>; otherwise: string }[]> = {
  chromium: [
    {
      find: findOrInstallChromium,
      otherwise: 'no Chromium was found: the tests that drive pages are skipped',
    },
  ],
  prometheus: [
    {
      find: findOrFetchPrometheus,
      otherwise: 'no promtool was found: the tests of the alert rules are skipped',
    },
  ],
  languages: (Object.keys(languages) as LanguageName[]).map((name) => ({
    find: () => findOrInstallLanguage(name),
    otherwise: `no ${languages[name].commands.join(', ')} was found: clients and samples in ${name} are not tested`,
  })),
  shells: [
    {
      find: findOrInstallShells,
      otherwise: 'no zsh and fish were found: completion is tested in bash only',
    },
  ],
  'backup-tools': [
    {
      find: findOrFetchBackupTools,
      otherwise: 'no mariadb-dump and mariadb-binlog were found: the drill of a restore is skipped',
    },
  ],
  'deploy-tools': [
    {
      find: findOrBuildDeployTools,
      otherwise: 'no Go was found that builds Kustomize: the tests of the deployment files are skipped',
    },
  ],
};

async function main(wanted: readonly string[]): Promise<void> {
  for (const name of wanted) {
    const server = servers[name];
    const found = tools[name];
    if (server === undefined && found === undefined) throw new Error(`There is nothing called ${name}.`);
    await server?.();
    for (const { find, otherwise } of found ?? []) if (!(await optional(find))) say(otherwise);
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
