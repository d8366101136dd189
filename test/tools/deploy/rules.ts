/** What holds for everything that is deployed, whichever overlay builds it: one sentence each, and what breaks it. */
import { isDeepStrictEqual } from 'node:util';
import {
  containersOf,
  labelsOf,
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

/** The API closes what is left after 25 s, the worker gives what runs 20 s; both then end what they have open. */
const drainSeconds = 35;
const steps = ['settings', 'migrate', 'worker', 'api', 'portal'];

/** An API without Temporal still takes callbacks, and what is not ready gets none. */
const readinessPathOf = (deployment: Workload) =>
  labelsOf(deployment)['app.kubernetes.io/component'] === 'api' ? '/servez' : '/readyz';

/** Containers whose part of the manifest differs from what each must say. */
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

  'every pod runs as a plain user, and gets no token of the cluster': (objects) =>
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

  'no pod is told settings by the names of services': (objects) =>
    workloadsOf(objects)
      .filter(({ spec }) => spec.template.spec.enableServiceLinks !== false)
      .map(nameOf),

  'pods mount secrets and empty folders, and nothing of the machine': (objects) =>
    workloadsOf(objects)
      .filter(({ spec }) =>
        spec.template.spec.volumes.some(
          (volume) => !('secret' in volume || 'projected' in volume || 'emptyDir' in volume),
        ),
      )
      .map(nameOf),

  'every container says what it needs, and has a limit of memory': (objects) =>
    containersWithout(objects, ({ resources }) => {
      const { requests = {}, limits = {} } = resources ?? {};
      return [requests['cpu'], requests['memory'], limits['memory']].every((value) => value !== undefined);
    }),

  'every image is held to a digest': (objects) =>
    containersWithout(objects, ({ image }) => /@sha256:[0-9a-f]{64}$/.test(image)),

  'what keeps running is asked whether it lives and works': (objects) =>
    deploymentsOf(objects)
      .filter((deployment) =>
        deployment.spec.template.spec.containers.some(
          ({ startupProbe, livenessProbe, readinessProbe, ports = [] }) =>
            // Nothing takes the place of what works before it works itself.
            startupProbe?.httpGet.path !== '/readyz' ||
            readinessProbe?.httpGet.path !== readinessPathOf(deployment) ||
            // A process that waits for its database must not be killed for it.
            livenessProbe?.httpGet.path === '/readyz' ||
            [startupProbe, livenessProbe, readinessProbe].some(
              (probe) => !ports.some(({ name }) => name === probe?.httpGet.port),
            ),
        ),
      )
      .map(nameOf),

  'what ends has time to finish what it does': (objects) =>
    deploymentsOf(objects)
      .filter(({ spec: { template } }) => {
        const [container] = template.spec.containers;
        const before = container?.lifecycle?.preStop?.sleep?.seconds ?? 0;
        return (template.spec.terminationGracePeriodSeconds ?? 30) < before + drainSeconds;
      })
      .map(nameOf),

  'there are two at least, and one place says how many': (objects) =>
    deploymentsOf(objects)
      .filter((deployment) => {
        const scalers = scalersOf(objects, deployment);
        const least = scalers.map(({ spec }) => spec.minReplicas ?? spec.minReplicaCount ?? 0);
        const told = [
          ...least,
          ...(deployment.spec.replicas === undefined ? [] : [deployment.spec.replicas]),
        ];
        return told.length !== 1 || (told[0] ?? 0) < 2;
      })
      .map(nameOf),

  'they stand on different machines, and are not taken away all at once': (objects) =>
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

  'no secret stands in the manifests': (objects, { secrets }) => [
    ...ofKind(objects, 'Secret').map(nameOf),
    ...containersOf(objects).flatMap(({ workload, container }) =>
      Object.keys(settingsOf(objects, container))
        .filter((name) => secrets.includes(name))
        .map((name) => `${nameOf(workload)}: ${name}`),
    ),
  ],

  'every file that a setting names lies in a folder that is mounted': (objects) =>
    containersOf(objects).flatMap(({ workload, container }) =>
      filesIn(settingsOf(objects, container))
        .filter(
          ([, path]) =>
            !(container.volumeMounts ?? []).some(({ mountPath }) => path.startsWith(`${mountPath}/`)),
        )
        .map(([name]) => `${nameOf(workload)}: ${name}`),
    ),

  'the account that alters tables is the migration’s alone': (objects) =>
    workloadsOf(objects)
      .filter((workload) => {
        const isMigration = labelsOf(workload)['app.kubernetes.io/component'] === 'migrate';
        return JSON.stringify(workload.spec).includes('malipo-migrate') !== isMigration;
      })
      .map(nameOf),

  'every object belongs to a step of an upgrade (docs/kubernetes.md)': (objects) =>
    objects
      .filter(({ metadata }) => !steps.includes(metadata.labels?.['app.kubernetes.io/component'] ?? ''))
      .map(nameOf),

  'everything is in the namespace, which refuses pods with more rights': (objects) => {
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
