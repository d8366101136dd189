import { cutText } from '../../src/domain/cut-text';
import { findPortHolder } from './services/port-holder';
import { claimPort, dropClaim } from './services/port-claims';
import { freePort, isPortFree } from './services/free-port';
import { say } from './services/progress';
import { forEachProvider, type ProviderName } from './simulated-providers';

export interface Ports extends Record<ProviderName, number> {
  api: number;
  ops: number;
  simulator: number;
  simulatorSmtp: number;
  temporal: number;
  temporalUi: number;
  workerMetrics: number;
  workerHealth: number;
  portal: number;
  portalHealth: number;
  mysql: number;
}

interface Plan {
  what: string;
  /** The variable of the port; its value may be `host:port`. */
  variable: string;
  /** Users remember ports, so they stay the same between starts if possible. */
  standard: number | 'any';
  /** A variable that names an existing server: then no port is needed. */
  unless?: string;
}

const plans: Record<keyof Ports, Plan> = {
  api: { what: 'the API', variable: 'MALIPO_API_PORT', standard: 3000 },
  ops: { what: 'operations', variable: 'MALIPO_OPS_PORT', standard: 3100 },
  simulator: { what: 'the simulator', variable: 'MALIPO_SIMULATOR_PORT', standard: 3001 },
  ...forEachProvider((_name, { what, port }) => ({ what: `the simulated ${what}`, ...port })),
  simulatorSmtp: {
    what: "the simulator's mail server",
    variable: 'MALIPO_SIMULATOR_SMTP_PORT',
    standard: 3025,
  },
  temporal: {
    what: 'Temporal',
    variable: 'MALIPO_TEMPORAL_PORT',
    standard: 7233,
    unless: 'TEMPORAL_ADDRESS',
  },
  temporalUi: {
    what: "Temporal's web UI",
    variable: 'MALIPO_TEMPORAL_UI_PORT',
    standard: 8233,
    unless: 'TEMPORAL_ADDRESS',
  },
  workerMetrics: { what: "the worker's metrics", variable: 'MALIPO_WORKER_METRICS', standard: 9464 },
  workerHealth: { what: "the worker's health", variable: 'MALIPO_WORKER_HEALTH', standard: 9465 },
  portal: { what: 'the portal', variable: 'MALIPO_PORTAL_PORT', standard: 3002 },
  portalHealth: { what: "the portal's health", variable: 'MALIPO_PORTAL_HEALTH', standard: 9466 },
  mysql: { what: 'MySQL', variable: 'MALIPO_MYSQL_PORT', standard: 'any', unless: 'DATABASE_URL' },
};

export const portNames = Object.keys(plans) as (keyof Ports)[];

const columns = 80;

/** How many ports to try. */
const triesMax = 200;
/** A used port is replaced from here on: the next number may be the documented one of another server. */
const elsewhere = 10_000;

/**
 * Chooses every port, and claims it until this process ends. A used port is replaced by a free one, with a
 * message. A port from the environment is a request: if it is in use, that is an error.
 * @throws an Error with every requested port in use, its holder, and the variable to change.
 */
export async function choosePorts(
  env: NodeJS.ProcessEnv = process.env,
  report: (line: string) => void = say,
): Promise<Ports> {
  const needed = Object.entries(plans) as [keyof Ports, Plan][];
  const isNeeded = ({ unless }: Plan) => unless === undefined || !env[unless];
  const named = new Set(needed.map(([, { variable }]) => namedPort(env, variable)));
  const chosen = {} as Ports;
  const faults: string[] = [];
  const moved: Moved[] = [];
  for (const [name, plan] of needed) {
    const port = namedPort(env, plan.variable);
    if (!isNeeded(plan)) chosen[name] = port ?? (plan.standard === 'any' ? 0 : plan.standard);
    else if (port === undefined) chosen[name] = await nextFree(plan, named, moved);
    else {
      const holder = await take(port);
      if (holder !== undefined) faults.push(faultOf(plan, port, holder));
      chosen[name] = port;
    }
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
  if (moved.length > 0) report(movedLine(moved));
  return chosen;
}

/** Loopback addresses in the worker's settings contain a host; only the port matters here. */
function namedPort(env: NodeJS.ProcessEnv, variable: string): number | undefined {
  const text = env[variable]?.replace(/^.*:/, '');
  if (!text) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new Error(`${variable} must end in a port from 1 to 65535`);
}

interface Moved {
  what: string;
  standard: number;
  /** Who uses the standard port. */
  holder: string;
  port: number;
}

/** One line, whatever the number of ports: the chosen ones are in sandbox.json, too. */
function movedLine([first, ...others]: Moved[]): string {
  if (!first) return '';
  const { what, standard, holder, port } = first;
  const more = others.length === 0 ? '' : `; ${String(others.length)} more moved`;
  const [begins, ends] = [`port ${String(standard)} is used by `, `; ${what} uses ${String(port)}${more}`];
  const room = columns - begins.length - ends.length;
  return `${begins}${holder.length > room ? `${cutText(holder, room - 1)}…` : holder}${ends}`;
}

async function nextFree(
  { what, standard }: Plan,
  named: Set<number | undefined>,
  moved: Moved[] = [],
): Promise<number> {
  let first: Pick<Moved, 'standard' | 'holder'> | undefined;
  for (let tries = 0; tries < triesMax; tries += 1) {
    if (standard === 'any') {
      const port = await freePort();
      if (!named.has(port)) return port;
      continue;
    }
    const port = tries === 0 ? standard : standard + elsewhere + tries - 1;
    if (named.has(port)) continue;
    const holder = await take(port);
    if (holder === undefined) {
      if (first !== undefined) moved.push({ what, port, ...first });
      return port;
    }
    first ??= { standard: port, holder };
  }
  throw new Error(`no port is free for ${what}: ${String(triesMax)} ports were tried`);
}

/** @returns the holder, or undefined if the port is ours now. */
async function take(port: number): Promise<string | undefined> {
  const claimant = claimPort(port);
  if (claimant === undefined && (await isPortFree(port))) return undefined;
  if (claimant === undefined) dropClaim(port);
  const holder = await findPortHolder(port);
  if (holder) return `process ${String(holder.pid)} (${holder.command})`;
  if (claimant === process.pid) return 'another part of this start';
  return claimant === undefined ? 'another process' : `another start (process ${String(claimant)})`;
}

function faultOf({ what, variable }: Plan, port: number, holder: string): string {
  const other = String(port < 50_000 ? port + 10_000 : port - 10_000);
  const example = `${variable}=${/^MALIPO_(?:WORKER_|PORTAL_HEALTH)/.test(variable) ? '127.0.0.1:' : ''}${other}`;
  return `port ${String(port)}, requested for ${what}, is used by ${holder}; choose another, such as ${example} npm start`;
}
