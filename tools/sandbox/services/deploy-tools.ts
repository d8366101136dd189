/** Tools that read the deployment files as operators' tools do: Kustomize, the loader of Docker Compose, Helm, and a linter. */
import { join } from 'node:path';
import { buildWithGo } from './go-tool';
import { isExecutable } from './on-path';
import { cachedBinaries } from './user-cache';

/** Of each, the newest release that Debian's and our CI's Go can build. */
const tools = {
  kustomize: { version: 'v5.8.1', installable: 'sigs.k8s.io/kustomize/kustomize/v5' },
  helm: { version: 'v3.19.5', installable: 'helm.sh/helm/v3/cmd/helm' },
  'kube-score': { version: 'v1.20.0', installable: 'github.com/zegl/kube-score/cmd/kube-score' },
  compose: { version: 'v2.16.2', installable: 'github.com/compose-spec/compose-go/v2/cmd' },
} as const;

export type DeployTool = keyof typeof tools;

/** The path of the built tool. */
export function deployTool(name: DeployTool): string {
  return join(cachedBinaries, `${name}-${tools[name].version}`);
}

/** The others take four minutes to build: only `npm run test:chart` builds them. */
const everyday: readonly DeployTool[] = ['kustomize', 'compose'];

/** @returns false if one is missing and there is no Go to build it. */
export async function findOrBuildDeployTools(names = everyday): Promise<boolean> {
  for (const name of names) {
    const { version, installable } = tools[name];
    const path = deployTool(name);
    const progress = `building ${name} ${version} with Go (only once per user)`;
    if (!isExecutable(path) && (await buildWithGo(path, `${installable}@${version}`, progress)) === undefined)
      return false;
  }
  return true;
}
