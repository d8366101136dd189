/** HAProxy in front of the API processes: it follows their readiness, and drains one at a time for a restart. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild, whenReady, type Service } from '../sandbox/services/child-process';
import { listensOn } from '../sandbox/services/port-holder';
import { answersOk, waitFor } from '../sandbox/services/wait-for';
import { readServers, setState } from './haproxy-socket';
import { ownAnswerSettings, requestIdSettings } from './own-answers';

const loopback = '127.0.0.1';

export interface BalancedServer {
  name: string;
  port: number;
  /** The port of its readiness check. */
  opsPort: number;
}

export interface BalancerOptions {
  program: string;
  /** For its settings and its socket. The path must be short: a socket's path has at most 107 characters. */
  folder: string;
  port: number;
  /** The port of its own metrics. */
  metricsPort: number;
  servers: BalancedServer[];
  /** The zone of the times in the API's answers. */
  timezone: string;
  logFile: string;
}

export interface Balancer extends Service {
  url: string;
  metricsPort: number;
  /** Sends a server no new requests, and resolves when it has answered the ones in progress. */
  drain(server: string): Promise<void>;
  /** Returns a drained server to use, and resolves when HAProxy sees it as ready. */
  admit(server: string): Promise<void>;
}

/** A check may take the 2 s that readiness allows for the database and Temporal. */
export const checks = 'inter 500ms fastinter 200ms downinter 200ms fall 2 rise 1';

/** Longer than the longest time for creating a payment (30 s). */
const answerWithin = '40s';

/** Lines for `defaults`, here and in the proxy of deploy/compose. */
export const requestSettings = `
  mode http
  timeout connect 2s
  timeout client 65s
  timeout http-request 30s
  timeout http-keep-alive 60s
  timeout server ${answerWithin}
  timeout queue 10s
  timeout check 3s
  # An idle connection may be closed by its server while a request is on its way: each request has one of its own.
  option http-server-close
  # Only where no connection came about: what was sent may have been heard, and money is not asked for twice.
  retries 4
  option redispatch 1
  retry-on conn-failure
`.trim();

function settings({ servers, port, metricsPort }: BalancerOptions, files: Files): string {
  return `
global
  maxconn 4096
  stats socket ${files.socket} mode 600 level admin

defaults
  ${requestSettings}
${ownAnswerSettings}

frontend merchants
  bind ${loopback}:${String(port)}
  option forwardfor
  ${requestIdSettings}
  default_backend api

backend api
  balance leastconn
  option httpchk GET /readyz
  http-check expect status 200
${servers
  .map(
    (server) =>
      `  server ${server.name} ${loopback}:${String(server.port)} check port ${String(server.opsPort)} ${checks}`,
  )
  .join('\n')}
  # When none is ready, Temporal or the database is down. Without Temporal the APIs still accept notifications;
  # without the database they answer merchants with their own error to retry later.
  option allbackups
${servers
  .map((server) => `  server ${server.name}-anyway ${loopback}:${String(server.port)} backup`)
  .join('\n')}

frontend metrics
  bind ${loopback}:${String(metricsPort)}
  http-request use-service prometheus-exporter if { path /metrics }
  http-request return status 404
`.trimStart();
}

interface Files {
  settings: string;
  socket: string;
}

export async function balancer(options: BalancerOptions): Promise<Balancer> {
  const { program, folder, port, timezone, logFile } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const files: Files = {
    settings: join(folder, 'haproxy.cfg'),
    socket: join(folder, 'haproxy.sock'),
  };
  await writeFile(files.settings, settings(options, files));
  const url = `http://${loopback}:${String(port)}`;
  const both = (server: string) => [`api/${server}`, `api/${server}-anyway`];

  async function checkAt(server: string) {
    const looks = await readServers(files.socket);
    return both(server).map((name) => looks.find((check) => check.name === name));
  }

  return {
    name: 'the balancer',
    url,
    metricsPort: options.metricsPort,
    spawn: () =>
      startChild({
        name: 'the balancer',
        command: program,
        args: ['-f', files.settings, '-db'],
        env: { ...process.env, TZ: timezone },
        logFile,
      }),
    ready: (child) =>
      whenReady(child, async () => (await answersOk(`${url}/healthz`)) && listensOn(child.pid, port), {
        what: `the balancer at ${url}`,
        timeoutMs: 60_000,
      }),
    async drain(server) {
      for (const name of both(server)) await setState(files.socket, name, 'drain');
      const isIdle = async () => (await checkAt(server)).every((check) => check?.current === 0);
      await waitFor(isIdle, { what: `${server} to answer the requests in progress`, timeoutMs: 60_000 });
    },
    async admit(server) {
      for (const name of both(server)) await setState(files.socket, name, 'ready');
      const isUp = async () => (await checkAt(server))[0]?.status === 'UP';
      await waitFor(isUp, { what: `the balancer to see ${server} as ready`, timeoutMs: 60_000 });
    },
  };
}
