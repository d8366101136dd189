/**
 * The chart in deploy/helm renders the objects of deploy/kubernetes. The comparison needs Helm, which only
 * `npm run test:chart` builds; the values and the secrets are checked without it.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import Ajv from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { railDefinitions } from '../../../src/rails';
import { secretSettings, secretUses } from '../../../src/secret-files';
import { deployTool } from '../../../tools/sandbox/services/deploy-tools';
import { knownVariables } from '../../support/known-variables';
import { build, kubernetesFolder, overlayOf, type Manifest } from './manifests';
import { type Known } from './rule';
import { rules } from './rules';
import { validatorFor, versions } from './schemas';

const chart = join(kubernetesFolder, '..', 'helm', 'malipo');
const text = (...path: string[]) => readFileSync(join(chart, ...path), 'utf8');

interface Values {
  rails: string[];
  settings: Record<string, string>;
  [name: string]: unknown;
}

const values = () => parse(text('values.yaml')) as Values;
const secrets = parse(text('files', 'secrets.yaml')) as {
  uses: Record<string, string[]>;
  always: string[];
  rails: Record<string, string[]>;
};

/** `--set` of each, and the part of Helm's message that names it. */
const badValues: [string, string, RegExp][] = [
  ['a tag instead of a digest', 'image.digest=latest', /\/image\/digest/],
  ['an unknown rail', 'rails={stk\\,cash}', /\/rails\/0/],
  ['an unknown environment', 'environment=prod', /\/environment/],
  ['a host without https', 'hosts.api=http://pay.example.com', /\/hosts\/api/],
  ['a host with a path', 'hosts.portal=https://portal.example.com/app', /\/hosts\/portal/],
  ['the addresses of all pods as proxies', 'trustedProxies={10.244.0.0/16}', /\/trustedProxies\/0/],
  ['a secret among the settings', 'settings.STK_PASSKEY=secret', /STK_PASSKEY/],
  ['a number instead of a text', 'settings.STK_SHORTCODE=174379', /\/settings\/STK_SHORTCODE/],
  ['one worker', 'worker.replicas=1', /\/worker\/replicas/],
  ['one pod of the API', 'api.autoscaling.min=1', /\/api\/autoscaling\/min/],
  ['a misspelled value', 'api.autoscling.min=3', /autoscling/],
  ['a secret that the code does not know', 'furtherSecrets={STK_PASSWORD}', /\/furtherSecrets\/0/],
  ['an address that is no block', 'database.addresses={10.20.0.1}', /\/database\/addresses\/0/],
  ['no TLS in live', 'tls.enabled=false', /\/tls\/enabled/],
  ['a build without versions', 'versions.build=0f3ab12', /\/versions\/deployment/],
  ['no memory limit', 'portal.resources.limits.memory=null', /memory/],
];

describe('the values of the chart', () => {
  const schema = JSON.parse(text('values.schema.json')) as { $defs: { secret: { enum: string[] } } };
  const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
  const faultsOf = (given: unknown) =>
    validate(given)
      ? ''
      : JSON.stringify(validate.errors?.map(({ instancePath, params }) => [instancePath, params]));

  it('are valid by default', () => {
    expect(faultsOf(values())).toBe('');
  });

  it.each(badValues)('are refused: %s', (_sentence, assignment, expected) => {
    const given = values();
    set(given, assignment);
    expect(faultsOf(given)).toMatch(expected);
  });

  it('name only settings that the code reads', async () => {
    const known = await knownVariables();
    expect(Object.keys(values().settings).filter((name) => !known.has(name))).toEqual([]);
  });

  it('know every rail and secret, and who uses it', () => {
    expect(schema.$defs.secret.enum).toEqual(secretSettings);
    expect(secrets.uses).toEqual(secretUses);
    expect(Object.keys(secrets.rails)).toEqual(railDefinitions.map(({ name }) => name));
    for (const [rail, names] of Object.entries(secrets.rails)) {
      const component = readFileSync(
        join(kubernetesFolder, 'components', rail, 'kustomization.yaml'),
        'utf8',
      );
      expect([rail, names]).toEqual([
        rail,
        [...component.matchAll(/- (\w+)_FILE=/g)].map(([, name]) => name),
      ]);
    }
  });

  it('are read by a template, each of them', () => {
    const templates = readdirSync(join(chart, 'templates')).map((name) => text('templates', name));
    const unread = pathsOf(values())
      .filter((path) => !path.startsWith('settings.') && !path.includes('.resources.'))
      // The last names: templates read some groups under a short name.
      .filter(
        (path) => !templates.some((template) => template.includes(`.${path.split('.').slice(-2).join('.')}`)),
      )
      .filter((path) => !/^(?:hosts|secrets)\./.test(path));
    expect(unread).toEqual([]);
  });
});

/** As `--set` does: a list in braces, `null` removes. */
function set(given: Values, assignment: string): void {
  const [path = '', value = ''] = assignment.split(/=(.*)/);
  const names = path.split('.');
  const last = names.pop() ?? '';
  const inner = names.reduce<Record<string, unknown>>((at, name) => {
    at[name] ??= {};
    return at[name] as Record<string, unknown>;
  }, given);
  const list = /^\{(.*)\}$/.exec(value)?.[1];
  if (value === 'null') Reflect.deleteProperty(inner, last);
  else inner[last] = list === undefined ? plain(value) : [list.replaceAll('\\,', ',')];
}

function plain(value: string): unknown {
  if (value === 'true' || value === 'false') return value === 'true';
  return /^\d+$/.test(value) ? Number(value) : value;
}

function pathsOf(given: unknown, path: string[] = []): string[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return [path.join('.')];
  return Object.entries(given).flatMap(([name, inner]) => pathsOf(inner, [...path, name]));
}

/** What differs between two sets of objects, by kind and name. */
function differencesOf(expected: Manifest[], found: Manifest[]): string[] {
  const byName = (objects: Manifest[]) =>
    new Map(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]));
  const [wanted, has] = [byName(expected), byName(found)];
  const isOnce = wanted.size === expected.length && has.size === found.length;
  return [
    ...(isOnce ? [] : ['an object is there twice']),
    ...[...new Set([...wanted.keys(), ...has.keys()])].flatMap((name) =>
      fieldsThatDiffer(wanted.get(name), has.get(name), name),
    ),
  ];
}

function fieldsThatDiffer(one: unknown, other: unknown, path: string): string[] {
  if (isDeepStrictEqual(one, other)) return [];
  const areObjects = [one, other].every((value) => typeof value === 'object' && value !== null);
  if (!areObjects) return [`${path}: ${JSON.stringify(one)}, ${JSON.stringify(other)}`];
  const [left, right] = [one, other] as Record<string, unknown>[];
  const names = new Set([...Object.keys(left ?? {}), ...Object.keys(right ?? {})]);
  return [...names].flatMap((name) => fieldsThatDiffer(left?.[name], right?.[name], `${path}.${name}`));
}

/** What kube-score finds and we keep, with the reason. */
const kept: Record<string, string> = {
  'ImagePullPolicy is not set to Always': 'the image is named by its digest, which no other image has',
  'CPU limit is not set': 'a throttled process renews its leases late, and others take over its work',
  'The container is running with a low user ID':
    'the user of the image; its pod has no right and no host path',
  'The container running with a low group ID': 'the same',
  'Deployment does not have a host podAntiAffinity set':
    'its spread constraints say the same, and more exactly',
};

const describeWithHelm = (['helm', 'kustomize', 'kube-score'] as const).every((tool) =>
  existsSync(deployTool(tool)),
)
  ? describe
  : describe.skip;

describeWithHelm('the chart', () => {
  let production: Manifest[];
  let rendered: Manifest[];
  let known: Known;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'malipo-chart-'));
    production = await build(join(kubernetesFolder, 'overlays', 'production'));
    rendered = await render();
    const settings = new Set((await knownVariables()).keys());
    known = { settings, secrets: secretSettings, uses: secretUses };
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  async function render(...assignments: string[]): Promise<Manifest[]> {
    const given = assignments.flatMap((assignment) => ['--set', assignment]);
    const { stdout } = await promisify(execFile)(
      deployTool('helm'),
      ['template', 'malipo', chart, '--namespace', 'malipo', ...given],
      { timeout: 60_000, maxBuffer: 8_000_000 },
    );
    const objects = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest | null);
    return objects.filter((object) => object !== null);
  }

  it('has by default the objects of the production overlay, field by field', () => {
    expect(production.length).toBeGreaterThan(25);
    expect(differencesOf(production, rendered)).toEqual([]);
  });

  it.each<[string, (objects: Manifest[]) => unknown, RegExp]>([
    ['a missing object', (objects) => objects.pop(), /undefined$/],
    [
      'one object more',
      (objects) => objects.push({ kind: 'Secret', metadata: { name: 'x' } } as never),
      /Secret x/,
    ],
    ['the same object twice', (objects) => objects.push(structuredClone(objects[0]) as never), /twice/],
    [
      'one field',
      (objects) => Object.assign(objects.find(({ kind }) => kind === 'Job')?.spec ?? {}, { backoffLimit: 6 }),
      /^Job malipo-migrate\.spec\.backoffLimit: 5, 6$/,
    ],
    [
      'one field more, deep inside',
      (objects) => {
        const found = objects.find(({ kind }) => kind === 'HorizontalPodAutoscaler')?.spec;
        Object.assign((found?.['metrics'] as { resource: object }[])[0]?.resource ?? {}, { more: true });
      },
      /metrics\.0\.resource\.more: undefined, true$/,
    ],
  ])('would show %s', (_sentence, plant, expected) => {
    const spoiled = structuredClone(rendered);
    plant(spoiled);
    const differences = differencesOf(production, spoiled);
    expect(differences).toHaveLength(1);
    expect(differences[0]).toMatch(expected);
  });

  it('has the workers of one build as the overlay for them', async () => {
    const own = await build(join(kubernetesFolder, 'overlays', 'production-build'));
    const chosen = await render('versions.build=build', 'versions.deployment=malipo-live');
    expect(differencesOf(own, chosen)).toEqual([]);
  });

  it('has all rails, mail and traces as the components', async () => {
    const components = ['xb', 'walletpay', 'cardproc', 'mail', 'tracing'];
    const own = await build(overlayOf(join(folder, 'everything'), 'production', components));
    const rails = '{stk,momo,xb,walletpay,cardproc}';
    const chosen = await render(
      ...[`rails=${rails}`, 'mail.enabled=true', 'tracing.enabled=true'],
      // Its overlay has the components only.
      'settings.MALIPO_RAILS=stk\\,momo',
    );
    expect(differencesOf(own, chosen)).toEqual([]);
  });

  describe.each([
    [
      'a sandbox without any component',
      [
        'environment=sandbox',
        'tls.enabled=false',
        'worker.keda.enabled=false',
        'gateway.enabled=false',
        'monitoring.enabled=false',
      ],
    ],
    [
      'servers outside the cluster',
      [
        'database.addresses={10.20.0.0/24}',
        'temporal.addresses={10.30.0.1/32}',
        'network.dnsAddresses={169.254.20.10/32}',
      ],
    ],
    ['a further secret', ['furtherSecrets={STK_SECURITY_CREDENTIAL}']],
  ])('%s', (_sentence, assignments) => {
    let objects: Manifest[];
    beforeAll(async () => {
      objects = await render(...assignments);
    });

    it.each(versions)('is valid for the API of Kubernetes %s', (version) => {
      expect(objects.flatMap(validatorFor(version))).toEqual([]);
    });

    it.each(Object.entries(rules))('%s', (_rule, rule) => {
      expect(rule(objects, known)).toEqual([]);
    });
  });

  it('opens the given addresses in place of a namespace', async () => {
    const objects = await render('database.addresses={10.20.0.0/24}', 'database.port=3307');
    const policy = objects.find(({ metadata }) => metadata.name === 'malipo-to-database');
    expect(policy?.spec?.['egress']).toEqual([
      { to: [{ ipBlock: { cidr: '10.20.0.0/24' } }], ports: [{ protocol: 'TCP', port: 3307 }] },
    ]);
  });

  it('has no fault that kube-score knows, except those that we keep for a reason', async () => {
    const file = join(folder, 'rendered.yaml');
    writeFileSync(file, rendered.map((object) => JSON.stringify(object)).join('\n---\n'));
    const found = await promisify(execFile)(deployTool('kube-score'), [
      'score',
      '--output-format',
      'ci',
      file,
    ]).catch((error: unknown) => error as { stdout: string });
    const lines = found.stdout.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(100);
    const faults = lines
      .filter((line) => /^\[(?:CRITICAL|WARNING)\]/.test(line))
      .map((line) => line.replace(/^.*?: (?:\(\w+\) )?/, ''));
    expect([...new Set(faults)].sort()).toEqual(Object.keys(kept).sort());
  });

  it('has nothing to lint', async () => {
    const { stdout } = await promisify(execFile)(deployTool('helm'), ['lint', '--strict', chart]);
    expect(stdout).not.toMatch(/\[(?:WARNING|ERROR)\]/);
    expect(stdout).toContain('0 chart(s) failed');
  });

  it.each(badValues)('refuses %s, and names it', async (_sentence, assignment, expected) => {
    await expect(render(assignment)).rejects.toMatchObject({
      stderr: expect.stringMatching(expected) as string,
    });
  });
});
