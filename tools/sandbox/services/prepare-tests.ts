/**
 * `prepare-tests NAME…` finds, fetches or builds the programs that tests need: before jest, so that progress is
 * visible. `test/support/tiers.cjs` says which tests need which.
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
import { findOrFetchPhpFrameworks } from './php-frameworks';
import { say } from './progress';

const env = process.env;

/** Required: without these no test of the tier can run. */
const servers: Record<string, () => Promise<unknown>> = {
  mysql: async () => env.MALIPO_TEST_DATABASE_URL ?? findMysql({}),
  temporal: async () => env.MALIPO_TEST_TEMPORAL_ADDRESS ?? findTemporal({}),
};

/** Optional: without these some tests are skipped, as the sentence says. */
const tools: Record<string, { find: () => Promise<unknown>; otherwise: string }[]> = {
  chromium: [
    {
      find: findOrInstallChromium,
      otherwise: 'no Chromium was found: the browser tests of pages are skipped',
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
  'php-frameworks': [
    {
      find: findOrFetchPhpFrameworks,
      otherwise: 'no packages of the frameworks of PHP were found: webhooks are not tested with them',
    },
  ],
  shells: [
    {
      find: findOrInstallShells,
      otherwise: 'no zsh and fish were found: completion is tested in bash only',
    },
  ],
  'backup-tools': [
    {
      find: findOrFetchBackupTools,
      otherwise: 'no tools to dump and restore this server were found: the restore drill is skipped',
    },
  ],
  helm: [
    {
      find: () => findOrBuildDeployTools(['kustomize', 'helm', 'kube-score']),
      otherwise: 'no Go was found to build Helm: the chart is not compared with the manifests',
    },
  ],
  'deploy-tools': [
    {
      find: () => findOrBuildDeployTools(),
      otherwise: 'no Go was found to build Kustomize: the tests of the deployment files are skipped',
    },
  ],
};

async function main(wanted: readonly string[]): Promise<void> {
  for (const name of wanted) {
    const server = servers[name];
    const found = tools[name];
    if (server === undefined && found === undefined) throw new Error(`${name} is unknown.`);
    await server?.();
    for (const { find, otherwise } of found ?? []) if (!(await optional(find))) say(otherwise);
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
