/** Builds the overlays of deploy/kubernetes with Kustomize itself. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { deployTool } from '../../../tools/sandbox/services/deploy-tools';

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  spec?: Record<string, unknown>;
  data?: Record<string, string>;
}

export interface Probe {
  httpGet: { path: string; port: string };
}

export interface Container {
  name: string;
  image: string;
  command: string[];
  env?: { name: string; value?: string }[];
  envFrom?: { configMapRef?: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  securityContext?: Record<string, unknown>;
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
  lifecycle?: { preStop?: { sleep?: { seconds: number } } };
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
}

export interface PodSpec {
  containers: Container[];
  volumes: {
    name: string;
    secret?: { secretName: string; items?: { key: string; path: string }[] };
    emptyDir?: object;
  }[];
  securityContext?: Record<string, unknown>;
  automountServiceAccountToken?: boolean;
  enableServiceLinks?: boolean;
  terminationGracePeriodSeconds?: number;
  topologySpreadConstraints?: { topologyKey: string }[];
}

/** A deployment or a job. */
export interface Workload extends Manifest {
  spec: {
    replicas?: number;
    template: { metadata: { labels: Record<string, string> }; spec: PodSpec };
  };
}

export const kubernetesFolder = join(__dirname, '..', '..', '..', 'deploy', 'kubernetes');

/** Builds a folder with a `kustomization.yaml`. */
export async function build(folder: string): Promise<Manifest[]> {
  const { stdout } = await promisify(execFile)(deployTool('kustomize'), ['build', folder], {
    timeout: 60_000,
    maxBuffer: 8_000_000,
  });
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}

/** An overlay over another one, written into an empty folder, with further components. */
export function overlayOf(folder: string, overlay: string, components: string[]): string {
  mkdirSync(folder, { recursive: true });
  const from = (...path: string[]) => relative(folder, join(kubernetesFolder, ...path));
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace: 'malipo',
    resources: [from('overlays', overlay)],
    components: components.map((name) => from('components', name)),
  };
  writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
  return folder;
}

export function workloadsOf(objects: Manifest[]): Workload[] {
  return objects.filter(({ kind }) => kind === 'Deployment' || kind === 'Job') as Workload[];
}

export function labelsOf({ spec }: Workload): Record<string, string> {
  return spec.template.metadata.labels;
}

export function containersOf(objects: Manifest[]): { workload: Workload; container: Container }[] {
  return workloadsOf(objects).flatMap((workload) =>
    workload.spec.template.spec.containers.map((container) => ({ workload, container })),
  );
}

/** The process that a deployment or a job runs. */
export function processOf(workload: Workload): string {
  return labelsOf(workload)['app.kubernetes.io/component'] ?? '';
}

/** The secrets that a pod mounts. `files`: by path; undefined where the whole secret is mounted. */
export function secretsOf({ spec: { template } }: Workload): {
  name: string;
  files: { key: string; path: string }[] | undefined;
}[] {
  const { containers, volumes } = template.spec;
  return volumes.flatMap(({ name, secret }) => {
    if (!secret) return [];
    const mounts = containers.flatMap(({ volumeMounts = [] }) =>
      volumeMounts.filter((mount) => mount.name === name),
    );
    const files = secret.items?.flatMap(({ key, path }) =>
      mounts.map(({ mountPath }) => ({ key, path: `${mountPath}/${path}` })),
    );
    return [{ name: secret.secretName, files }];
  });
}

/** A container's settings: from the settings' map, and by name. */
export function settingsOf(
  objects: Manifest[],
  { env = [], envFrom = [] }: Container,
): Record<string, string> {
  const maps = envFrom.map(({ configMapRef }) =>
    objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef?.name),
  );
  const named = env.map(({ name, value = '' }) => [name, value] as const);
  return Object.assign({}, ...maps.map((map) => map?.data ?? {}), Object.fromEntries(named)) as Record<
    string,
    string
  >;
}
