/** docker-compose.yml: the sandbox in containers. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { temporalArguments } from '../../../tools/sandbox/services/temporal-server';
import { portVariables } from '../../support/sandbox/started';

interface ComposeService {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: (string | { source: string; target: string; read_only?: boolean; bind?: object })[];
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  pids_limit?: number;
  mem_limit?: string;
  read_only?: boolean;
  privileged?: boolean;
  network_mode?: string;
  restart?: string;
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
}

interface ComposeFile {
  name: string;
  services: Record<string, ComposeService>;
  volumes: Record<string, object | null>;
}

const root = join(__dirname, '..', '..', '..');
const textOf = (...path: string[]) => readFileSync(join(root, ...path), 'utf8');
const text = textOf('docker-compose.yml');
const { name, services, volumes } = parse(text, { merge: true }) as ComposeFile;
const production = parse(textOf('deploy', 'compose', 'production.yml'), { merge: true }) as ComposeFile;
const guard = 'no-deployment-on-this-machine';
const { sandbox, 'sandbox-temporal': temporal } = services;

describe('docker-compose.yml', () => {
  it('is the sandbox, and needs no variable', () => {
    expect(name).toBe('malipo-sandbox');
    expect(Object.keys(services).sort()).toEqual([guard, 'sandbox', 'sandbox-database', 'sandbox-temporal']);
    expect(text).not.toMatch(/\$\{\w+:?\?/);
    expect(text).not.toMatch(/MALIPO_ENV: |live/);
  });

  it('shares no service and no volume with a deployment, whatever the project is called', () => {
    const names = (file: ComposeFile) => [...Object.keys(file.services), ...Object.keys(file.volumes)];
    const theirs = new Set(names(production));
    expect(theirs.size).toBeGreaterThan(10);
    expect(names({ name, services, volumes }).filter((one) => theirs.has(one))).toEqual([]);
    expect(sandbox?.image).not.toBe(production.services['api']?.image);
    // `name:` or `external:` could reach beyond the project.
    expect(Object.values(volumes).filter((volume) => volume !== null)).toEqual([]);
  });

  it('starts nothing before the guard has ended well', () => {
    const others = Object.entries(services).filter(([one]) => one !== guard);
    expect(others.map(([, { depends_on: waits = {} }]) => waits[guard]?.condition)).toEqual(
      others.map(() => 'service_completed_successfully'),
    );
    // Docker would start them after a reboot without asking the guard.
    expect(Object.values(services).filter(({ restart }) => restart !== undefined)).toEqual([]);
  });

  it('gives Docker’s socket to the guard only, which has no network', () => {
    const holders = Object.entries(services).filter(([, { volumes: mounted = [] }]) =>
      mounted.some((volume) => JSON.stringify(volume).includes('docker.sock')),
    );
    expect(holders.map(([one]) => one)).toEqual([guard]);
    expect(services[guard]).toMatchObject({
      network_mode: 'none',
      command: ['node', 'dist/tools/sandbox/deployment-guard.js'],
      volumes: [{ target: '/var/run/docker.sock', read_only: true, bind: { create_host_path: false } }],
    });
  });

  it.each(['MALIPO_ENV', 'MALIPO_PUBLIC_URL'])('refuses the settings of a deployment: %s', (variable) => {
    // With the variable, a boolean becomes a sentence, which Compose reports before it does anything.
    const field = new RegExp(String.raw`'(?:true|false)\$\{${variable}:\+, but ${variable} is set: [^}]+\}'`);
    expect(text).toMatch(field);
    const example = textOf('.env.example');
    expect(example).toMatch(new RegExp(`^${variable}=`, 'm'));
  });

  it('publishes every port that users open, on this machine only, with the same number inside', async () => {
    const published = sandbox?.ports ?? [];
    const variables = published.map((port) => /^127\.0\.0\.1:(\$\{(\w+):-\d+\}):\1$/.exec(port)?.[2] ?? port);
    const known = Object.keys(await portVariables());
    const hidden = [
      'MALIPO_TEMPORAL_UI_PORT',
      ...['MALIPO_SIMULATOR_SMTP_PORT', 'MALIPO_TEMPORAL_PORT', 'MALIPO_MYSQL_PORT'],
      ...['MALIPO_WORKER_METRICS', 'MALIPO_WORKER_HEALTH', 'MALIPO_PORTAL_HEALTH'],
    ];
    expect(variables.sort()).toEqual(known.filter((one) => !hidden.includes(one)).sort());
    for (const port of published) {
      const [, given = '', variable = ''] = /^127\.0\.0\.1:(\$\{(\w+):-\d+\})/.exec(port) ?? [];
      expect(sandbox?.environment?.[variable]).toBe(given);
    }
    const all = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(all.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    expect(services['sandbox-database']?.ports).toBeUndefined();
  });

  it.each(Object.keys(services))('gives %s no unneeded right, and a limit of the machine’s memory', (one) => {
    expect(services[one]).toMatchObject({ cap_drop: ['ALL'], read_only: true });
    expect(services[one]?.security_opt).toContain('no-new-privileges:true');
    expect(services[one]?.pids_limit).toBeGreaterThan(0);
    expect(services[one]?.mem_limit).toBeDefined();
    expect(services[one]?.privileged).toBeUndefined();
    if (one !== 'sandbox-database') expect(services[one]?.cap_add).toBeUndefined();
  });

  it('runs Temporal as npm start does, but for the limits that only benchmarks reach', () => {
    const ofNpmStart = temporalArguments({ binary: '', port: 0, databaseFolder: '', logFile: '' });
    const tuning = ofNpmStart.filter((one) => /^(?:history|matching|system)\.(?!persistence)/.test(one));
    const given = (temporal?.command ?? [])
      .filter((one) => one.startsWith('--dynamic-config-value='))
      .map((one) => one.slice(one.indexOf('=') + 1));
    expect(given).toEqual(tuning);
    const pragmas = (temporal?.command ?? []).filter((one) => one.startsWith('--sqlite-pragma='));
    expect(pragmas.map((one) => one.split('=').slice(1).join('='))).toEqual(
      ofNpmStart.filter((_one, index) => ofNpmStart[index - 1] === '--sqlite-pragma'),
    );
  });

  it('waits for what it needs, and checks the health of all that lasts', () => {
    const lasting = Object.entries(services).filter(([one]) => one !== guard);
    expect(lasting.filter(([, { healthcheck }]) => !healthcheck)).toEqual([]);
    expect(sandbox?.depends_on).toMatchObject({
      'sandbox-database': { condition: 'service_healthy' },
      'sandbox-temporal': { condition: 'service_healthy' },
    });
  });

  it('keeps its data in its own volumes', () => {
    const mounted = Object.values(services).flatMap((service) => service.volumes ?? []);
    const named = mounted
      .filter((volume) => typeof volume === 'string')
      .map((volume) => volume.split(':')[0]);
    expect(new Set(named)).toEqual(new Set(Object.keys(volumes)));
    expect(text).not.toContain('./.malipo');
  });

  it('runs files that the build makes', () => {
    const dockerfile = textOf('Dockerfile');
    const run = [...`${text}${dockerfile}`.matchAll(/'?"?(dist\/tools\/sandbox\/[\w-]+\.js)/g)];
    const programs = new Set(run.map(([, path = '']) => path));
    expect([...programs].sort()).toEqual([
      'dist/tools/sandbox/compose.js',
      'dist/tools/sandbox/deployment-guard.js',
    ]);
    expect([...programs].filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
