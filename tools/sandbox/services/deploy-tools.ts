/** What reads the deployment files as those do who deploy with them: Kustomize, and the loader of Docker Compose. */
import { join } from 'node:path';
import { buildWithGo } from './go-tool';
import { isExecutable } from './on-path';
import { cachedBinaries } from './user-cache';

/** Of each, the newest release that the Go of our Debian and CI builds; a release of its own for each file. */
const tools = {
  kustomize: { version: 'v5.8.1', installable: 'sigs.k8s.io/kustomize/kustomize/v5' },
  compose: { version: 'v2.16.2', installable: 'github.com/compose-spec/compose-go/v2/cmd' },
} as const;

export type DeployTool = keyof typeof tools;

/** Where the tool is, once it is built. */
export function deployTool(name: DeployTool): string {
  return join(cachedBinaries, `${name}-${tools[name].version}`);
}

/** @returns false where one is missing and there is no Go to build it with. */
export async function findOrBuildDeployTools(): Promise<boolean> {
  for (const name of Object.keys(tools) as DeployTool[]) {
    const { version, installable } = tools[name];
    const path = deployTool(name);
    const progress = `building ${name} ${version} with Go (half a minute, only once per user)`;
    if (!isExecutable(path) && (await buildWithGo(path, `${installable}@${version}`, progress)) === undefined)
      return false;
  }
  return true;
}
