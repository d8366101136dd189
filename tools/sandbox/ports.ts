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
  /** Sets the port; its value may be `host:port`. */
  variable: string;
  /** Ports are the reader's habit, so they stay the same from start to start where they can. */
  standard: number | 'any';
  /** Names a server that is there already: then we need no port. */
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

/** How far from its standard a port is looked for. */
const triesMax = 200;

/**
 * Chooses every port, and claims it for as long as this process lives. One that is taken gives way to the next free
 * one, and that is said; one that the environment names is what somebody asked for, and taken it is an error.
 * @throws an Error listing every named port that is taken, by whom, and which variable moves ours away.
 */
export async function choosePorts(env: NodeJS.ProcessEnv = process.env): Promise<Ports> {
  const needed = Object.entries(plans) as [keyof Ports, Plan][];
  const isNeeded = ({ unless }: Plan) => unless === undefined || !env[unless];
  const named = new Set(needed.map(([, { variable }]) => namedPort(env, variable)));
  const chosen = {} as Ports;
  const faults: string[] = [];
  for (const [name, plan] of needed) {
    const port = namedPort(env, plan.variable);
    if (!isNeeded(plan)) chosen[name] = port ?? (plan.standard === 'any' ? 0 : plan.standard);
    else if (port === undefined) chosen[name] = await nextFree(plan, named);
    else {
      const holder = await take(port);
      if (holder !== undefined) faults.push(faultOf(plan, port, holder));
      chosen[name] = port;
    }
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return chosen;
}

/** One that nobody's habit asks for, claimed for as long as this process lives. */
export function anyPort(what: string): Promise<number> {
  return nextFree({ what, variable: '', standard: 'any' }, new Set());
}

/** Loopback addresses in the worker's settings carry a host; only the port matters here. */
function namedPort(env: NodeJS.ProcessEnv, variable: string): number | undefined {
  const text = env[variable]?.replace(/^.*:/, '');
  if (!text) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new Error(`${variable} must end in a port from 1 to 65535`);
}

async function nextFree({ what, standard }: Plan, named: Set<number | undefined>): Promise<number> {
  let first: string | undefined;
  for (let tries = 0; tries < triesMax; tries += 1) {
    const port = standard === 'any' ? await freePort() : standard + tries;
    if (named.has(port)) continue;
    const holder = await take(port);
    if (holder === undefined) {
      if (first !== undefined) say(`port ${first}; ${what} takes ${String(port)}`);
      return port;
    }
    first ??= `${String(port)} is taken by ${holder}`;
  }
  throw new Error(`no port is free for ${what}: ${String(triesMax)} from ${String(standard)} on are taken`);
}

/** @returns who has it, or undefined: then it is ours. */
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
  return `port ${String(port)}, meant for ${what}, is taken by ${holder}; choose another, such as ${example} npm start`;
}
