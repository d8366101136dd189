import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { composeRequired, mysqlPasswords } from '../../../tools/sandbox/services/docker-mysql';
import { searchAttributeNames } from '../../../src/domain/search-attributes';
import { secretSettings } from '../../../src/secret-files';
import { knownVariables } from '../../support/known-variables';

interface ComposeService {
  profiles?: string[];
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: (string | { type: string; source: string; target: string; bind?: object; read_only?: boolean })[];
  expose?: string[];
  restart?: string;
  healthcheck?: { test: string[] };
  cap_drop?: string[];
  security_opt?: string[];
  pids_limit?: number;
  mem_limit?: string;
  read_only?: boolean;
  privileged?: boolean;
  configs?: unknown;
  secrets?: unknown;
  depends_on?: Record<string, { condition: string }>;
}

const root = join(__dirname, '..', '..', '..');
const file = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
/** A variable without a value is passed on as it is. */
const { services, volumes } = parse(file.replaceAll(/^( {4}[A-Z_]+:)$/gm, "$1 ''"), { merge: true }) as {
  services: Record<string, ComposeService>;
  volumes: Record<string, null>;
};
/** Of the sandbox, and of the command that migrates. */
const neverSet = [
  'MALIPO_SANDBOX_TIME_SCALE',
  'MALIPO_SIMULATOR_SMTP_PORT',
  'WALLETPAY_CA_URL',
  'MALIPO_MIGRATE_DATABASE_URL',
];

const jobs = ['certificates', 'migrate', 'temporal-schema', 'temporal-namespace'];
const ours = ['api', 'worker', 'worker-next', 'portal', 'migrate'];

function serviceNamed(name: string): ComposeService {
  const service = services[name];
  if (!service) throw new Error(`no service ${name}`);
  return service;
}

/** What a container is told, by the setting's own name where it is told the name of a file. */
function settingsOf(name: string): string[] {
  const told = Object.keys(serviceNamed(name).environment ?? {});
  return told.map((variable) => secretSettings.find((secret) => variable === `${secret}_FILE`) ?? variable);
}

describe('docker-compose.yml', () => {
  describe.each(['api', 'worker', 'portal'])('%s', (name) => {
    const settings = settingsOf(name);

    it('sets only variables that the code reads', async () => {
      const known = await knownVariables();
      expect(settings.filter((variable) => !known.has(variable))).toEqual([]);
    });

    it('sets every variable that the code requires', async () => {
      const required = [...(await knownVariables())].filter(
        ([, { flags }]) => flags?.presence === 'required',
      );
      expect(
        required.map(([variable]) => variable).filter((variable) => !settings.includes(variable)),
      ).toEqual([]);
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

    const portal = serviceNamed('portal');
    const own = portal.environment ?? {};
    expect(portal.ports).toEqual([
      expect.stringMatching(new RegExp(`:${String(own['MALIPO_PORTAL_PORT'])}$`)),
    ]);
    const health = String(own['MALIPO_PORTAL_HEALTH']).split(':')[1];
    expect([portal.expose, portal.healthcheck?.test.join(' ')]).toEqual([
      [health],
      expect.stringContaining(`:${String(health)}/readyz`),
    ]);
  });

  it('tells the portal of every provider that the API is told of: it moves money by the same functions', () => {
    const ofProviders = (name: string) =>
      settingsOf(name).filter((one) => /^(?:STK|MOMO|XB|WALLETPAY|CARDPROC|TEMPORAL)_/.test(one));
    expect(ofProviders('portal')).toEqual(ofProviders('api'));
  });

  it('sets or passes on every variable that the code reads', async () => {
    const set = ours.flatMap(settingsOf);
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

  it.each([...ours, 'certificates', 'mysql', 'temporal', 'prometheus'])(
    'runs %s on a root that cannot be written to',
    (name) => {
      expect(serviceNamed(name).read_only).toBe(true);
    },
  );

  it('lets every image be pinned by digest', () => {
    const images = Object.entries(services).filter(([name]) => !ours.includes(name));
    expect(images.filter(([, { image }]) => !/^\$\{\w+_IMAGE:-[^}]+\}$/.test(image))).toEqual([]);
  });

  it('gives the account that alters tables to the migration alone', () => {
    const holders = Object.entries(services).filter(([, { volumes: mounted = [] }]) =>
      mounted.some((volume) => typeof volume === 'object' && volume.target === '/run/secrets/migrate'),
    );
    expect(holders.map(([name]) => name)).toEqual(['migrate']);
  });

  it('keeps every secret in files, and out of all environments', () => {
    const told = Object.values(services).flatMap(({ environment = {} }) => Object.keys(environment));
    const secret = /PASSWORD|PWD|SECRET|PASSKEY|TOKEN|KEY|DATABASE_URL|SMTP_URL|CREDENTIAL/;
    // Names of files, of keys that are no secret, and of settings of Temporal's that lead to files.
    const open = /_FILE$|_PATH$|_KEY_ID$|^MALIPO_KEYLESS_|^TEMPORAL_TLS_(?:SERVER_|FRONTEND_)?KEY$/;
    expect(told.filter((name) => secret.test(name) && !open.test(name))).toEqual([]);
    for (const name of ['api', 'worker']) {
      const files = Object.keys(serviceNamed(name).environment ?? {});
      const missing = secretSettings.filter((setting) => !files.includes(`${setting}_FILE`));
      expect(missing).toEqual(['MALIPO_MIGRATE_DATABASE_URL']);
    }
  });

  it('gives containers that cannot be written to nothing that Docker would have to write into them', () => {
    // Compose copies texts and values of variables into the container, which its root refuses; files are mounted.
    const copied = Object.values(services).filter(({ configs, secrets }) => configs ?? secrets);
    expect(copied).toEqual([]);
  });

  it('mounts files of ours that exist, and folders of secrets that are not made when they are missing', () => {
    const mounted = Object.values(services).flatMap((service) => service.volumes ?? []);
    const ofOurs = mounted.filter((volume) => typeof volume === 'string').map((volume) => volume.split(':'));
    const files = ofOurs.filter(([source = '']) => source.startsWith('./'));
    expect(files.length).toBeGreaterThan(4);
    expect(files.filter(([source = '', , mode]) => !existsSync(join(root, source)) || mode !== 'ro')).toEqual(
      [],
    );
    const named = ofOurs.map(([source = '']) => source).filter((source) => !source.startsWith('./'));
    expect(new Set(named)).toEqual(new Set(Object.keys(volumes)));
    const binds = mounted.filter((volume) => typeof volume === 'object');
    expect(binds.length).toBeGreaterThan(4);
    for (const bind of binds) {
      expect(bind).toMatchObject({ type: 'bind', read_only: true, bind: { create_host_path: false } });
    }
  });

  it('commits durably, keeps tables in memory, and speaks to nobody in the open', () => {
    const options = serviceNamed('mysql').command ?? [];
    expect(options).toContain('--innodb-flush-log-at-trx-commit=1');
    expect(options).toContain('--sync-binlog=1');
    expect(options).toContainEqual(expect.stringMatching(/^--require-secure-transport=\$\{\w+:-ON\}$/));
    expect(options).toContainEqual(expect.stringMatching(/^--innodb-buffer-pool-size=/));
    const { environment: temporal = {} } = serviceNamed('temporal');
    expect(temporal).toMatchObject({ SQL_TLS_ENABLED: 'true', SQL_HOST_VERIFICATION: 'true' });
    expect(temporal).toMatchObject({ TEMPORAL_TLS_REQUIRE_CLIENT_AUTH: 'true' });
  });

  it('names the certificates as they are made', () => {
    const made = readFileSync(join(root, 'deploy', 'compose', 'certificates.sh'), 'utf8').matchAll(
      /^issue (\w+) (\w+) /gm,
    );
    const files = new Map([...made].map(([, folder = '', name = '']) => [folder, name]));
    for (const [name, service] of Object.entries(services)) {
      const text = JSON.stringify(service)
        .replaceAll('${', '')
        .matchAll(/\/run\/certificates\/([\w.]+)/g);
      const named = [...text].map(([, found = '']) => found);
      const folder = /certificates-(\w+):\/run\/certificates/.exec(JSON.stringify(service))?.[1] ?? '';
      const known = ['ca.pem', `${String(files.get(folder))}.pem`, `${String(files.get(folder))}.key`];
      expect({ name, lost: named.filter((found) => !known.includes(found)) }).toEqual({ name, lost: [] });
    }
  });

  it('checks the health of all that keeps running, and restarts it', () => {
    const lasting = Object.entries(services).filter(([name]) => !jobs.includes(name));
    expect(lasting.filter(([, { restart }]) => restart !== 'unless-stopped')).toEqual([]);
    const waitedFor = Object.values(services).flatMap(({ depends_on: others = {} }) =>
      Object.entries(others)
        .filter(([, { condition }]) => condition === 'service_healthy')
        .map(([name]) => name),
    );
    expect(waitedFor.filter((name) => jobs.includes(name))).toEqual([]);
    expect(lasting.filter(([, { healthcheck }]) => !healthcheck)).toEqual([]);
  });

  it('has a second worker for another build, which differs from the first by its image and its name alone', () => {
    const { profiles, image, environment, ...next } = serviceNamed('worker-next');
    const { image: firstImage, environment: first, ...worker } = serviceNamed('worker');
    expect(profiles).toEqual(['next']);
    expect(image).toContain('MALIPO_NEXT_VERSION');
    expect(firstImage).toContain('MALIPO_VERSION');
    expect(next).toEqual(worker);
    expect(environment).toEqual({ ...first, MALIPO_BUILD_ID: '' });
  });

  it('waits for its one-time jobs', () => {
    const waits = Object.values(services).flatMap((service) => Object.keys(service.depends_on ?? {}));
    expect(waits.filter((name) => !(name in services))).toEqual([]);
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
    expect([...composeRequired].sort()).toEqual([...required].sort());
    const accounts = readFileSync(join(root, 'deploy', 'compose', 'accounts.sh'), 'utf8');
    const read = [...accounts.matchAll(/\$\(password (\w+)\)/g)].map(
      (match) => `${String(match[1])}_password`,
    );
    expect([...mysqlPasswords].sort()).toEqual(read.sort());
  });
});
