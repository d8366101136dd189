/** The checks of deploy/kubernetes find what they are for: one fault each, planted into the built objects. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { deployTool } from '../../../tools/sandbox/services/deploy-tools';
import { secretSettings, secretUses } from '../../../src/secret-files';
import { knownVariables } from '../../support/known-variables';
import {
  build,
  kubernetesFolder,
  workloadsOf,
  type Container,
  type Manifest,
  type PodSpec,
} from './manifests';
import { type Known } from './rule';
import { rules } from './rules';
import { validatorFor, versions } from './schemas';

const describeWithTools = existsSync(deployTool('kustomize')) ? describe : describe.skip;

type Fault = (found: {
  pod: PodSpec;
  container: Container;
  object: (name: string) => Manifest;
  all: Manifest[];
}) => void;

/** In the pods of the API. */
const schemaFaults: Record<string, [Fault, RegExp]> = {
  'an unknown field of the API': [
    ({ container }) => Object.assign(container, { livenesProbe: container.livenessProbe }),
    /additional properties.*livenesProbe/,
  ],
  'a field in the wrong place': [
    ({ pod }) => Object.assign(pod, { readOnlyRootFilesystem: true }),
    /additional properties.*readOnlyRootFilesystem/,
  ],
  'a text instead of a number': [
    ({ pod }) => Object.assign(pod, { terminationGracePeriodSeconds: '60' }),
    /terminationGracePeriodSeconds must be integer/,
  ],
  'a missing field': [
    ({ container }) => Reflect.deleteProperty(container, 'name'),
    /required property 'name'/,
  ],
  'an unknown field of a custom kind': [
    ({ object }) => Object.assign(object('ScaledObject malipo-worker').spec ?? {}, { minReplicas: 2 }),
    /additional properties.*minReplicas/,
  ],
  'an unknown kind': [
    ({ object }) => Object.assign(object('PodDisruptionBudget malipo-api'), { apiVersion: 'policy/v1beta1' }),
    /policy\/v1beta1 PodDisruptionBudget is not known/,
  ],
};

const spec = (object: Manifest) => object.spec as Record<string, never>;
const settings = (all: Manifest[]) => all.find(({ kind }) => kind === 'ConfigMap')?.data ?? {};
const drop = (all: Manifest[], found: Manifest) => void all.splice(all.indexOf(found), 1);

const ruleFaults: Record<keyof typeof rules, Fault> = {
  'every container runs without any right': ({ container }) =>
    Object.assign(container.securityContext ?? {}, { capabilities: { drop: ['ALL'], add: ['NET_ADMIN'] } }),
  'every pod runs as a normal user, and gets no token of the cluster': ({ pod }) =>
    Object.assign(pod, { automountServiceAccountToken: true }),
  'no pod gets settings from the names of services': ({ pod }) =>
    Reflect.deleteProperty(pod, 'enableServiceLinks'),
  'pods mount secrets and empty folders, and nothing of the machine': ({ pod }) =>
    pod.volumes.push({ name: 'machine', hostPath: { path: '/' } } as never),
  'every container requests its resources, and has limits for memory and files': ({ container }) =>
    Reflect.deleteProperty(container.resources?.limits ?? {}, 'ephemeral-storage'),
  'Argo CD applies each step of an upgrade after the one before': ({ object }) =>
    Object.assign(object('Deployment malipo-worker').metadata, { annotations: {} }),
  'a finished migration makes room for the next one': ({ object }) =>
    Reflect.deleteProperty(spec(object('Job malipo-migrate')), 'ttlSecondsAfterFinished'),
  'no address of a pod of ours is a trusted proxy': ({ all }) =>
    Object.assign(settings(all), { MALIPO_TRUSTED_PROXIES: '10.244.0.0/16' }),
  'every image is pinned by digest': ({ container }) => {
    container.image = 'registry.example.com/malipo:latest';
  },
  'every running service has health checks': ({ container }) => {
    container.livenessProbe = { httpGet: { path: '/metrics', port: 'ops' } };
  },
  'every pod has time to finish its work': ({ pod }) => {
    pod.terminationGracePeriodSeconds = 30;
  },
  'there are at least two pods, and one place sets the number': ({ object }) => {
    Object.assign(spec(object('Deployment malipo-api')), { replicas: 2 });
  },
  'pods run on different machines, and are not evicted all at once': ({ all, object }) => {
    drop(all, object('PodDisruptionBudget malipo-api'));
  },
  'every setting is one that the code reads': ({ all }) =>
    Object.assign(settings(all), { MALIPO_RAIL: 'stk' }),
  'no secret is in the manifests': ({ all }) => Object.assign(settings(all), { STK_PASSKEY: 'secret' }),
  'every file that a setting names is in a mounted folder': ({ all }) =>
    Object.assign(settings(all), { STK_PASSKEY_FILE: '/run/secrets/elsewhere/STK_PASSKEY' }),
  'a process has the secrets that it uses, each as a file, and no others': ({ all }) => {
    const portal = workloadsOf(all).find(({ metadata }) => metadata.name === 'malipo-portal');
    portal?.spec.template.spec.volumes[0]?.secret?.items?.push({ key: 'MOMO_TOKEN', path: 'MOMO_TOKEN' });
  },
  'only the migration has the account that alters tables': ({ pod }) =>
    pod.volumes.push({ name: 'migrate', secret: { secretName: 'malipo-migrate' } }),
  'all connections without a policy are closed, in both directions': ({ object }) => {
    Object.assign(spec(object('NetworkPolicy malipo-closed')), { policyTypes: ['Ingress'] });
  },
  'every pod may reach the database, and those that need Temporal reach it': ({ object }) => {
    Object.assign(spec(object('NetworkPolicy malipo-to-database')), { podSelector: {}, egress: [] });
  },
  'no policy allows private addresses or cloud metadata addresses': ({ object }) => {
    Object.assign(spec(object('NetworkPolicy malipo-to-internet')), {
      egress: [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } }], ports: [{ port: 443 }] }],
    });
  },
  'a route to one of our services reaches the pods behind it': ({ all, object }) => {
    drop(all, object('NetworkPolicy malipo-portal-from-gateway'));
  },
  'operations ports are only for Prometheus': ({ object }) => {
    Object.assign(spec(object('NetworkPolicy malipo-api-from-gateway')), {
      ingress: [{ from: [{ namespaceSelector: {} }], ports: [{ port: 'http' }, { port: 'ops' }] }],
    });
  },
  'every object belongs to a step of an upgrade (docs/kubernetes.md)': ({ object }) =>
    Object.assign(object('Service malipo-api').metadata, { labels: {} }),
  'everything is in the namespace, which rejects pods with more rights': ({ object }) => {
    object('Service malipo-api').metadata.namespace = 'default';
  },
};

describeWithTools('the checks of deploy/kubernetes', () => {
  let built: Manifest[];
  let known: Known;
  beforeAll(async () => {
    built = await build(join(kubernetesFolder, 'overlays', 'production'));
    known = { settings: new Set((await knownVariables()).keys()), secrets: secretSettings, uses: secretUses };
  });

  describe.each(versions)('the schemas of Kubernetes %s find', (version) => {
    it.each(Object.entries(schemaFaults))('%s', (_sentence, [plant, expected]) => {
      expect(planted(plant).flatMap(validatorFor(version)).join('\n')).toMatch(expected);
    });
  });

  it('has a planted fault for each rule', () => {
    expect(Object.keys(ruleFaults).sort()).toEqual(Object.keys(rules).sort());
  });

  it.each(Object.entries(rules))('finds a violation of: %s', (sentence, rule) => {
    expect(rule(built, known)).toEqual([]);
    const plant = ruleFaults[sentence];
    expect(plant && rule(planted(plant), known)).not.toEqual([]);
  });

  const secrets = 'a process has the secrets that it uses, each as a file, and no others';
  it.each<[string, Fault, string]>([
    [
      'a whole secret',
      ({ pod }) => Reflect.deleteProperty(pod.volumes[0]?.secret ?? {}, 'items'),
      'mounts malipo-api',
    ],
    [
      "another process's secret",
      ({ pod }) => pod.volumes.push({ name: 'more', secret: { secretName: 'malipo-worker', items: [] } }),
      'mounts malipo-worker',
    ],
    ['a missing file', ({ pod }) => pod.volumes[0]?.secret?.items?.pop(), 'has no file for MOMO_TOKEN_FILE'],
  ])('finds in the secrets of the API: %s', (_sentence, plant, found) => {
    expect(rules[secrets]?.(planted(plant), known)).toContain(`Deployment malipo-api ${found}`);
  });

  function planted(plant: Fault): Manifest[] {
    const all = structuredClone(built);
    const api = workloadsOf(all).find(({ metadata }) => metadata.name === 'malipo-api');
    const pod = api?.spec.template.spec;
    const container = pod?.containers[0];
    if (!pod || !container) throw new Error('no API is built');
    const object = (name: string) => {
      const found = all.find(({ kind, metadata }) => `${kind} ${metadata.name}` === name);
      if (!found) throw new Error(`no ${name} is built`);
      return found;
    };
    plant({ pod, container, object, all });
    return all;
  }
});
