/** HAProxy before the API processes: by their readiness, and one at a time taken out and put back for a restart. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild, whenReady, type Service } from '../sandbox/services/child-process';
import { listensOn } from '../sandbox/services/port-holder';
import { answersOk, waitFor } from '../sandbox/services/wait-for';
import { lookAtServers, setState } from './haproxy-socket';
import { ownAnswerSettings, requestIdSettings } from './own-answers';

const loopback = '127.0.0.1';

export interface BalancedServer {
  name: string;
  port: number;
  /** Where it tells whether it is ready. */
  opsPort: number;
}

export interface BalancerOptions {
  program: string;
  /** For its settings and its socket; short, since a socket's path may have 107 characters. */
  folder: string;
  port: number;
  /** Where it serves its own metrics. */
  metricsPort: number;
  servers: BalancedServer[];
  /** Of the times that the answers of the API show. */
  timezone: string;
  logFile: string;
}

export interface Balancer extends Service {
  url: string;
  metricsPort: number;
  /** Sends a server nothing new, and resolves when it has answered what it was sent. */
  drain(server: string): Promise<void>;
  /** Lets a server that was drained take part again, and resolves when it does. */
  admit(server: string): Promise<void>;
}

/** A check may take the 2 s that readiness gives the database and Temporal. */
const checks = 'inter 500ms fastinter 200ms downinter 200ms fall 2 rise 1';

/** Longer than an acceptance may take by the settings (30 s). */
const answerWithin = '40s';

function settings({ servers, port, metricsPort }: BalancerOptions, files: Files): string {
  return `
global
  maxconn 4096
  stats socket ${files.socket} mode 600 level admin

defaults
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
  # Where none is ready, what all of them lack is Temporal or the database: without the one they still take callbacks,
  # without either they tell merchants to come back in words of their own.
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

  async function lookAt(server: string) {
    const looks = await lookAtServers(files.socket);
    return both(server).map((name) => looks.find((look) => look.name === name));
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
      const isIdle = async () => (await lookAt(server)).every((look) => look?.current === 0);
      await waitFor(isIdle, { what: `${server} to have answered everything`, timeoutMs: 60_000 });
    },
    async admit(server) {
      for (const name of both(server)) await setState(files.socket, name, 'ready');
      const isUp = async () => (await lookAt(server))[0]?.status === 'UP';
      await waitFor(isUp, { what: `the balancer to see that ${server} is ready`, timeoutMs: 60_000 });
    },
  };
}
