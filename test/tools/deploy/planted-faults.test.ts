/** That the checks of deploy/kubernetes see what they are for: one fault each, planted into what is built. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { deployTool } from '../../../tools/sandbox/services/deploy-tools';
import { secretSettings } from '../../../src/secret-files';
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
  'a field that the API does not know': [
    ({ container }) => Object.assign(container, { livenesProbe: container.livenessProbe }),
    /additional properties.*livenesProbe/,
  ],
  'a field in the wrong place': [
    ({ pod }) => Object.assign(pod, { readOnlyRootFilesystem: true }),
    /additional properties.*readOnlyRootFilesystem/,
  ],
  'a text where a number belongs': [
    ({ pod }) => Object.assign(pod, { terminationGracePeriodSeconds: '60' }),
    /terminationGracePeriodSeconds must be integer/,
  ],
  'a field that is missing': [
    ({ container }) => Reflect.deleteProperty(container, 'name'),
    /required property 'name'/,
  ],
  'a field that the one who made the kind does not know': [
    ({ object }) => Object.assign(object('ScaledObject malipo-worker').spec ?? {}, { minReplicas: 2 }),
    /additional properties.*minReplicas/,
  ],
  'a kind that nobody knows': [
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
  'every pod runs as a plain user, and gets no token of the cluster': ({ pod }) =>
    Object.assign(pod, { automountServiceAccountToken: true }),
  'no pod is told settings by the names of services': ({ pod }) =>
    Reflect.deleteProperty(pod, 'enableServiceLinks'),
  'pods mount secrets and empty folders, and nothing of the machine': ({ pod }) =>
    pod.volumes.push({ name: 'machine', hostPath: { path: '/' } } as never),
  'every container says what it needs, and has a limit of memory': ({ container }) =>
    Reflect.deleteProperty(container.resources ?? {}, 'limits'),
  'every image is held to a digest': ({ container }) => {
    container.image = 'registry.example.com/malipo:latest';
  },
  'what keeps running is asked whether it lives and works': ({ container }) => {
    container.livenessProbe = { httpGet: { path: '/readyz', port: 'ops' } };
  },
  'what ends has time to finish what it does': ({ pod }) => {
    pod.terminationGracePeriodSeconds = 30;
  },
  'there are two at least, and one place says how many': ({ object }) => {
    Object.assign(spec(object('Deployment malipo-api')), { replicas: 2 });
  },
  'they stand on different machines, and are not taken away all at once': ({ all, object }) => {
    drop(all, object('PodDisruptionBudget malipo-api'));
  },
  'every setting is one that the code reads': ({ all }) =>
    Object.assign(settings(all), { MALIPO_RAIL: 'stk' }),
  'no secret stands in the manifests': ({ all }) => Object.assign(settings(all), { STK_PASSKEY: 'secret' }),
  'every file that a setting names lies in a folder that is mounted': ({ all }) =>
    Object.assign(settings(all), { STK_PASSKEY_FILE: '/run/secrets/elsewhere/STK_PASSKEY' }),
  'the account that alters tables is the migration’s alone': ({ pod }) =>
    pod.volumes.push({ name: 'migrate', secret: { secretName: 'malipo-migrate' } }),
  'what no policy opens is closed, in both directions': ({ object }) => {
    Object.assign(spec(object('NetworkPolicy malipo-closed')), { policyTypes: ['Ingress'] });
  },
  'every pod may reach the database, and those that need Temporal reach it': ({ object }) => {
    Object.assign(spec(object('NetworkPolicy malipo-to-database')), { podSelector: {}, egress: [] });
  },
  'no policy opens the way to private addresses, or to where a cloud tells its secrets': ({ object }) => {
    Object.assign(spec(object('NetworkPolicy malipo-to-internet')), {
      egress: [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } }], ports: [{ port: 443 }] }],
    });
  },
  'where an ingress asks for a certificate, the pod that proves the host is reached': ({ all, object }) => {
    drop(all, object('NetworkPolicy malipo-acme-from-ingress'));
  },
  'where a service of its own is led to, the pods behind it are reached': ({ all, object }) => {
    drop(all, object('NetworkPolicy malipo-portal-from-ingress'));
  },
  'operations ports are for Prometheus alone': ({ object }) => {
    Object.assign(spec(object('NetworkPolicy malipo-api-from-ingress')), {
      ingress: [{ from: [{ namespaceSelector: {} }], ports: [{ port: 'http' }, { port: 'ops' }] }],
    });
  },
  'every object belongs to a step of an upgrade (docs/kubernetes.md)': ({ object }) =>
    Object.assign(object('Service malipo-api').metadata, { labels: {} }),
  'everything is in the namespace, which refuses pods with more rights': ({ object }) => {
    object('Service malipo-api').metadata.namespace = 'default';
  },
};

describeWithTools('the checks of deploy/kubernetes', () => {
  let built: Manifest[];
  let known: Known;
  beforeAll(async () => {
    built = await build(join(kubernetesFolder, 'overlays', 'production'));
    known = { settings: new Set((await knownVariables()).keys()), secrets: secretSettings };
  });

  describe.each(versions)('the schemas of Kubernetes %s see', (version) => {
    it.each(Object.entries(schemaFaults))('%s', (_sentence, [plant, expected]) => {
      expect(planted(plant).flatMap(validatorFor(version)).join('\n')).toMatch(expected);
    });
  });

  it('has a planted fault for each rule', () => {
    expect(Object.keys(ruleFaults).sort()).toEqual(Object.keys(rules).sort());
  });

  it.each(Object.entries(rules))('sees a break of: %s', (sentence, rule) => {
    expect(rule(built, known)).toEqual([]);
    const plant = ruleFaults[sentence];
    expect(plant && rule(planted(plant), known)).not.toEqual([]);
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
