/**
 * deploy/kubernetes, as Kustomize builds it: valid for the API, and following our rules for everything that is
 * deployed.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { readConfig } from '../../../src/config';
import { searchAttributeNames } from '../../../src/domain/search-attributes';
import { deployTool } from '../../../tools/sandbox/services/deploy-tools';
import { readPortalSettings } from '../../../src/portal/settings';
import { readSecretFiles, secretSettings, secretUses, type ProcessName } from '../../../src/secret-files';
import { railsOfEnv } from '../../support/expect-clean';
import { knownVariables } from '../../support/known-variables';
import {
  build,
  containersOf,
  kubernetesFolder,
  overlayOf,
  processOf,
  secretsOf,
  settingsOf,
  workloadsOf,
  type Manifest,
  type Workload,
} from './manifests';
import { type Known } from './rule';
import { rules } from './rules';
import { validatorFor, versions } from './schemas';

const describeWithTools = existsSync(deployTool('kustomize')) ? describe : describe.skip;
const overlays = ['production', 'sandbox'] as const;
/** Those that no overlay has: all other rails, mail and tracing. */
const furtherComponents = ['xb', 'walletpay', 'cardproc', 'mail', 'tracing'];
const names = [...overlays, 'everything'] as const;

describeWithTools('deploy/kubernetes', () => {
  const built = {} as Record<(typeof names)[number], Manifest[]>;
  let known: Known;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'malipo-kubernetes-'));
    for (const name of overlays) built[name] = await build(join(kubernetesFolder, 'overlays', name));
    built.everything = await build(overlayOf(join(folder, 'everything'), 'production', furtherComponents));
    known = { settings: new Set((await knownVariables()).keys()), secrets: secretSettings, uses: secretUses };
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  describe.each(names)('%s', (name) => {
    it.each(versions)('is valid for the API of Kubernetes %s, without unknown fields', (version) => {
      const faultsOf = validatorFor(version);
      expect(built[name].length).toBeGreaterThan(15);
      expect(built[name].flatMap(faultsOf)).toEqual([]);
    });

    it.each(Object.entries(rules))('%s', (_sentence, rule) => {
      expect(rule(built[name], known)).toEqual([]);
    });
  });

  describe('the workers of one build', () => {
    const suffix = '-0f3ab12';
    let shipped: Manifest[];
    let another: Manifest[];
    beforeAll(async () => {
      const own = join(kubernetesFolder, 'overlays', 'production-build');
      shipped = await build(own);
      // As in the guide: the folder copied beside this one, with another build's name.
      const copy = join(folder, 'another');
      mkdirSync(copy);
      const copied = readFileSync(join(own, 'kustomization.yaml'), 'utf8')
        .replaceAll(/- (\.\.\S+)/g, (_, path: string) => `- ${relative(copy, join(own, path))}`)
        .replace('nameSuffix: -build', `nameSuffix: ${suffix}`)
        .replace('malipo/build: build', `malipo/build: ${suffix.slice(1)}`);
      writeFileSync(join(copy, 'kustomization.yaml'), copied);
      another = await build(copy);
    });
    const workersOf = (objects: Manifest[]) => {
      const [workers, ...others] = objects.filter(({ kind }) => kind === 'Deployment');
      expect(others).toEqual([]);
      return workers as Workload & { spec: { selector: { matchLabels: Record<string, string> } } };
    };

    it('are a deployment, its settings and its scaling, and no object that exists once', () => {
      for (const objects of [shipped, another])
        expect(objects.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Deployment', 'ScaledObject']);
      const workers = workersOf(another);
      expect(workers.metadata.name).toBe(`malipo-worker${suffix}`);
      const scaled = another.find(({ kind }) => kind === 'ScaledObject')?.spec;
      expect(scaled).toMatchObject({ scaleTargetRef: { name: workers.metadata.name } });
      expect(workers.spec.template.spec).toMatchObject({ serviceAccountName: 'malipo' });
    });

    it('are selected by their build, so that no other build’s deployment takes their pods', () => {
      const [one, other] = [workersOf(shipped), workersOf(another)];
      const isChosen = (by: typeof one, of: typeof one) =>
        Object.entries(by.spec.selector.matchLabels).every(
          ([label, value]) => of.spec.template.metadata.labels[label] === value,
        );
      expect([isChosen(one, one), isChosen(other, other)]).toEqual([true, true]);
      expect([isChosen(one, other), isChosen(other, one)]).toEqual([false, false]);
    });

    it('have versions, and otherwise the settings of their overlay', () => {
      const [container] = containersOf(another);
      if (!container) throw new Error('there are no workers');
      const { MALIPO_DEPLOYMENT: deployment, ...settings } = settingsOf(another, container.container);
      expect(deployment).toBe('malipo-live');
      expect(settings).toEqual(settingsOf(built.production, containerOf('malipo-worker')));
    });

    it.each(versions)('are valid for the API of Kubernetes %s', (version) => {
      expect(another.flatMap(validatorFor(version))).toEqual([]);
    });

    it.each(Object.entries(rules))('together with the rest: %s', (_sentence, rule) => {
      expect(rule([...built.production, ...another], known)).toEqual([]);
    });
  });

  it.each(names)('%s gives the API, the portal and the workers settings that they start with', (name) => {
    for (const { workload, container } of containersOf(built[name])) {
      if (workload.kind !== 'Deployment') continue;
      const process = processOf(workload) as ProcessName;
      const env = readSecretFiles(withSecrets(settingsOf(built[name], container)), process);
      const config = readConfig(env);
      expect(config.environment).toBe(name === 'sandbox' ? 'sandbox' : 'live');
      expect(railsOfEnv(env, config.rails, process).all.map((rail) => rail.name)).toEqual(config.rails);
      expect(readPortalSettings(env, config.environment).url).toBe(env['MALIPO_PORTAL_URL']);
    }
  });

  it('names the ports on which the code listens', async () => {
    const variables = await knownVariables();
    const settings = settingsOf(built.production, containerOf('malipo-api'));
    const portOf = (setting: string) => {
      const value = settings[setting] ?? String(variables.get(setting)?.flags?.default);
      return Number(value.split(':').at(-1));
    };
    const portsOf = (deployment: string) =>
      containerOf(deployment).ports?.map((port) => [port.name, port.containerPort]);
    expect(portsOf('malipo-api')).toEqual([
      ['http', portOf('MALIPO_API_PORT')],
      ['ops', portOf('MALIPO_OPS_PORT')],
    ]);
    expect(portsOf('malipo-worker')).toEqual([
      ['temporal', portOf('MALIPO_WORKER_METRICS')],
      ['ops', portOf('MALIPO_WORKER_HEALTH')],
    ]);
    expect(portsOf('malipo-portal')).toEqual([
      ['http', portOf('MALIPO_PORTAL_PORT')],
      ['ops', portOf('MALIPO_PORTAL_HEALTH')],
    ]);
  });

  it('runs files that the build makes', () => {
    const programs = containersOf(built.everything).map(({ container }) =>
      container.command.find((argument) => argument.startsWith('dist/')),
    );
    const root = join(kubernetesFolder, '..', '..');
    expect(programs.filter((program) => program === undefined || !existsSync(join(root, program)))).toEqual(
      [],
    );
  });

  it.each([
    ['malipo', 'malipo-api', 'MALIPO_PUBLIC_URL'],
    ['malipo-portal', 'malipo-portal', 'MALIPO_PORTAL_URL'],
  ])('%s: the gateway routes to %s by the host of %s', (route, service, setting) => {
    const specOf = (kind: string) =>
      built.everything.find((object) => object.kind === kind && object.metadata.name === route)?.spec;
    const settings = settingsOf(built.everything, containerOf(service, built.everything));
    const { host } = new URL(String(settings[setting]));
    expect(specOf('HTTPRoute')).toMatchObject({
      hostnames: [host],
      rules: [{ backendRefs: [{ name: service }] }],
    });
  });

  it('routes two hosts: the portal is a separate origin', () => {
    const hosts = built.production
      .filter(({ kind }) => kind === 'HTTPRoute')
      .flatMap(({ spec }) => (spec as { hostnames: string[] }).hostnames);
    expect([hosts.length, new Set(hosts).size]).toEqual([2, 2]);
  });

  it('scales the workers by the queue that they poll', async () => {
    const { data = {} } = built.production.find(({ kind }) => kind === 'ConfigMap') ?? {};
    const queue =
      data['MALIPO_TASK_QUEUE'] ?? (await knownVariables()).get('MALIPO_TASK_QUEUE')?.flags?.default;
    expect(built.production.find(({ kind }) => kind === 'ScaledObject')?.spec).toMatchObject({
      triggers: [
        {
          metadata: {
            endpoint: data['TEMPORAL_ADDRESS'],
            namespace: data['TEMPORAL_NAMESPACE'],
            taskQueue: queue,
          },
        },
      ],
    });
  });

  it.each([
    ['production', 'live', []],
    ['sandbox', 'sandbox', ['monitoring']],
  ])(
    'gives the targets of %s the environment %s, and keeps what the process reports',
    async (overlay, named, added) => {
      const objects = await build(overlayOf(join(folder, `watched-${overlay}`), overlay, added));
      const endpoints = objects
        .filter(({ kind }) => kind === 'PodMonitor')
        .flatMap(({ spec }) => spec?.['podMetricsEndpoints'] as { port: string; honorLabels?: boolean }[]);
      expect(endpoints).toHaveLength(4);
      const relabelings = [{ targetLabel: 'environment', replacement: named }];
      for (const endpoint of endpoints) {
        expect(endpoint).toMatchObject({ relabelings });
        expect(endpoint.honorLabels).toBe(endpoint.port === 'ops' ? true : undefined);
      }
    },
  );

  it('makes the alerts a rule of the operator’s', async () => {
    const { stdout } = await promisify(execFile)('sh', [join(kubernetesFolder, 'prometheus-rule.sh')]);
    const rule = parse(stdout) as Manifest;
    const alerts = readFileSync(join(kubernetesFolder, '..', 'prometheus', 'alerts.yml'), 'utf8');
    expect(rule.spec).toEqual(parse(alerts));
    for (const version of versions) expect(validatorFor(version)(rule)).toEqual([]);
  });

  it('is documented: each mounted secret, and Temporal’s search attributes', () => {
    const guide = readFileSync(join(kubernetesFolder, '..', '..', 'docs', 'kubernetes.md'), 'utf8');
    const mounted = new Set(
      workloadsOf(built.everything)
        .flatMap(secretsOf)
        .map(({ name }) => name),
    );
    expect(mounted.size).toBe(6);
    expect([...mounted].filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
    const created = guide.replaceAll('\\\n', ' ').matchAll(/^kubectl create secret generic (\S+) .*$/gm);
    const keysOf = new Map(
      [...created].map(([line, name]) => [
        name,
        [...line.matchAll(/--from-file=(\S+)/g)].map(([, key]) => key),
      ]),
    );
    for (const { name, files } of workloadsOf(built.production).flatMap(secretsOf))
      if (files) expect([name, keysOf.get(name)]).toEqual([name, files.map(({ key }) => key)]);
    expect(searchAttributeNames.filter((name) => !guide.includes(name))).toEqual([]);
  });

  function containerOf(deployment: string, objects = built.production) {
    const found = containersOf(objects).find(({ workload }) => workload.metadata.name === deployment);
    if (!found) throw new Error(`no ${deployment}`);
    return found.container;
  }
});

/** As the process sees them: the contents of the files, in a valid form. */
function withSecrets(settings: Record<string, string>): Record<string, string> {
  const forms: Record<string, string> = {
    DATABASE_URL: 'mysql://malipo:secret@mysql.mysql.svc/malipo',
    MALIPO_SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    MALIPO_AUDIT_KEY: `a1:${Buffer.alloc(32).toString('base64')}`,
    MALIPO_SMTP_URL: 'smtps://user:secret@mail.example.com',
  };
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      const secret = secretSettings.find((setting) => name === `${setting}_FILE`);
      return secret === undefined ? [name, value] : [secret, forms[secret] ?? 'a secret of some length'];
    }),
  );
}
