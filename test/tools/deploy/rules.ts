/** The rules for everything that is deployed, by any overlay: one sentence each, and what violates it. */
import { isDeepStrictEqual } from 'node:util';
import {
  containersOf,
  labelsOf,
  processOf,
  secretsOf,
  settingsOf,
  workloadsOf,
  type Container,
  type Manifest,
  type Workload,
} from './manifests';
import { networkRules } from './network-rules';
import { nameOf, ofKind, selects, type Rule, type Selector } from './rule';

const deploymentsOf = (objects: Manifest[]) => ofKind(objects, 'Deployment') as Workload[];

interface Scaler extends Manifest {
  spec: { scaleTargetRef: { name: string }; minReplicas?: number; minReplicaCount?: number };
}

/** The API closes open connections after 25 s, the worker gives running activities 20 s; both then close the rest. */
const drainSeconds = 35;
const steps = ['settings', 'migrate', 'worker', 'api', 'portal'];

/** An API without Temporal still accepts notifications, and an unready pod gets none. */
const readinessPathOf = (deployment: Workload) => (processOf(deployment) === 'api' ? '/servez' : '/readyz');

/** Containers that do not match what each must have. */
function containersWithout(
  objects: Manifest[],
  isRight: (container: Container, workload: Workload) => boolean,
) {
  return containersOf(objects)
    .filter(({ container, workload }) => !isRight(container, workload))
    .map(({ workload }) => nameOf(workload));
}

function scalersOf(objects: Manifest[], { metadata }: Manifest): Scaler[] {
  const scalers = ofKind(objects, 'HorizontalPodAutoscaler', 'ScaledObject') as Scaler[];
  return scalers.filter(({ spec }) => spec.scaleTargetRef.name === metadata.name);
}

const filesIn = (settings: Record<string, string>) =>
  Object.entries(settings).filter(([name]) => /_(?:FILE|PATH)$/.test(name));

export const rules: Record<string, Rule> = {
  ...networkRules,

  'every container runs without any right': (objects) =>
    containersWithout(objects, ({ securityContext }) =>
      isDeepStrictEqual(securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      }),
    ),

  'every pod runs as a normal user, and gets no token of the cluster': (objects) =>
    workloadsOf(objects)
      .filter(({ spec: { template } }) => {
        const { securityContext, automountServiceAccountToken } = template.spec;
        const plain = { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 };
        return (
          automountServiceAccountToken !== false ||
          !isDeepStrictEqual(securityContext, { ...plain, seccompProfile: { type: 'RuntimeDefault' } })
        );
      })
      .map(nameOf),

  'no pod gets settings from the names of services': (objects) =>
    workloadsOf(objects)
      .filter(({ spec }) => spec.template.spec.enableServiceLinks !== false)
      .map(nameOf),

  'pods mount secrets and empty folders, and nothing of the machine': (objects) =>
    workloadsOf(objects)
      .filter(({ spec }) =>
        spec.template.spec.volumes.some((volume) => !('secret' in volume || 'emptyDir' in volume)),
      )
      .map(nameOf),

  'every container requests its resources, and has limits for memory and files': (objects) =>
    containersWithout(objects, ({ resources }) => {
      const { requests = {}, limits = {} } = resources ?? {};
      const files = 'ephemeral-storage';
      return [
        ...[requests['cpu'], requests['memory'], requests[files]],
        ...[limits['memory'], limits[files]],
      ].every((value) => value !== undefined);
    }),

  'Argo CD applies each step of an upgrade after the one before': (objects) =>
    objects
      .filter((object) => {
        const { labels = {}, annotations = {} } = object.metadata;
        const step = steps.indexOf(labels['app.kubernetes.io/component'] ?? '');
        const wave = Number(annotations['argocd.argoproj.io/sync-wave'] ?? 0);
        // Further settings and scaling of a component may come later: nothing waits for them.
        return workloadsOf([object]).length > 0 && wave !== Math.min(0, step - 3);
      })
      .map(nameOf),

  'a finished migration makes room for the next one': (objects) =>
    ofKind(objects, 'Job')
      .filter(
        ({ spec, metadata: { annotations = {} } }) =>
          spec?.['ttlSecondsAfterFinished'] === undefined ||
          annotations['argocd.argoproj.io/hook-delete-policy'] !== 'BeforeHookCreation',
      )
      .map(nameOf),

  'no address of a pod of ours is a trusted proxy': (objects) =>
    containersOf(objects).flatMap(({ workload, container }) =>
      (settingsOf(objects, container)['MALIPO_TRUSTED_PROXIES'] ?? '')
        .split(',')
        .filter((range) => range !== '' && Number(range.split('/')[1] ?? 32) < 24)
        .map((range) => `${nameOf(workload)}: ${range}`),
    ),

  'every image is pinned by digest': (objects) =>
    containersWithout(objects, ({ image }) => /@sha256:[0-9a-f]{64}$/.test(image)),

  'every running service has health checks': (objects) =>
    deploymentsOf(objects)
      .filter((deployment) =>
        deployment.spec.template.spec.containers.some(
          ({ startupProbe, livenessProbe, readinessProbe, ports = [] }) =>
            // A pod replaces a working one only when it works itself.
            startupProbe?.httpGet.path !== '/readyz' ||
            readinessProbe?.httpGet.path !== readinessPathOf(deployment) ||
            // A process that waits for its database must not be killed for it.
            livenessProbe?.httpGet.path !== '/healthz' ||
            [startupProbe, livenessProbe, readinessProbe].some(
              (probe) => !ports.some(({ name }) => name === probe.httpGet.port),
            ),
        ),
      )
      .map(nameOf),

  'every pod has time to finish its work': (objects) =>
    deploymentsOf(objects)
      .filter(({ spec: { template } }) => {
        const [container] = template.spec.containers;
        const before = container?.lifecycle?.preStop?.sleep?.seconds ?? 0;
        return (template.spec.terminationGracePeriodSeconds ?? 30) < before + drainSeconds;
      })
      .map(nameOf),

  'there are at least two pods, and one place sets the number': (objects) =>
    deploymentsOf(objects)
      .filter((deployment) => {
        const scalers = scalersOf(objects, deployment);
        const least = scalers.map(({ spec }) => spec.minReplicas ?? spec.minReplicaCount ?? 0);
        const reported = [
          ...least,
          ...(deployment.spec.replicas === undefined ? [] : [deployment.spec.replicas]),
        ];
        return reported.length !== 1 || (reported[0] ?? 0) < 2;
      })
      .map(nameOf),

  'pods run on different machines, and are not evicted all at once': (objects) =>
    deploymentsOf(objects)
      .filter((deployment) => {
        const spread = deployment.spec.template.spec.topologySpreadConstraints ?? [];
        const budgets = ofKind(objects, 'PodDisruptionBudget').filter(({ spec }) =>
          selects(spec?.['selector'] as Selector, labelsOf(deployment)),
        );
        return (
          budgets.length !== 1 || !spread.some(({ topologyKey }) => topologyKey === 'kubernetes.io/hostname')
        );
      })
      .map(nameOf),

  'every setting is one that the code reads': (objects, { settings, secrets }) =>
    containersOf(objects).flatMap(({ workload, container }) =>
      Object.keys(settingsOf(objects, container))
        .filter((name) => !settings.has(name) && !secrets.some((secret) => name === `${secret}_FILE`))
        .map((name) => `${nameOf(workload)}: ${name}`),
    ),

  'no secret is in the manifests': (objects, { secrets }) => [
    ...ofKind(objects, 'Secret').map(nameOf),
    ...containersOf(objects).flatMap(({ workload, container }) =>
      Object.keys(settingsOf(objects, container))
        .filter((name) => secrets.includes(name))
        .map((name) => `${nameOf(workload)}: ${name}`),
    ),
  ],

  'every file that a setting names is in a mounted folder': (objects) =>
    containersOf(objects).flatMap(({ workload, container }) =>
      filesIn(settingsOf(objects, container))
        .filter(
          ([, path]) =>
            !(container.volumeMounts ?? []).some(({ mountPath }) => path.startsWith(`${mountPath}/`)),
        )
        .map(([name]) => `${nameOf(workload)}: ${name}`),
    ),

  'a process has the secrets that it uses, each as a file, and no others': (objects, { uses }) => {
    const secretOf = (process: string) => `malipo-${process}`;
    const owners = [...new Set(Object.values(uses).flat())].map(secretOf);
    return containersOf(objects).flatMap(({ workload, container }) => {
      const process = processOf(workload);
      const mounted = secretsOf(workload).filter(({ name }) => owners.includes(name));
      const files = mounted.flatMap((secret) => secret.files ?? []);
      const wanted = Object.entries(settingsOf(objects, container)).filter(([setting]) =>
        uses[setting.replace(/_FILE$/, '')]?.includes(process),
      );
      return [
        ...mounted
          .filter((secret) => secret.name !== secretOf(process) || secret.files === undefined)
          .map(({ name }) => `mounts ${name}`),
        ...files.filter(({ key }) => !uses[key]?.includes(process)).map(({ key }) => `does not use ${key}`),
        ...wanted
          .filter(
            ([setting, path]) => !files.some((file) => `${file.key}_FILE` === setting && file.path === path),
          )
          .map(([setting]) => `has no file for ${setting}`),
      ].map((fault) => `${nameOf(workload)} ${fault}`);
    });
  },

  'only the migration has the account that alters tables': (objects) =>
    workloadsOf(objects)
      .filter((workload) => {
        const isMigration = processOf(workload) === 'migrate';
        return JSON.stringify(workload.spec).includes('malipo-migrate') !== isMigration;
      })
      .map(nameOf),

  'every object belongs to a step of an upgrade (docs/kubernetes.md)': (objects) =>
    objects
      .filter(({ metadata }) => !steps.includes(metadata.labels?.['app.kubernetes.io/component'] ?? ''))
      .map(nameOf),

  'everything is in the namespace, which rejects pods with more rights': (objects) => {
    const [namespace, ...others] = ofKind(objects, 'Namespace');
    const labels = namespace?.metadata.labels ?? {};
    return [
      ...(labels['pod-security.kubernetes.io/enforce'] === 'restricted' && others.length === 0
        ? []
        : ['Namespace']),
      ...objects
        .filter(
          ({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== namespace?.metadata.name,
        )
        .map(nameOf),
    ];
  },
};
