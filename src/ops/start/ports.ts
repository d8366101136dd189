import { findPortHolder } from '../services/port-holder';
import { freePort, isPortFree } from '../services/free-port';

export interface Ports {
  api: number;
  ops: number;
  simulator: number;
  simulatorSmtp: number;
  temporal: number;
  temporalUi: number;
  workerMetrics: number;
  workerHealth: number;
  mysql: number;
}

interface Wanted {
  what: string;
  variable: string;
  port: number;
}

/** Loopback addresses in the worker's settings carry a host; only the port matters here. */
function portOf(env: NodeJS.ProcessEnv, variable: string, standard: number): number {
  const text = env[variable]?.replace(/^.*:/, '');
  if (!text) return standard;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new Error(`${variable} must end in a port from 1 to 65535`);
}

/** @throws an Error listing every port that is taken, by whom, and which variable moves ours away. */
export async function choosePorts(env: NodeJS.ProcessEnv = process.env): Promise<Ports> {
  const ports: Ports = {
    api: portOf(env, 'MALIPO_API_PORT', 3000),
    ops: portOf(env, 'MALIPO_OPS_PORT', 3100),
    simulator: portOf(env, 'MALIPO_SIMULATOR_PORT', 3001),
    simulatorSmtp: portOf(env, 'MALIPO_SIMULATOR_SMTP_PORT', 3025),
    temporal: portOf(env, 'MALIPO_TEMPORAL_PORT', 7233),
    temporalUi: portOf(env, 'MALIPO_TEMPORAL_UI_PORT', 8233),
    workerMetrics: portOf(env, 'MALIPO_WORKER_METRICS', 9464),
    workerHealth: portOf(env, 'MALIPO_WORKER_HEALTH', 9465),
    mysql: portOf(env, 'MALIPO_MYSQL_PORT', await freePort()),
  };
  const wanted: Wanted[] = [
    { what: 'the API', variable: 'MALIPO_API_PORT', port: ports.api },
    { what: 'operations', variable: 'MALIPO_OPS_PORT', port: ports.ops },
    { what: 'the simulator', variable: 'MALIPO_SIMULATOR_PORT', port: ports.simulator },
    {
      what: "the simulator's mail server",
      variable: 'MALIPO_SIMULATOR_SMTP_PORT',
      port: ports.simulatorSmtp,
    },
    { what: "the worker's metrics", variable: 'MALIPO_WORKER_METRICS', port: ports.workerMetrics },
    { what: "the worker's health", variable: 'MALIPO_WORKER_HEALTH', port: ports.workerHealth },
  ];
  if (!env.TEMPORAL_ADDRESS) {
    wanted.push(
      { what: 'Temporal', variable: 'MALIPO_TEMPORAL_PORT', port: ports.temporal },
      { what: "Temporal's web UI", variable: 'MALIPO_TEMPORAL_UI_PORT', port: ports.temporalUi },
    );
  }
  if (!env.DATABASE_URL) wanted.push({ what: 'MySQL', variable: 'MALIPO_MYSQL_PORT', port: ports.mysql });

  const faults = (await Promise.all(wanted.map(faultOf))).filter((fault) => fault !== undefined);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return ports;
}

async function faultOf({ what, variable, port }: Wanted): Promise<string | undefined> {
  if (await isPortFree(port)) return undefined;
  const holder = await findPortHolder(port);
  const who = holder ? `process ${String(holder.pid)} (${holder.command})` : 'another process';
  const other = String(port < 50_000 ? port + 10_000 : port - 10_000);
  const example = `${variable}=${variable.startsWith('MALIPO_WORKER') ? '127.0.0.1:' : ''}${other}`;
  return `port ${String(port)}, meant for ${what}, is taken by ${who}; choose another, such as ${example} npm start`;
}
