import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fetchRelease, type Release } from './fetch-release';
import { buildWithGo } from './go-tool';
import { makeOnce } from './make-once';
import { findExecutable, isExecutable } from './on-path';
import { optional } from './optional';
import { runCommand, tryCommand } from './run-command';
import { cachedBinaries } from './user-cache';

/** Later releases have a `replace` line and cannot be installed with `go install`. */
const version = '1.5.1';
const installable = `github.com/temporalio/cli/cmd/temporal@v${version}`;
const progress = 'building the Temporal CLI with Go (3 to 6 minutes, only once per user)';

export type FoundTemporal = { kind: 'external'; address: string } | { kind: 'binary'; path: string };

/**
 * The first of these: the server that the environment names, the CLI on the PATH, in our cache, from its release, from
 * its image, built with Go. A release or an image that cannot be used is reported in one sentence.
 * @param env names the server; the other settings are those of this process.
 * @throws an Error with the ways to get Temporal.
 */
export async function findTemporal(env: NodeJS.ProcessEnv = process.env): Promise<FoundTemporal> {
  if (env.TEMPORAL_ADDRESS) return { kind: 'external', address: env.TEMPORAL_ADDRESS };
  const cached = join(cachedBinaries, 'temporal');
  const path =
    findExecutable(['temporal']) ??
    (isExecutable(cached) ? cached : undefined) ??
    (isDownloadAllowed(process.env) ? await download(cached) : undefined) ??
    (await buildWithGo(cached, installable, progress));
  if (path !== undefined) return { kind: 'binary', path };
  throw new Error(
    [
      'Temporal was not found, and there is no Go here to build it. Any of these helps:',
      '  - install the Temporal CLI so that `temporal` is on the PATH (https://docs.temporal.io/cli)',
      `  - put its binary at ${cached}`,
      '  - connect to the internet: the next start downloads it (or copies it from its image with Docker), unless MALIPO_TEMPORAL_DOWNLOAD=off or CI is set',
      '  - install Go 1.25 or later; the next start builds the CLI with it, once',
      '  - set TEMPORAL_ADDRESS=host:port to use a running Temporal server',
    ].join('\n'),
  );
}

async function download(target: string): Promise<string | undefined> {
  return (
    (await optional(async () => fetchRelease(target, temporalRelease()))) ??
    ((await isImageUsable()) ? await optional(() => copyFromImage(target)) : undefined)
  );
}

/** The program of an image runs on Linux only. */
async function isImageUsable(): Promise<boolean> {
  if (process.platform !== 'linux' || findExecutable(['docker']) === undefined) return false;
  return (await tryCommand('docker', ['info'], { timeout: daemonAnswersWithinMs })).code === 0;
}

/** Has the program of the release at this path, as its `Dockerfile` in github.com/temporalio/cli says. */
const image = { name: `temporalio/temporal:${version}`, program: '/usr/local/bin/temporal' };
const daemonAnswersWithinMs = 5_000;
/** Of about 50 MB. */
const pulledWithinMs = 300_000;

/** Docker fetches the image; no container of it runs. */
function copyFromImage(target: string): Promise<string> {
  return makeOnce(target, `copying the Temporal CLI from the image ${image.name}`, async (workshop) => {
    const idFile = join(workshop, 'container');
    await runCommand('docker', ['create', '--cidfile', idFile, image.name], { timeout: pulledWithinMs });
    const container = readFileSync(idFile, 'utf8').trim();
    try {
      await runCommand('docker', ['cp', `${container}:${image.program}`, workshop]);
    } finally {
      await tryCommand('docker', ['rm', container]);
    }
    return join(workshop, basename(image.program));
  });
}

/** A CI run prepares its cache itself: it must not depend on a further server. */
function isDownloadAllowed({ CI, MALIPO_TEMPORAL_DOWNLOAD: wanted = '' }: NodeJS.ProcessEnv): boolean {
  if (!['', 'on', 'off'].includes(wanted)) throw new Error('MALIPO_TEMPORAL_DOWNLOAD must be on or off');
  return wanted !== 'off' && ['', 'false'].includes(CI ?? '');
}

/** Systems and processors as Node names them, and as the archives do. */
const systems: Partial<Record<NodeJS.Platform, string>> = { linux: 'linux', darwin: 'darwin' };
const processors: Partial<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * The names are those of `.goreleaser.yml` in github.com/temporalio/cli at v1.5.1: `archives.name_template`, the targets
 * of the build `nix`, and `checksum.name_template`.
 * @param env a test names a server on this machine that has the folders of the releases.
 * @throws an Error where there is none for this machine.
 */
export function temporalRelease(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  arch: string = process.arch,
): Release {
  const name = `the Temporal CLI ${version}`;
  const [system, processor] = [systems[platform], processors[arch]];
  if (system === undefined || processor === undefined)
    throw new Error(`${name} has no release for ${platform} ${arch}`);
  const releases = env.MALIPO_TEST_TEMPORAL_RELEASES ?? 'https://github.com/temporalio/cli/releases/download';
  return {
    name,
    address: `${releases}/v${version}/`,
    archive: `temporal_cli_${version}_${system}_${processor}.tar.gz`,
    program: 'temporal',
  };
}
