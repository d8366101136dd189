/** deploy/kubernetes, as Kustomize builds it: what the API takes, and what we promise of everything that is deployed. */
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
import { secretSettings } from '../../../src/secret-files';
import { railsOfEnv } from '../../support/expect-clean';
import { knownVariables } from '../../support/known-variables';
import {
  build,
  containersOf,
  kubernetesFolder,
  overlayOf,
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
/** Those that no overlay has: all other rails, mail, and the other way in. */
const furtherComponents = ['xb', 'walletpay', 'cardproc', 'mail', 'tracing', 'gateway'];
const names = [...overlays, 'everything'] as const;

describeWithTools('deploy/kubernetes', () => {
  const built = {} as Record<(typeof names)[number], Manifest[]>;
  let known: Known;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'malipo-kubernetes-'));
    for (const name of overlays) built[name] = await build(join(kubernetesFolder, 'overlays', name));
    built.everything = await build(overlayOf(join(folder, 'everything'), 'production', furtherComponents));
    known = { settings: new Set((await knownVariables()).keys()), secrets: secretSettings };
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  describe.each(names)('%s', (name) => {
    it.each(versions)(
      'is what the API of Kubernetes %s takes, with no field that it does not know',
      (version) => {
        const faultsOf = validatorFor(version);
        expect(built[name].length).toBeGreaterThan(15);
        expect(built[name].flatMap(faultsOf)).toEqual([]);
      },
    );

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
      // As the guide says it: the folder copied beside this one, with the name of another build.
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

    it('are a deployment, its settings and its scaling, and nothing that is there once for all', () => {
      for (const objects of [shipped, another])
        expect(objects.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Deployment', 'ScaledObject']);
      const workers = workersOf(another);
      expect(workers.metadata.name).toBe(`malipo-worker${suffix}`);
      const scaled = another.find(({ kind }) => kind === 'ScaledObject')?.spec;
      expect(scaled).toMatchObject({ scaleTargetRef: { name: workers.metadata.name } });
      expect(workers.spec.template.spec).toMatchObject({ serviceAccountName: 'malipo' });
    });

    it('are chosen by their build, so that no other deployment of builds takes their pods for its own', () => {
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

    it.each(versions)('are what the API of Kubernetes %s takes', (version) => {
      expect(another.flatMap(validatorFor(version))).toEqual([]);
    });

    it.each(Object.entries(rules))('beside all else: %s', (_sentence, rule) => {
      expect(rule([...built.production, ...another], known)).toEqual([]);
    });
  });

  it.each(names)('%s gives the API, the portal and the workers settings that they start with', (name) => {
    for (const { workload, container } of containersOf(built[name])) {
      if (workload.kind !== 'Deployment') continue;
      const env = withSecrets(settingsOf(built[name], container));
      const config = readConfig(env);
      expect(config.environment).toBe(name === 'sandbox' ? 'sandbox' : 'live');
      expect(railsOfEnv(env, config.rails).all.map((rail) => rail.name)).toEqual(config.rails);
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
  ])('%s: the ingress and the gateway lead to %s by the host of %s', (route, service, setting) => {
    const specOf = (kind: string) =>
      built.everything.find((object) => object.kind === kind && object.metadata.name === route)?.spec;
    const settings = settingsOf(built.everything, containerOf(service, built.everything));
    const { host } = new URL(String(settings[setting]));
    const backend = { service: { name: service, port: { name: 'http' } } };
    expect(specOf('Ingress')).toMatchObject({
      rules: [{ host, http: { paths: [{ backend }] } }],
      tls: [{ hosts: [host] }],
    });
    expect(specOf('HTTPRoute')).toMatchObject({
      hostnames: [host],
      rules: [{ backendRefs: [{ name: service }] }],
    });
  });

  it('has no certificate for two hosts: the portal is an origin of its own', () => {
    const secrets = built.production
      .filter(({ kind }) => kind === 'Ingress')
      .map(({ spec }) => (spec as { tls: { secretName: string }[] }).tls[0]?.secretName);
    expect(new Set(secrets).size).toBe(2);
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

  it('makes the alerts a rule of the operator’s', async () => {
    const { stdout } = await promisify(execFile)('sh', [join(kubernetesFolder, 'prometheus-rule.sh')]);
    const rule = parse(stdout) as Manifest;
    const alerts = readFileSync(join(kubernetesFolder, '..', 'prometheus', 'alerts.yml'), 'utf8');
    expect(rule.spec).toEqual(parse(alerts));
    for (const version of versions) expect(validatorFor(version)(rule)).toEqual([]);
  });

  it('is explained: each secret that is mounted, and the search attributes that Temporal has to know', () => {
    const guide = readFileSync(join(kubernetesFolder, '..', '..', 'docs', 'kubernetes.md'), 'utf8');
    const mounted = new Set(workloadsOf(built.everything).flatMap(secretsOf));
    expect(mounted.size).toBe(4);
    expect([...mounted].filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
    expect(searchAttributeNames.filter((name) => !guide.includes(name))).toEqual([]);
  });

  function containerOf(deployment: string, objects = built.production) {
    const found = containersOf(objects).find(({ workload }) => workload.metadata.name === deployment);
    if (!found) throw new Error(`no ${deployment}`);
    return found.container;
  }
});

function secretsOf({ spec }: Workload): string[] {
  return spec.template.spec.volumes.flatMap(({ secret, projected }) => [
    ...(secret ? [secret.secretName] : []),
    ...(projected?.sources ?? []).map((source) => source.secret.name),
  ]);
}

/** As the process sees them: what stands in the files, of the right form. */
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
