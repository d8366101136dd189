import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { composeSecrets } from '../../src/ops/services/docker-mysql';
import { searchAttributeNames } from '../../src/domain/search-attributes';
import { knownVariables } from '../support/known-variables';

interface ComposeService {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  expose?: string[];
  restart?: string;
  healthcheck?: { test: string[] };
  cap_drop?: string[];
  security_opt?: string[];
  pids_limit?: number;
  mem_limit?: string;
  read_only?: boolean;
  privileged?: boolean;
  depends_on?: Record<string, { condition: string }>;
}

const root = join(__dirname, '..', '..');
const file = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
/** A variable without a value is passed on as it is. */
const { services } = parse(file.replaceAll(/^( {4}[A-Z_]+:)$/gm, "$1 ''"), { merge: true }) as {
  services: Record<string, ComposeService>;
};
/** Of the sandbox, and of the command that migrates. */
const neverSet = [
  'MALIPO_SANDBOX_TIME_SCALE',
  'MALIPO_SIMULATOR_SMTP_PORT',
  'WALLETPAY_CA_URL',
  'MALIPO_MIGRATE_DATABASE_URL',
];

const jobs = ['migrate', 'temporal-schema', 'temporal-namespace'];
const ours = ['api', 'worker', 'migrate'];

function serviceNamed(name: string): ComposeService {
  const service = services[name];
  if (!service) throw new Error(`no service ${name}`);
  return service;
}

describe('docker-compose.yml', () => {
  describe.each(['api', 'worker'])('%s', (name) => {
    const environment = serviceNamed(name).environment ?? {};

    it('sets only variables that the code reads', async () => {
      const known = await knownVariables();
      expect(Object.keys(environment).filter((variable) => !known.has(variable))).toEqual([]);
    });

    it('sets every variable that the code requires', async () => {
      const required = [...(await knownVariables())].filter(
        ([, { flags }]) => flags?.presence === 'required',
      );
      expect(required.map(([variable]) => variable).filter((variable) => !(variable in environment))).toEqual(
        [],
      );
    });
  });

  it.each(ours)('%s runs a file that the build makes', (name) => {
    const program = serviceNamed(name).command?.find((argument) => argument.startsWith('dist/'));
    expect(program).toBeDefined();
    expect(existsSync(join(root, String(program)))).toBe(true);
  });

  it('listens where its health checks and ports look', () => {
    const { environment: api = {}, ports = [], expose: exposed, healthcheck } = serviceNamed('api');
    expect(ports).toEqual([expect.stringMatching(new RegExp(`:${String(api['MALIPO_API_PORT'])}$`))]);
    expect(healthcheck?.test.join(' ')).toContain(`:${String(api['MALIPO_OPS_PORT'])}/readyz`);
    expect(exposed).toEqual([api['MALIPO_OPS_PORT']]);

    const { environment: worker = {}, expose = [], healthcheck: check } = serviceNamed('worker');
    const portOf = (variable: string) => String(worker[variable]).split(':')[1];
    expect(expose).toEqual([portOf('MALIPO_WORKER_METRICS'), portOf('MALIPO_WORKER_HEALTH')]);
    expect(check?.test.join(' ')).toContain(`:${String(portOf('MALIPO_WORKER_HEALTH'))}/readyz`);
  });

  it('sets or passes on every variable that the code reads', async () => {
    const set = ours.flatMap((name) => Object.keys(serviceNamed(name).environment ?? {}));
    const known = [...(await knownVariables()).keys()].filter((name) => !neverSet.includes(name));
    expect(known.filter((name) => !set.includes(name))).toEqual([]);
  });

  it('publishes nothing beyond this machine', () => {
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it.each(Object.keys(services))('gives %s no right it does not need, and a share of the machine', (name) => {
    const service = serviceNamed(name);
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.security_opt).toEqual(['no-new-privileges:true']);
    expect(service.pids_limit).toBeGreaterThan(0);
    expect(service.mem_limit).toBeDefined();
    expect(service.privileged).toBeUndefined();
  });

  it.each([...ours, 'mysql'])('runs %s on a root that cannot be written to', (name) => {
    expect(serviceNamed(name).read_only).toBe(true);
  });

  it('lets every image be pinned by digest', () => {
    const images = Object.entries(services).filter(([name]) => !ours.includes(name));
    expect(images.filter(([, { image }]) => !/^\$\{\w+_IMAGE:-[^}]+\}$/.test(image))).toEqual([]);
  });

  it('gives the account that alters tables to the migration alone', () => {
    const holders = Object.entries(services).filter(([, { environment = {} }]) =>
      Object.values(environment).some((value) => value.includes('malipo_migrate')),
    );
    expect(holders.map(([name]) => name)).toEqual(['migrate']);
  });

  it('has no default for any secret', () => {
    const values = Object.values(services).flatMap(({ environment = {} }) => Object.entries(environment));
    const secrets = values.filter(([name]) =>
      /PASSWORD|PWD|SECRET|PASSKEY|CONSUMER_KEY|DATABASE_URL|SMTP_URL/.test(name),
    );
    expect(secrets.length).toBeGreaterThan(0);
    // Required, or empty where its rail is not served; never a value.
    expect(secrets.filter(([, value]) => !/\$\{\w+:(?:\?[^}]*|-)\}/.test(value))).toEqual([]);
  });

  it('checks the health of all that keeps running, and restarts it', () => {
    const lasting = Object.entries(services).filter(([name]) => !jobs.includes(name));
    expect(lasting.filter(([, { restart }]) => restart !== 'unless-stopped')).toEqual([]);
    const waitedFor = Object.values(services).flatMap(({ depends_on: others = {} }) =>
      Object.entries(others)
        .filter(([, { condition }]) => condition === 'service_healthy')
        .map(([name]) => name),
    );
    const unchecked = ['api', 'worker', ...waitedFor].filter((name) => !serviceNamed(name).healthcheck);
    expect(unchecked).toEqual([]);
  });

  it('waits for its one-time jobs', () => {
    const dependencies = serviceNamed('worker').depends_on ?? {};
    expect(dependencies['migrate']?.condition).toBe('service_completed_successfully');
    expect(dependencies['temporal-namespace']?.condition).toBe('service_completed_successfully');
  });

  it('makes every search attribute that workflows set', () => {
    const commands = serviceNamed('temporal-namespace').command?.join(' ') ?? '';
    expect(searchAttributeNames.filter((name) => !commands.includes(name))).toEqual([]);
  });

  it('is explained by .env.example, variable by variable', () => {
    const passedOn = [...file.matchAll(/^ {4}([A-Z_]+):$/gm)].map((match) => String(match[1]));
    const used = [
      ...new Set([...[...file.matchAll(/(?<!\$)\$\{(\w+)/g)].map((match) => String(match[1])), ...passedOn]),
    ].sort();
    const explained = [...readFileSync(join(root, '.env.example'), 'utf8').matchAll(/^(?:# )?(\w+)=/gm)].map(
      (match) => String(match[1]),
    );
    expect(explained.sort()).toEqual(used);
  });

  it('has all its required variables when npm start runs its database alone', () => {
    const required = new Set([...file.matchAll(/\$\{(\w+):\?/g)].map((match) => String(match[1])));
    expect([...composeSecrets].sort()).toEqual([...required].sort());
  });
});

describe('Dockerfile', () => {
  it('copies the folders that the build reads, and .dockerignore lets them through', () => {
    const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap((match) =>
      String(match[1]).split(' '),
    );
    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(copied.filter((path) => !ignored.includes(`!${path}`))).toEqual([]);
  });
});
