import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { checks, requestSettings } from '../../../tools/cluster/balancer';
import { ownAnswerSettings, requestIdSettings } from '../../../tools/cluster/own-answers';
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
  networks?: Record<string, { ipv4_address: string }>;
  deploy?: { replicas: string };
  logging?: { driver: string; options: Record<string, string> };
}

const root = join(__dirname, '..', '..', '..');
const file = readFileSync(join(root, 'deploy', 'compose', 'production.yml'), 'utf8');
/** A variable without a value is passed on unchanged. */
const { services, volumes, networks } = parse(file.replaceAll(/^( {4}[A-Z_]+:)$/gm, "$1 ''"), {
  merge: true,
}) as {
  services: Record<string, ComposeService>;
  volumes: Record<string, null>;
  networks: { default: { ipam: { config: Record<string, string>[] } } };
};
const proxySettings = readFileSync(join(root, 'deploy', 'compose', 'proxy', 'haproxy.cfg'), 'utf8');
/** Of the sandbox, and of the migration command. */
const neverSet = [
  'MALIPO_SANDBOX_TIME_SCALE',
  'MALIPO_SIMULATOR_SMTP_PORT',
  'WALLETPAY_CA_URL',
  'MALIPO_MIGRATE_DATABASE_URL',
];

const jobs = ['certificates', 'migrate', 'temporal-schema', 'temporal-namespace', 'mysqlbinlog'];
const ours = ['api', 'worker', 'worker-next', 'portal', 'migrate'];

function serviceNamed(name: string): ComposeService {
  const service = services[name];
  if (!service) throw new Error(`no service ${name}`);
  return service;
}

/** A container's settings, by their own names for those from files. */
function settingsOf(name: string): string[] {
  const reported = Object.keys(serviceNamed(name).environment ?? {});
  return reported.map(
    (variable) => secretSettings.find((secret) => variable === `${secret}_FILE`) ?? variable,
  );
}

describe('deploy/compose/production.yml', () => {
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

  it('listens where its health checks and the proxy connect', () => {
    const { environment: api = {}, healthcheck, expose: ofApi } = serviceNamed('api');
    expect(healthcheck?.test.join(' ')).toContain(`:${String(api['MALIPO_OPS_PORT'])}/readyz`);
    expect(ofApi).toEqual([api['MALIPO_API_PORT'], api['MALIPO_OPS_PORT']]);
    expect(proxySettings).toContain(
      `16 api:${String(api['MALIPO_API_PORT'])} check port ${String(api['MALIPO_OPS_PORT'])} `,
    );

    const { environment: worker = {}, expose = [], healthcheck: check } = serviceNamed('worker');
    const portOf = (variable: string) => String(worker[variable]).split(':')[1];
    expect(expose).toEqual([portOf('MALIPO_WORKER_METRICS'), portOf('MALIPO_WORKER_HEALTH')]);
    expect(check?.test.join(' ')).toContain(`:${String(portOf('MALIPO_WORKER_HEALTH'))}/readyz`);

    const { environment: portal = {}, expose: ofPortal, healthcheck: portalCheck } = serviceNamed('portal');
    const health = String(String(portal['MALIPO_PORTAL_HEALTH']).split(':')[1]);
    expect(portalCheck?.test.join(' ')).toContain(`:${health}/readyz`);
    expect(ofPortal).toEqual([portal['MALIPO_PORTAL_PORT'], health]);
    expect(proxySettings).toContain(`4 portal:${String(portal['MALIPO_PORTAL_PORT'])} check port ${health} `);
  });

  describe('the proxy', () => {
    const { ports = [], environment, networks: its } = serviceNamed('proxy');

    it('has the only ports of APIs and portals: each is one number, which a restart does not change', () => {
      expect(ports).toEqual([
        `127.0.0.1:\${MALIPO_API_PORT:-3000}:3000`,
        `127.0.0.1:\${MALIPO_PORTAL_PORT:-3002}:3002`,
      ]);
      expect(proxySettings.match(/^ {2}bind :\d+$/gm)).toEqual([
        '  bind :3000',
        '  bind :3002',
        '  bind :8405',
      ]);
      for (const name of ['api', 'portal']) expect(serviceNamed(name).ports).toBeUndefined();
    });

    it('has a fixed address, which no other container gets, and which the APIs trust with the gateway', () => {
      const base = `\${MALIPO_NETWORK:-10.250.30}`;
      expect(its?.['default']?.ipv4_address).toBe(`${base}.2`);
      expect(networks.default.ipam.config).toEqual([
        { subnet: `${base}.0/24`, gateway: `${base}.1`, ip_range: `${base}.128/25` },
      ]);
      for (const name of ['api', 'portal']) {
        const trusted = serviceNamed(name).environment?.['MALIPO_TRUSTED_PROXIES'];
        expect(trusted).toBe(`\${MALIPO_TRUSTED_PROXIES:-${base}.2,${base}.1}`);
      }
    });

    it('has the settings of the balancer of `npm run cluster`', () => {
      for (const shared of [requestSettings, requestIdSettings, ownAnswerSettings]) {
        expect(proxySettings).toContain(shared);
      }
      expect(proxySettings.match(/ check port .*/g)?.map((line) => line.includes(` ${checks} `))).toEqual([
        true,
        true,
      ]);
      expect(environment).toEqual({ TZ: serviceNamed('api').environment?.['MALIPO_TIMEZONE'] });
    });

    it('finds an API under another address, and takes orders about single APIs only inside its container', () => {
      const templates = proxySettings.match(/^ {2}server-template .*$/gm) ?? [];
      expect(templates).toHaveLength(3);
      for (const line of templates) expect(line).toContain(' resolvers docker ');
      expect(proxySettings).toMatch(/^ {2}stats socket ipv4@127\.0\.0\.1:\d+ level admin$/m);
    });
  });

  it('lets every port on this machine be chosen', () => {
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(published.length).toBeGreaterThan(3);
    expect(published.filter((port) => !/^127\.0\.0\.1:\$\{MALIPO_\w+_PORT:-\d+\}:\d+$/.test(port))).toEqual(
      [],
    );
  });

  it.each(Object.keys(services))('limits the log of %s', (name) => {
    const { driver, options } = serviceNamed(name).logging ?? {};
    expect(driver).toBe('json-file');
    expect(Object.keys(options ?? {})).toEqual(['max-size', 'max-file']);
  });

  it('starts neither MySQL nor Temporal where another one is used', () => {
    const countedBy = (variable: string) =>
      Object.keys(services).filter((name) => services[name]?.deploy?.replicas === `\${${variable}:-1}`);
    expect(countedBy('MYSQL_REPLICAS')).toEqual(['mysql']);
    expect(countedBy('TEMPORAL_REPLICAS')).toEqual(
      Object.keys(services).filter((name) => name.startsWith('temporal')),
    );
  });

  it('keeps the binary log apart from the data, as docs/restore.md wants it', () => {
    const { command = [], volumes: mounted = [] } = serviceNamed('mysql');
    const folder = '/var/lib/mysql-binlog';
    expect(mounted).toContain(`\${MYSQL_BINLOG:-mysql-binlog}:${folder}`);
    expect(command).toEqual(
      expect.arrayContaining([
        `--log-bin=${folder}/binlog`,
        '--binlog-expire-logs-seconds=1209600',
        '--gtid-mode=ON',
        '--enforce-gtid-consistency=ON',
      ]),
    );
    expect(serviceNamed('mysqlbinlog').volumes).toEqual([`\${MYSQL_BINLOG:-mysql-binlog}:${folder}:ro`]);
  });

  it('gives the portal every provider setting of the API: it moves money by the same functions', () => {
    const ofProviders = (name: string) =>
      settingsOf(name).filter((one) => /^(?:STK|MOMO|XB|WALLETPAY|CARDPROC|TEMPORAL)_/.test(one));
    expect(ofProviders('portal')).toEqual(ofProviders('api'));
  });

  it('sets or passes on every variable that the code reads', async () => {
    const set = ours.flatMap(settingsOf);
    const known = [...(await knownVariables()).keys()].filter((name) => !neverSet.includes(name));
    expect(known.filter((name) => !set.includes(name))).toEqual([]);
  });

  it('publishes no port beyond this machine', () => {
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it.each(Object.keys(services))(
    'gives %s no unneeded right, and a limit of the machine’s memory',
    (name) => {
      const service = serviceNamed(name);
      expect(service.cap_drop).toEqual(['ALL']);
      expect(service.security_opt).toEqual(['no-new-privileges:true']);
      expect(service.pids_limit).toBeGreaterThan(0);
      expect(service.mem_limit).toBeDefined();
      expect(service.privileged).toBeUndefined();
    },
  );

  it.each([...ours, 'certificates', 'certificates-renewal', 'mysql', 'proxy', 'temporal', 'prometheus'])(
    'runs %s with a read-only root',
    (name) => {
      expect(serviceNamed(name).read_only).toBe(true);
    },
  );

  it('lets every image be pinned by digest', () => {
    const images = Object.entries(services).filter(([name]) => !ours.includes(name));
    expect(images.filter(([, { image }]) => !/^\$\{\w+_IMAGE:-[^}]+\}$/.test(image))).toEqual([]);
  });

  it('gives the account that alters tables to the migration only', () => {
    const holders = Object.entries(services).filter(([, { volumes: mounted = [] }]) =>
      mounted.some((volume) => typeof volume === 'object' && volume.target === '/run/secrets/migrate'),
    );
    expect(holders.map(([name]) => name)).toEqual(['migrate']);
  });

  it('gives each process the folder of its own secrets, and no other', () => {
    const mounts = Object.entries(services).flatMap(([name, { volumes: mounted = [] }]) =>
      mounted.flatMap((volume) =>
        typeof volume === 'object' && volume.source.startsWith('${MALIPO_SECRETS')
          ? [[name, volume.source.split('/').at(-1), volume.target]]
          : [],
      ),
    );
    expect(mounts.filter(([name = '']) => ours.includes(name))).toEqual([
      ['migrate', 'migrate', '/run/secrets/migrate'],
      ['api', 'api', '/run/secrets/malipo'],
      ['portal', 'portal', '/run/secrets/malipo'],
      ['worker', 'worker', '/run/secrets/malipo'],
      ['worker-next', 'worker', '/run/secrets/malipo'],
    ]);
    expect(mounts.filter(([, folder]) => folder === 'malipo')).toEqual([]);
  });

  it('keeps every secret in files, and out of all environments', () => {
    const reported = Object.values(services).flatMap(({ environment = {} }) => Object.keys(environment));
    const secret = /PASSWORD|PWD|SECRET|PASSKEY|TOKEN|KEY|DATABASE_URL|SMTP_URL|CREDENTIAL/;
    // Names of files, of keys that are not secret, and of Temporal's settings with file names.
    const open = /_FILE$|_PATH$|_KEY_ID$|^MALIPO_KEYLESS_|^TEMPORAL_TLS_(?:SERVER_|FRONTEND_)?KEY$/;
    expect(reported.filter((name) => secret.test(name) && !open.test(name))).toEqual([]);
    for (const name of ['api', 'worker']) {
      const files = Object.keys(serviceNamed(name).environment ?? {});
      const missing = secretSettings.filter((setting) => !files.includes(`${setting}_FILE`));
      expect(missing).toEqual(['MALIPO_MIGRATE_DATABASE_URL']);
    }
  });

  it('gives read-only containers no file that Docker would write into them', () => {
    // Compose copies texts and values of variables into the container, which a read-only root rejects; files are
    // mounted.
    const copied = Object.values(services).filter(({ configs, secrets }) => configs ?? secrets);
    expect(copied).toEqual([]);
  });

  it('mounts only files that exist, and folders of secrets that Docker does not create', () => {
    const mounted = Object.values(services).flatMap((service) => service.volumes ?? []);
    const ofOurs = mounted
      .filter((volume) => typeof volume === 'string')
      .map((volume) => volume.replace(`\${MYSQL_BINLOG:-mysql-binlog}`, 'mysql-binlog').split(':'));
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

  it('commits durably, has memory for tables, and accepts only TLS', () => {
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

  it('checks the health of every running service, and restarts it', () => {
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

  it('has a second worker for another build, which differs from the first only in its image and name', () => {
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

  it('creates every search attribute that workflows set', () => {
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

  it('has all its required variables when npm start runs only its database', () => {
    const required = new Set([...file.matchAll(/\$\{(\w+):\?/g)].map((match) => String(match[1])));
    expect([...composeRequired].sort()).toEqual([...required].sort());
    const accounts = readFileSync(join(root, 'deploy', 'compose', 'accounts.sh'), 'utf8');
    const read = [...accounts.matchAll(/\$\(password (\w+)\)/g)].map(
      (match) => `${String(match[1])}_password`,
    );
    expect([...mysqlPasswords].sort()).toEqual(read.sort());
  });
});
